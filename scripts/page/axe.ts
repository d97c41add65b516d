/**
 * axe on a page. It takes long, and states share most of what they show: a part of the page that has been looked at, with the
 * same markup in the same place, is not looked at again. Rules on a page as a whole, such as landmarks, need all of it.
 */
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

/** A theme changes colours alone: axe's other rules find the same in all of them. */
export type AxeRules = 'all' | 'structure';
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

const RUN: Readonly<Record<AxeRules, RunOptions>> = {
  all: {},
  structure: { rules: Object.fromEntries(COLOUR_RULES.map(id => [id, { enabled: false }])) },
};

const axeSource = readFileSync(
  path.join(path.dirname(createRequire(import.meta.url).resolve('axe-core')), 'axe.min.js'),
  'utf8',
);

type AxeWindow = typeof globalThis & {
  readonly axe: { readonly run: (parts: unknown, options: RunOptions) => Promise<AxeResults> };
  parts: readonly Element[];
};

/** One line a violation and element, of the whole page or of those parts that `partsOf` numbers. */
export async function runAxe(
  page: Page,
  rules: AxeRules = 'all',
  parts?: readonly number[],
): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource);
  const options: RunOptions = { resultTypes: ['violations'], ...RUN[rules] };
  const results = await page.evaluate(
    ([chosen, of]) => {
      const { axe, parts: all } = globalThis as AxeWindow;
      return axe.run(of === undefined ? document : { include: of.map(i => all[i]) }, chosen);
    },
    [options, parts] as const,
  );
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(node => `${id}: ${node.html.slice(0, 160)} ${node.any[0]?.message ?? ''}`),
  );
}

/** All rules, on those parts of the page whose markup is not in `seen` yet. */
export async function runAxeOnNew(page: Page, seen: Set<string>): Promise<readonly string[]> {
  const hashes = await partsOf(page);
  const fresh = hashes.flatMap((hash, i) => (seen.has(hash) ? [] : [i]));
  for (const hash of hashes) seen.add(hash);
  return fresh.length === 0 ? [] : runAxe(page, 'all', fresh);
}

/** Each section, and what holds none: hashes of their markup, with that of the elements' shadows. */
const partsOf = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const split = (element: Element): readonly Element[] =>
      element.matches('section') || element.querySelector('section') === null
        ? [element]
        : [...element.children].flatMap(split);
    const parts = split(document.body).filter(part => part.checkVisibility());
    (globalThis as AxeWindow).parts = parts;
    const shadows = (all: readonly Element[]): readonly ShadowRoot[] =>
      all.flatMap(({ shadowRoot }) =>
        shadowRoot === null ? [] : [shadowRoot, ...shadows([...shadowRoot.querySelectorAll('*')])],
      );
    const hashOf = async (part: Element): Promise<string> => {
      const text =
        part.outerHTML +
        part.getHTML({ shadowRoots: [...shadows([part, ...part.querySelectorAll('*')])] });
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
      return [...new Uint8Array(digest)].join(' ');
    };
    return Promise.all(parts.map(hashOf));
  });
