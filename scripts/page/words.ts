/** Counts the visible words of a page, without code, tables and numbers, by section. */
import type { Page } from 'playwright-core';
import { settled } from './openedPage';

/** Number of words by section id; `head` is the sticky head, `other` is text outside sections. */
export type WordCounts = Readonly<Record<string, number>>;

export interface Words {
  /** Words within the viewport. */
  readonly firstScreen: WordCounts;
  readonly wholePage: WordCounts;
}

export const total = (counts: WordCounts): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/** Scrolls through the page, so that deferred views load, and back to the top. */
export async function loadAll(page: Page): Promise<void> {
  await settled(page);
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  const step = page.viewportSize()?.height ?? 800;
  for (let top = 0; top < height; top += step) {
    await page.evaluate(y => {
      scrollTo(0, y);
    }, top);
    await settled(page);
  }
  await page.evaluate(() => {
    scrollTo(0, 0);
  });
  await settled(page);
}

/** Counts the words at the current scroll position. */
export const countWords = (page: Page): Promise<Words> => page.evaluate(counted);

/**
 * Runs in the page. A word is text between spaces with at least one letter, so `GFLOP/s` is a word
 * and `1,024` is not.
 */
function counted(): Words {
  const skipped =
    'table, [role="table"], code, pre, .listing, .visually-hidden, .skip, script, style';
  const firstScreen: Record<string, number> = {};
  const wholePage: Record<string, number> = {};

  const sectionOf = (element: Element): string =>
    element.closest('.page-head, header.top, nav.summary') !== null
      ? 'head'
      : (element.closest('section[id]')?.id ?? 'other');

  const isInside = (box: DOMRect, around: DOMRect): boolean => {
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    return x >= around.left && x <= around.right && y >= around.top && y <= around.bottom;
  };
  const viewport = new DOMRect(0, 0, innerWidth, innerHeight);
  const isOnScreen = (box: DOMRect, holder: Element): boolean => {
    if (box.width === 0 || box.height === 0 || !isInside(box, viewport)) return false;
    for (let at: Element | null = holder; at !== null; at = at.parentElement) {
      const clips = at !== document.body && getComputedStyle(at).overflow !== 'visible';
      if (clips && !isInside(box, at.getBoundingClientRect())) return false;
    }
    return true;
  };

  const add = (counts: Record<string, number>, section: string): void => {
    counts[section] = (counts[section] ?? 0) + 1;
  };
  const countText = (text: Text, holder: Element, section: string): void => {
    for (const word of text.data.matchAll(/\S*\p{L}\S*/gu)) {
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const box = range.getBoundingClientRect();
      if (box.width === 0 || box.height === 0) continue;
      add(wholePage, section);
      if (isOnScreen(box, holder)) add(firstScreen, section);
    }
  };
  /** @param section section of the host for elements of a shadow tree */
  const visit = (element: Element, section: string | null): void => {
    const isShown = element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    // An element without a box of its own may have visible content.
    const hasNoBox = getComputedStyle(element).display === 'contents';
    if ((!isShown && !hasNoBox) || element.matches(skipped)) return;
    const own = section ?? sectionOf(element);
    for (const child of element.childNodes)
      if (child instanceof Text) countText(child, element, own);
    for (const child of element.shadowRoot?.children ?? []) visit(child, own);
    for (const child of element.children) visit(child, section);
  };
  visit(document.body, null);
  return { firstScreen, wholePage };
}
