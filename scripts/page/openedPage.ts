/** A page of the explorer that is open in a browser: what tests ask of it, wherever it came from. */
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import type { ToWebview } from '../../src/protocol';
import type { THEMES } from './themes';

export type ThemeName = keyof typeof THEMES;

export interface ExplorerPage {
  readonly page: Page;
  readonly send: (message: ToWebview) => Promise<void>;
  readonly sendRaw: (message: unknown) => Promise<void>;
  /** Messages the page posted so far. */
  readonly posted: () => Promise<
    readonly { readonly type: string; readonly [key: string]: unknown }[]
  >;
  readonly saved: () => Promise<unknown>;
  readonly cspViolations: () => Promise<readonly string[]>;
  readonly errors: readonly string[];
  /** One line a violation and element: of all rules, or of those on colours. */
  readonly axe: (rules?: AxeRules) => Promise<readonly string[]>;
  readonly setTheme: (theme: ThemeName) => Promise<void>;
  /** Opens everything that can be folded. */
  readonly unfold: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** A theme changes colours alone: axe's other rules find the same in all of them. */
export type AxeRules = 'all' | 'colours';
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** The errors of a page, from now on. */
export function errorsOf(page: Page): readonly string[] {
  const errors: string[] = [];
  page.on('pageerror', error => errors.push(String(error)));
  page.on('console', message => {
    if (message.type() === 'error') errors.push(message.text());
  });
  return errors;
}

/** Opens everything that can be folded: what opens is drawn once the element has said so, and may hold more. */
export async function unfold(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const all = [...document.querySelectorAll('details')];
    for (const details of all) details.open = true;
    const awaited = document.querySelector('.awaited') !== null;
    return !awaited && all.every(({ children }) => children.length > 1);
  });
}

const axeSource = readFileSync(
  path.join(path.dirname(createRequire(import.meta.url).resolve('axe-core')), 'axe.min.js'),
  'utf8',
);

interface Axe {
  readonly run: (options: RunOptions) => Promise<AxeResults>;
}

export async function runAxe(page: Page, rules: AxeRules = 'all'): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource);
  const options: RunOptions = {
    resultTypes: ['violations'],
    ...(rules === 'all' ? {} : { runOnly: COLOUR_RULES }),
  };
  const results = await page.evaluate(
    chosen => (globalThis as unknown as { axe: Axe }).axe.run(chosen),
    options,
  );
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(node => `${id}: ${node.html.slice(0, 160)} ${node.any[0]?.message ?? ''}`),
  );
}
