/**
 * Runs axe on a page. axe is slow and page states share most elements, so only new kinds of
 * elements are checked (kinds.ts). Rules for the whole page, such as landmarks, need all elements.
 */
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { shownElements, type Kinds, type PartialRules, type ShownWindow } from './kinds';

/** Rules to run. A theme affects only the results of the color rules. */
export type AxeRules = 'all' | PartialRules;
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

const RUN: Readonly<Record<AxeRules, RunOptions>> = {
  all: {},
  structure: { rules: Object.fromEntries(COLOUR_RULES.map(id => [id, { enabled: false }])) },
  colours: { runOnly: { type: 'rule', values: COLOUR_RULES } },
};

const axeSource = readFileSync(
  path.join(path.dirname(createRequire(import.meta.url).resolve('axe-core')), 'axe.min.js'),
  'utf8',
);

type AxeWindow = ShownWindow & {
  readonly axe: { readonly run: (parts: unknown, options: RunOptions) => Promise<AxeResults> };
};

export const runAxe = async (page: Page, rules: AxeRules = 'all'): Promise<readonly string[]> =>
  (await runAxeOn(page, rules)) ?? [];

/**
 * Runs axe on the elements that `shownElements` numbered, and on their descendants. Returns
 * undefined if the page has replaced an element since then, because axe fails on removed elements.
 */
async function runAxeOn(
  page: Page,
  rules: AxeRules,
  elements?: readonly number[],
): Promise<readonly string[] | undefined> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource);
  const options: RunOptions = { resultTypes: ['violations'], ...RUN[rules] };
  const results = await page.evaluate(
    ([chosen, of]) => {
      const { axe, shown } = globalThis as AxeWindow;
      const include = of?.map(i => shown[i]);
      if (include?.some(element => element?.isConnected !== true) === true) return undefined;
      return axe.run(include === undefined ? document : { include }, chosen);
    },
    [options, elements] as const,
  );
  return results?.violations.flatMap(({ id, nodes }) =>
    nodes.map(node => `${id}: ${node.html.slice(0, 160)} ${node.any[0]?.message ?? ''}`),
  );
}

/**
 * Runs each rule set on the elements whose kind is new to it, and adds their kinds to `seen`. If
 * the page renders in the meantime, the check is repeated until axe has checked one complete
 * rendering.
 */
export async function runAxeOnNew(page: Page, seen: Kinds): Promise<readonly string[]> {
  for (;;) {
    const kinds = { structure: new Map(seen.structure), colours: new Map(seen.colours) };
    const found = await lookOnce(page, kinds);
    if (found === undefined) continue;
    for (const rules of ['structure', 'colours'] as const)
      for (const [kind, number] of kinds[rules]) seen[rules].set(kind, number);
    return found;
  }
}

async function lookOnce(page: Page, kinds: Kinds): Promise<readonly string[] | undefined> {
  const shown = await shownElements(page, kinds);
  const found: string[] = [];
  for (const rules of ['structure', 'colours'] as const) {
    // axe also checks descendants, so only the outermost new elements are passed.
    const outermost = shown.flatMap(({ isNew, parent }, i) =>
      isNew[rules] && shown[parent]?.isNew[rules] !== true ? [i] : [],
    );
    if (outermost.length === 0) continue;
    if (rules === 'colours') await page.evaluate(takeOut, outermost);
    const here = await runAxeOn(page, rules, outermost);
    if (rules === 'colours')
      await page.evaluate(() => {
        (globalThis as ShownWindow).putBack();
      });
    if (here === undefined) return undefined;
    found.push(...here);
  }
  return found;
}

/**
 * Temporarily removes sections that are unrelated to the given elements. For color rules, axe
 * computes the position of every element, which takes most of the time. Sections do not overlap, so
 * the colors behind the elements stay the same.
 */
function takeOut(elements: readonly number[]): void {
  const page = globalThis as ShownWindow;
  const asked = elements.flatMap(i => page.shown[i] ?? []);
  const isAsked = (section: Element): boolean =>
    asked.some(element => {
      let around: Node | null = element;
      while (around !== null && around !== section)
        around = around.parentNode ?? (around as Partial<ShadowRoot>).host ?? null;
      return around === section || element.contains(section);
    });
  const holders = [...document.querySelectorAll('section')]
    .filter(section => !isAsked(section))
    .map(section => {
      const holder = document.createComment('');
      section.replaceWith(holder);
      return { section, holder };
    });
  page.putBack = () => {
    for (const { section, holder } of holders.toReversed()) holder.replaceWith(section);
  };
}
