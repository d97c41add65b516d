/** Groups elements into kinds for which axe reports the same results. */
import type { Page } from 'playwright-core';

export type PartialRules = 'structure' | 'colours';

/** Number of every known kind, keyed by its text and the kind of its parent. */
export type Kinds = Readonly<Record<PartialRules, Map<string, number>>>;

export interface Shown {
  readonly isNew: Readonly<Record<PartialRules, boolean>>;
  /** Index of the parent element; -1 for the body. */
  readonly parent: number;
}

export type ShownWindow = typeof globalThis & { shown: readonly Element[]; putBack: () => void };

/** Styles that determine an element's colors and its required contrast. */
const COLOUR_STYLES = [
  'color',
  'background-color',
  'background-image',
  'opacity',
  'filter',
  'mix-blend-mode',
  'text-shadow',
  'font-size',
  'font-weight',
  'position',
  'text-decoration-line',
];

/** Kind of an element: the number of the parent's kind (-1 for the body) and its own text. */
type NumberedKind = readonly [around: number, own: string];

interface Listed {
  readonly elements: readonly (Readonly<Record<PartialRules, number>> & { parent: number })[];
  /** Kinds of elements. The kind of a parent precedes the kinds of its children. */
  readonly kinds: Readonly<Record<PartialRules, readonly NumberedKind[]>>;
}

/** Returns the visible elements, including shadow DOM, and adds their kinds to `known`. */
export async function shownElements(page: Page, known: Kinds): Promise<readonly Shown[]> {
  // Transferred as one string, because Playwright is slow with thousands of objects.
  const text = await page.evaluate(listed, COLOUR_STYLES);
  const { elements, kinds } = JSON.parse(text) as Listed;
  const isNew = {
    structure: added(kinds.structure, known.structure),
    colours: added(kinds.colours, known.colours),
  };
  return elements.map(({ structure, colours, parent }) => ({
    isNew: {
      structure: isNew.structure[structure] === true,
      colours: isNew.colours[colours] === true,
    },
    parent,
  }));
}

function added(kinds: readonly NumberedKind[], known: Map<string, number>): readonly boolean[] {
  const numbers: number[] = [];
  return kinds.map(([around, own]) => {
    const key = `${numbers[around] ?? -1} ${own}`;
    const number = known.get(key);
    numbers.push(number ?? known.size);
    if (number === undefined) known.set(key, known.size);
    return number === undefined;
  });
}

/**
 * Runs in the page. A kind consists of the parent's kind, the element's name, its attributes, and
 * whether it has no text, one character or more. An attribute value that is not made of a-z, spaces
 * and hyphens counts as `*`. Color kinds add computed styles; other kinds add whether the element
 * scrolls.
 */
function listed(styles: readonly string[]): string {
  const shown: Element[] = [];
  const elements: Listed['elements'][number][] = [];
  const kinds: Record<PartialRules, NumberedKind[]> = { structure: [], colours: [] };
  const numbers = new Map<string, number>();
  const numberOf = (rules: PartialRules, around: number, own: string): number => {
    const key = `${rules} ${around} ${own}`;
    const number = numbers.get(key) ?? kinds[rules].push([around, own]) - 1;
    numbers.set(key, number);
    return number;
  };
  const valueOf = (value: string): string => (/^[a-z -]*$/.test(value) ? value : '*');
  const markup = ({ localName, attributes, childNodes }: Element): string => {
    const text = [...childNodes].map(node => (node instanceof Text ? node.data.trim() : ''));
    return [
      // axe reports no contrast for a single character.
      localName,
      Math.min(text.join('').length, 2),
      ...[...attributes].map(({ name, value }) => `${name}=${valueOf(value)}`).sort(),
    ].join();
  };
  const colours = (element: Element): string => {
    const style = getComputedStyle(element);
    return styles.map(name => style.getPropertyValue(name)).join();
  };
  const scrolls = (element: Element): string =>
    `${element.scrollWidth > element.clientWidth} ${element.scrollHeight > element.clientHeight}`;
  const visit = (element: Element, parent: number): void => {
    if (!element.checkVisibility()) return;
    const own = markup(element);
    const around = elements[parent];
    elements.push({
      // The body's class depends on the theme, so the body has an empty structure kind.
      structure: numberOf(
        'structure',
        around?.structure ?? -1,
        around === undefined ? '' : `${own} ${scrolls(element)}`,
      ),
      colours: numberOf('colours', around?.colours ?? -1, `${own} ${colours(element)}`),
      parent,
    });
    const number = shown.push(element) - 1;
    for (const child of [...(element.shadowRoot?.children ?? []), ...element.children])
      visit(child, number);
  };
  visit(document.body, -1);
  (globalThis as ShownWindow).shown = shown;
  return JSON.stringify({ elements, kinds } satisfies Listed);
}
