/**
 * Drives the quick input: palette, picks and input boxes. One widget serves consecutive prompts, so
 * each pick first checks which prompt is open.
 */
import type { Page } from 'playwright-core';
import { TIMEOUT_MS, until, within } from './until';

const WIDGET = '.quick-input-widget';
const INPUT = `${WIDGET}:visible .quick-input-box input`;
/** Timeout after which an action without effect is repeated. */
const PATIENCE_MS = 5000;
/**
 * Delay between the first appearance of a row and the click, so that the list can finish filtering.
 */
const SETTLED_MS = 150;

interface Seen {
  /** Title and placeholder, which identify the prompt. */
  readonly question: string;
  readonly text: string;
  /** Whether the wanted row is present; if requested, the row was clicked. */
  readonly taken: boolean;
}

interface Take {
  /**
   * Whether to click the row. The first check does not click, because a click during filtering may
   * hit a different row.
   */
  readonly click?: boolean;
  readonly question: string;
  readonly filter: string;
  readonly label: string;
}

/**
 * Returns the current prompt; undefined if no prompt is open. With `take`, the first call sets the
 * filter of that prompt, and a later call finds the row and optionally clicks it.
 */
const look = (page: Page, take?: Take): Promise<Seen | undefined> =>
  page.evaluate(
    ({ selector, take }) => {
      const widget = [...document.querySelectorAll<HTMLElement>(selector)].find(element =>
        element.checkVisibility(),
      );
      const input = widget?.querySelector<HTMLInputElement>('.quick-input-box input');
      if (widget === undefined || !input) return undefined;
      const title = widget.querySelector('.quick-input-title')?.textContent ?? '';
      const question = `${title}\n${input.placeholder}`;
      const text = `${widget.innerText}\n${input.placeholder}`;
      if (take?.question !== question) return { question, text, taken: false };
      if (input.value !== take.filter) {
        input.value = take.filter;
        input.dispatchEvent(new Event('input', { bubbles: true }));
        return { question, text, taken: false };
      }
      const row = [...widget.querySelectorAll('.quick-input-list .monaco-list-row')].find(
        element => element.querySelector('.label-name')?.textContent.trim() === take.label,
      );
      for (const type of take.click === true ? ['mousedown', 'mouseup', 'click'] : []) {
        row?.dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true, detail: 1 }));
      }
      return { question, text, taken: row !== undefined };
    },
    { selector: WIDGET, take },
  );

const isGone = async (page: Page, question: string): Promise<true | undefined> =>
  (await look(page))?.question === question ? undefined : true;

/**
 * Clicks the row of a prompt. Returns true if the row was clicked and the prompt closed before the
 * timeout.
 */
async function took(page: Page, take: Take, patienceMs: number): Promise<boolean> {
  let clicked = false;
  const ended = await within(patienceMs, async () => {
    const seen = await look(page, take);
    if (seen?.question !== take.question) return clicked ? 'taken' : 'gone';
    if (!seen.taken) return undefined;
    await new Promise(settled => setTimeout(settled, SETTLED_MS));
    const again = await look(page, { ...take, click: true });
    if (again?.taken !== true) return undefined;
    clicked = true;
    return (await within(SETTLED_MS * 10, () => isGone(page, take.question))) === true
      ? 'taken'
      : undefined;
  });
  return ended === 'taken';
}

export async function dismiss(page: Page): Promise<void> {
  await until('the quick input to close', async () => {
    if ((await look(page)) === undefined) return true;
    await page.keyboard.press('Escape');
    return undefined;
  });
}

/**
 * Opens a quick pick with a key and accepts an item. An open list does not update, so the function
 * reopens it until the item appears.
 */
async function takeFrom(page: Page, key: string, filter: string, label: string): Promise<void> {
  await until(`"${label}" in the list that ${key} opens`, async () => {
    await dismiss(page);
    await page.keyboard.press(key);
    const seen = await within(PATIENCE_MS, () => look(page));
    if (seen === undefined) return undefined;
    const { question } = seen;
    return (await took(page, { question, filter, label }, PATIENCE_MS)) ? true : undefined;
  });
}

export const runCommand = (page: Page, title: string): Promise<void> =>
  takeFrom(page, 'F1', `>${title}`, title);

/**
 * Opens a file through Go to File. `typed` replaces a name with characters that Go to File
 * interprets as a line number or a symbol.
 */
export const goToFile = (page: Page, name: string, typed = name): Promise<void> =>
  takeFrom(page, 'Control+P', typed, name);

export async function pick(page: Page, label: string): Promise<void> {
  const { question } = await until('a quick pick', () => look(page));
  if (!(await took(page, { question, filter: label, label }, TIMEOUT_MS))) {
    const said = (await look(page))?.text ?? 'nothing';
    throw new Error(`"${label}" is not in the quick pick:\n${said}`);
  }
}

export async function pickLabels(page: Page): Promise<readonly string[]> {
  const labels = page.locator(`${WIDGET}:visible .quick-input-list .monaco-list-row .label-name`);
  await labels.first().waitFor();
  return labels.allInnerTexts();
}

/**
 * Waits for an input box whose title, prompt or placeholder contains `prompt`, types the text and
 * accepts it.
 */
export async function typeInto(page: Page, prompt: string, text: string): Promise<void> {
  const { question } = await until(`an input box with "${prompt}"`, async () => {
    const seen = await look(page);
    return seen?.text.includes(prompt) === true ? seen : undefined;
  });
  await page.locator(INPUT).fill(text);
  await page.keyboard.press('Enter');
  await until(`"${text}" to be accepted`, () => isGone(page, question));
}
