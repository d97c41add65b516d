/** A page of the explorer that is open in a browser: what tests ask of it, wherever it came from. */
import type { Page } from 'playwright-core';
import type { ToWebview } from '../../src/protocol';
import type { AxeRules } from './axe';
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
  /** One line a violation and element. */
  readonly axe: (rules?: AxeRules) => Promise<readonly string[]>;
  readonly setTheme: (theme: ThemeName) => Promise<void>;
  /** Opens everything that can be folded. */
  readonly unfold: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The errors of a page, from now on. */
export function errorsOf(page: Page): readonly string[] {
  const errors: string[] = [];
  page.on('pageerror', error => errors.push(String(error)));
  page.on('console', message => {
    if (message.type() === 'error') errors.push(message.text());
  });
  return errors;
}

/**
 * Waits until the page has drawn this many frames. What a page does in answer to an event is drawn in the next ones, however
 * long they take on a machine whose cores are busy.
 */
export const drawn = (page: Page, frames = 3): Promise<void> =>
  page.evaluate(
    count =>
      new Promise<void>(resolve => {
        const next = (left: number): void => {
          if (left === 0) resolve();
          else
            requestAnimationFrame(() => {
              next(left - 1);
            });
        };
        next(count);
      }),
    frames,
  );

/** Frames after which the toolkit has read the variables of another theme. */
export const FRAMES_OF_A_THEME = 6;

/** Opens everything that can be folded: what opens is drawn once the element has said so, and may hold more. */
export async function unfold(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const all = [...document.querySelectorAll('details')];
    for (const details of all) details.open = true;
    const awaited = document.querySelector('.awaited') !== null;
    return !awaited && all.every(({ children }) => children.length > 1);
  });
}
