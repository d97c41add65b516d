/** Interface of an opened explorer page for tests. */
import type { ConsoleMessage, Page } from 'playwright-core';
import type { ToWebview } from '../../src/protocol';
import type { AxeRules } from './axe';
import type { THEMES } from './themes';

export type ThemeName = keyof typeof THEMES;

export interface ExplorerPage {
  readonly page: Page;
  readonly send: (message: ToWebview) => Promise<void>;
  readonly sendRaw: (message: unknown) => Promise<void>;
  readonly posted: () => Promise<
    readonly { readonly type: string; readonly [key: string]: unknown }[]
  >;
  readonly saved: () => Promise<unknown>;
  readonly cspViolations: () => Promise<readonly string[]>;
  readonly errors: readonly string[];
  readonly axe: (rules?: AxeRules) => Promise<readonly string[]>;
  readonly setTheme: (theme: ThemeName) => Promise<void>;
  readonly unfold: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export function errorsOf(page: Page): {
  readonly errors: readonly string[];
  readonly forget: () => void;
} {
  const errors: string[] = [];
  const onError = (error: Error): void => {
    errors.push(String(error));
  };
  const onMessage = (message: ConsoleMessage): void => {
    if (message.type() === 'error') errors.push(message.text());
  };
  page.on('pageerror', onError).on('console', onMessage);
  return {
    errors,
    forget: () => {
      page.off('pageerror', onError).off('console', onMessage);
    },
  };
}

/**
 * Waits for `frames` animation frames, because the response to an event is drawn in the next
 * frames.
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

/** Waits until no section is loading or outdated. */
export const settled = async (page: Page): Promise<void> => {
  await page.waitForFunction(
    () => document.querySelector('.awaited, [aria-busy="true"]:not(vscode-button)') === null,
  );
};

/** Number of frames after which the toolkit has applied the variables of another theme. */
export const FRAMES_OF_A_THEME = 6;

/**
 * Opens all collapsible sections repeatedly: content renders after the toggle event and may contain
 * more sections.
 */
export async function unfold(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    // An open question hides figures, so questions stay closed.
    const all = [...document.querySelectorAll<HTMLDetailsElement>('details:not(.predict)')];
    for (const details of all) details.open = true;
    const awaited = document.querySelector('.awaited') !== null;
    return !awaited && all.every(({ children }) => children.length > 1);
  });
}
