/** Hands with a keyboard and no mouse: what a tour presses, and how it finds its way by the focus alone. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Frame, Locator, Page } from 'playwright-core';

const TIMEOUT_MS = 30_000;
/** More than the explorer has stops. */
const MOST_STOPS = 250;
const INPUT = '.quick-input-widget:visible .quick-input-box input';
const FOCUSED_ROW = '.quick-input-widget:visible .quick-input-list .monaco-list-row.focused';

export interface Hands {
  /** A key or a chord, in Playwright's names, e.g. `Control+2`. */
  readonly press: (key: string) => Promise<void>;
  /** Types over what the focused field holds. */
  readonly overtype: (text: string) => Promise<void>;
  /** Opens the palette, types the command's name, and presses Enter once it is the one in focus. */
  readonly command: (title: string) => Promise<void>;
  /** Types into the open quick pick, and presses Enter once that row is in focus. */
  readonly answer: (text: string) => Promise<void>;
  /** Tab, or Shift+Tab, until this element has the focus. */
  readonly tabTo: (frame: Frame, target: Locator, back?: 'back') => Promise<void>;
  /** What was pressed since it was last asked, as one reads it. */
  readonly pressed: () => readonly string[];
}

export function handsOn(page: Page): Hands {
  const { keyboard } = page;
  const log: string[] = [];
  const press = async (key: string): Promise<void> => {
    log.push(named(key));
    await keyboard.press(key);
  };
  const type = async (text: string): Promise<void> => {
    log.push(`“${text}”`);
    await keyboard.type(text);
  };
  const accept = async (label: string): Promise<boolean> => {
    const row = page.locator(FOCUSED_ROW).locator('.label-name').first();
    const seen = await within(3000, async () => (await textOf(row)) === label);
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
      const mark = log.length;
      const done = await within(TIMEOUT_MS, async () => {
        log.length = mark;
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
      // The pick before may still be there, and take what is typed.
      const mark = log.length;
      const done = await within(TIMEOUT_MS, async () => {
        log.length = mark;
        await page.locator(INPUT).waitFor();
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
      const there = (): Promise<boolean> =>
        frame.evaluate(element => {
          // A custom element that has the focus has it inside of its shadow.
          for (let active = document.activeElement; active !== null;) {
            if (active === element || element.contains(active)) return true;
            active = active.shadowRoot?.activeElement ?? null;
          }
          return false;
        }, wanted);
      while (!(await there())) {
        if (stops === MOST_STOPS) throw new Error(`${key} never came to ${target.toString()}.`);
        await keyboard.press(key);
        stops += 1;
      }
      if (stops > 0) log.push(stops === 1 ? named(key) : `${named(key)} × ${stops}`);
    },
    pressed: () => log.splice(0),
  };
}

const NAMES: Readonly<Record<string, string>> = {
  Control: 'Ctrl',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
};

const named = (key: string): string =>
  key
    .split('+')
    .map(part => NAMES[part] ?? part)
    .join('+');

const textOf = (locator: Locator): Promise<string> =>
  locator.innerText({ timeout: 500 }).catch(() => '');

async function within(limitMs: number, ask: () => Promise<boolean>): Promise<boolean> {
  const deadline = Date.now() + limitMs;
  while (Date.now() < deadline) {
    if (await ask()) return true;
    await delay(50);
  }
  return false;
}
