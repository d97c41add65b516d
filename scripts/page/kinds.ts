/** Kinds of elements: what axe finds in one, it finds in all of its kind. */
import type { Page } from 'playwright-core';

/** axe's rules on colours, and all others. */
export type PartialRules = 'structure' | 'colours';

/** Of every kind so far, by its text and by the kind of the element around it, its number. */
export type Kinds = Readonly<Record<PartialRules, Map<string, number>>>;

export interface Shown {
  /** Whether no element of its kind was among those before this page's state. */
  readonly isNew: Readonly<Record<PartialRules, boolean>>;
  /** The number of the element around it; -1 of the body's. */
  readonly parent: number;
}

export type ShownWindow = typeof globalThis & { shown: readonly Element[]; putBack: () => void };

/** From where an element's colours come, and how large its contrast must be. */
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

/** What is said of a kind that the page has numbered: the kind around it, -1 around the body's, and its own text. */
type NumberedKind = readonly [around: number, own: string];

interface Listed {
  readonly elements: readonly (Readonly<Record<PartialRules, number>> & { parent: number })[];
  /** A kind stands behind the one around it. */
  readonly kinds: Readonly<Record<PartialRules, readonly NumberedKind[]>>;
}

/** The elements that are shown, those in shadows too; their kinds are added to `known`. */
export async function shownElements(page: Page, known: Kinds): Promise<readonly Shown[]> {
  // As one text: thousands of objects take Playwright longer than axe takes to look at what is new.
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

/** Of each kind whether it was added. */
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
 * In the page. A kind is the kind of the element around, and the element's own name, attributes and such values of these as are
 * words for machines (roles, classes, states), and whether it has a text; for colours the computed styles too, and for all
 * other rules whether it scrolls. What texts and numbers say makes no kind.
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
      // axe tells no contrast of a single character.
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
      // The body's class is the theme.
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
