/** Kinds of elements: what axe finds in one, it finds in all of its kind. */
import type { Page } from 'playwright-core';

/** axe's rules on colours, and all others. */
export type PartialRules = 'structure' | 'colours';

export interface Shown {
  readonly kinds: Readonly<Record<PartialRules, string>>;
  /** The number of the element around it; -1 of the body's. */
  readonly parent: number;
}

export type ShownWindow = typeof globalThis & { shown: readonly Element[]; putBack: () => void };

/** From where an element's colours come, and how large its contrast must be. */
const COLOUR_STYLES = [
  ...['color', 'background-color', 'background-image', 'opacity', 'filter', 'mix-blend-mode'],
  ...['text-shadow', 'font-size', 'font-weight', 'position', 'text-decoration-line'],
];

/**
 * The kinds of each element that is shown, those in shadows too: hashes of its own and of all elements' around it name,
 * attributes and such values of these as are words for machines (roles, classes, states), and of whether it has a text; for
 * colours of the computed styles too, and for all other rules of whether it scrolls. What texts and numbers say makes no kind.
 */
export const kindsOf = (page: Page): Promise<readonly Shown[]> =>
  page.evaluate(async styles => {
    const shown: Element[] = [];
    const all: Shown[] = [];
    const valueOf = (value: string): string => (/^[a-z -]*$/.test(value) ? value : '*');
    const markup = ({ localName, attributes, childNodes }: Element): string => {
      const text = [...childNodes].map(node => (node instanceof Text ? node.data.trim() : ''));
      return [
        // axe tells no contrast of a single character.
        ...[localName, Math.min(text.join('').length, 2)],
        ...[...attributes].map(({ name, value }) => `${name}=${valueOf(value)}`).sort(),
      ].join();
    };
    const colours = (element: Element): string => {
      const style = getComputedStyle(element);
      return styles.map(name => style.getPropertyValue(name)).join();
    };
    const scrolls = (element: Element): string =>
      `${element.scrollWidth > element.clientWidth} ${element.scrollHeight > element.clientHeight}`;
    const visit = (element: Element, around: Shown['kinds'], parent: number): void => {
      if (!element.checkVisibility()) return;
      const own = markup(element);
      const kinds = {
        // The body's class is the theme.
        structure: parent < 0 ? '' : `${around.structure}\n${own} ${scrolls(element)}`,
        colours: `${around.colours}\n${own} ${colours(element)}`,
      };
      const number = shown.push(element) - 1;
      all.push({ kinds, parent });
      for (const child of [...(element.shadowRoot?.children ?? []), ...element.children])
        visit(child, kinds, number);
    };
    visit(document.body, { structure: '', colours: '' }, -1);
    (globalThis as ShownWindow).shown = shown;
    const hashes = new Map<string, string>();
    for (const kind of new Set(all.flatMap(({ kinds }) => Object.values(kinds)))) {
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(kind));
      hashes.set(kind, new Uint32Array(digest).slice(0, 4).join(' '));
    }
    const hashOf = (kind: string): string => hashes.get(kind) ?? '';
    return all.map(({ kinds: { structure, colours: ofColours }, parent }) => ({
      kinds: { structure: hashOf(structure), colours: hashOf(ofColours) },
      parent,
    }));
  }, COLOUR_STYLES);
