/** Drives VS Code by keyboard only: presses keys and reaches elements by moving the focus. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Frame, Locator, Page } from 'playwright-core';

const TIMEOUT_MS = 30_000;
const SETTLED_MS = 200;
/** Maximum number of tab stops before the search for an element fails. */
const MOST_STOPS = 250;
const INPUT = '.quick-input-widget:visible .quick-input-box input';
const FOCUSED_ROW = '.quick-input-widget:visible .quick-input-list .monaco-list-row.focused';

export interface Hands {
  /** Presses a key or a chord, named as in Playwright, such as `Control+2`. */
  readonly press: (key: string) => Promise<void>;
  readonly overtype: (text: string) => Promise<void>;
  /** Opens the palette, types the title of a command, and presses Enter when its row is focused. */
  readonly command: (title: string) => Promise<void>;
  /** Types into the open quick pick, and presses Enter when the row with this label is focused. */
  readonly answer: (text: string) => Promise<void>;
  readonly tabTo: (frame: Frame, target: Locator, back?: 'back') => Promise<void>;
}

export function handsOn(page: Page): Hands {
  const { keyboard } = page;
  const press = (key: string): Promise<void> => keyboard.press(key);
  const type = (text: string): Promise<void> => keyboard.type(text);
  const accept = async (label: string): Promise<boolean> => {
    const row = page.locator(FOCUSED_ROW).locator('.label-name').first();
    // A list that is still filtering may focus another row before the key arrives.
    const isFocused = async (): Promise<boolean> => (await textOf(row)) === label;
    const seen = await within(3000, async () => {
      if (!(await isFocused())) return false;
      await delay(SETTLED_MS);
      return await isFocused();
    });
    if (seen) await press('Enter');
    return seen;
  };
  return {
    press,
    overtype: async text => {
      await press('Control+A');
      await type(text);
    },
    command: async title => {
      const done = await within(TIMEOUT_MS, async () => {
        await press('F1');
        await page.locator(INPUT).waitFor();
        await type(title);
        if (await accept(title)) return true;
        await press('Escape');
        return false;
      });
      if (!done) throw new Error(`The palette does not offer "${title}".`);
    },
    answer: async text => {
      // A previous quick pick may still be open and receive the text. The focused row is therefore
      // checked, and the text is typed again if necessary.
      const done = await within(TIMEOUT_MS, async () => {
        // Without the focus, the keys would go to the editor behind the prompt.
        await page.locator(`${INPUT}:focus`).waitFor();
        await keyboard.press('Control+A');
        await type(text);
        return await accept(text);
      });
      if (!done) throw new Error(`The quick pick does not offer "${text}".`);
    },
    tabTo: async (frame, target, back) => {
      const key = back === undefined ? 'Tab' : 'Shift+Tab';
      const wanted = await target.elementHandle();
      let stops = 0;
      const isFocused = (): Promise<boolean> =>
        frame.evaluate(element => {
          // The focus of a custom element is inside its shadow root.
          for (let active = document.activeElement; active !== null;) {
            if (active === element || element.contains(active)) return true;
            active = active.shadowRoot?.activeElement ?? null;
          }
          return false;
        }, wanted);
      while (!(await isFocused())) {
        if (stops === MOST_STOPS) throw new Error(`${key} never reached ${target.toString()}.`);
        await keyboard.press(key);
        stops += 1;
      }
    },
  };
}

const textOf = (locator: Locator): Promise<string> =>
  locator
    .innerText({ timeout: 500 })
    // The icon of a label is an element without text.
    .then(text => text.trim())
    .catch(() => '');

async function within(limitMs: number, ask: () => Promise<boolean>): Promise<boolean> {
  const deadline = Date.now() + limitMs;
  while (Date.now() < deadline) {
    if (await ask()) return true;
    await delay(50);
  }
  return false;
}
