/**
 * The quick input as a user drives it: palette, picks, input boxes. One widget serves one question after the
 * other, and a busy machine takes its time between two; so every act is one step in the page, which first looks
 * what is asked.
 */
import type { Page } from 'playwright-core';
import { TIMEOUT_MS, until, within } from './until';

const WIDGET = '.quick-input-widget';
const INPUT = `${WIDGET}:visible .quick-input-box input`;
/** What nothing came of in this time is tried again. */
const PATIENCE_MS = 5000;
/** A list that shows the same rows for so long is filtered. */
const SETTLED_MS = 150;

interface Seen {
  /** Title and placeholder: what tells one question from the next. */
  readonly question: string;
  /** Everything the widget says. */
  readonly text: string;
  /** Whether the row is there that is to be taken, and was clicked if it was to be. */
  readonly taken: boolean;
}

interface Take {
  /** A list that is still being filtered takes a click for another row: look twice before. */
  readonly click?: boolean;
  readonly question: string;
  readonly filter: string;
  readonly label: string;
}

/**
 * What is asked, undefined when nothing is. With `take`, and only in its question: filters the list, so that the
 * row is drawn, and clicks the row once it is there, which may need another look.
 */
const look = (page: Page, take?: Take): Promise<Seen | undefined> =>
  page.evaluate(
    ({ selector, take }) => {
      const widget = [...document.querySelectorAll<HTMLElement>(selector)].find(element =>
        element.checkVisibility(),
      );
      const input = widget?.querySelector<HTMLInputElement>('.quick-input-box input');
      if (widget === undefined || !input) return undefined;
      const title = widget.querySelector('.quick-input-title')?.textContent ?? '';
      const question = `${title}\n${input.placeholder}`;
      const text = `${widget.innerText}\n${input.placeholder}`;
      if (take?.question !== question) return { question, text, taken: false };
      if (input.value !== take.filter) {
        input.value = take.filter;
        input.dispatchEvent(new Event('input', { bubbles: true }));
        return { question, text, taken: false };
      }
      const row = [...widget.querySelectorAll('.quick-input-list .monaco-list-row')].find(
        element => element.querySelector('.label-name')?.textContent.trim() === take.label,
      );
      for (const type of take.click === true ? ['mousedown', 'mouseup', 'click'] : []) {
        row?.dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true, detail: 1 }));
      }
      return { question, text, taken: row !== undefined };
    },
    { selector: WIDGET, take },
  );

const isGone = async (page: Page, question: string): Promise<true | undefined> =>
  (await look(page))?.question === question ? undefined : true;

/** Whether the row came in time and the question went with it. */
async function took(page: Page, take: Take, patienceMs: number): Promise<boolean> {
  let clicked = false;
  const ended = await within(patienceMs, async () => {
    const seen = await look(page, take);
    if (seen?.question !== take.question) return clicked ? 'taken' : 'gone';
    if (!seen.taken) return undefined;
    await new Promise(settled => setTimeout(settled, SETTLED_MS));
    const again = await look(page, { ...take, click: true });
    if (again?.taken !== true) return undefined;
    clicked = true;
    return (await within(SETTLED_MS * 10, () => isGone(page, take.question))) === true
      ? 'taken'
      : undefined;
  });
  return ended === 'taken';
}

/** Closes whatever is asked. */
export async function dismiss(page: Page): Promise<void> {
  await until('the quick input to close', async () => {
    if ((await look(page)) === undefined) return true;
    await page.keyboard.press('Escape');
    return undefined;
  });
}

/** Opens a list by its key and takes a row; a list has what was there when it opened, so it is opened again. */
async function takeFrom(page: Page, key: string, filter: string, label: string): Promise<void> {
  await until(`"${label}" in the list that ${key} opens`, async () => {
    await dismiss(page);
    await page.keyboard.press(key);
    const seen = await within(PATIENCE_MS, () => look(page));
    if (seen === undefined) return undefined;
    const { question } = seen;
    return (await took(page, { question, filter, label }, PATIENCE_MS)) ? true : undefined;
  });
}

/** Runs a command through the palette; waits until its extension has announced it. */
export const runCommand = (page: Page, title: string): Promise<void> =>
  takeFrom(page, 'F1', `>${title}`, title);

/** Takes a file of the workspace from Go to File, which reads some characters of a name as a line or a symbol. */
export const goToFile = (page: Page, name: string, typed = name): Promise<void> =>
  takeFrom(page, 'Control+P', typed, name);

/** Takes the item with this label in the open quick pick; returns when it asks no longer. */
export async function pick(page: Page, label: string): Promise<void> {
  const { question } = await until('a quick pick', () => look(page));
  if (!(await took(page, { question, filter: label, label }, TIMEOUT_MS))) {
    const said = (await look(page))?.text ?? 'nothing';
    throw new Error(`"${label}" is not in the quick pick, which has:\n${said}`);
  }
}

/** The labels the open quick pick shows. */
export async function pickLabels(page: Page): Promise<readonly string[]> {
  const labels = page.locator(`${WIDGET}:visible .quick-input-list .monaco-list-row .label-name`);
  await labels.first().waitFor();
  return labels.allInnerTexts();
}

/** Types into the open input box, whose title, prompt or placeholder contains `prompt`, and accepts. */
export async function typeInto(page: Page, prompt: string, text: string): Promise<void> {
  const { question } = await until(`an input box that says "${prompt}"`, async () => {
    const seen = await look(page);
    return seen?.text.includes(prompt) === true ? seen : undefined;
  });
  await page.locator(INPUT).fill(text);
  await page.keyboard.press('Enter');
  await until(`"${text}" to be taken`, () => isGone(page, question));
}
