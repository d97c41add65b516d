/** Driving the workbench as a user does: palette, quick picks, trust, notifications, screenshots. */

import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Frame, Locator, Page } from 'playwright-core';

const TIMEOUT_MS = 30_000;
const START_MS = 90_000;
/** For one of many attempts. */
const ATTEMPT = { timeout: 1000 };
const WIDGET = '.quick-input-widget:visible';
const ROW = `${WIDGET} .quick-input-list .monaco-list-row`;

/** Asks again and again until the answer is not undefined. */
async function until<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) throw new Error(`Waited ${TIMEOUT_MS / 1000} s for ${what}.`);
    await delay(50);
  }
}

const widgetInput = (page: Page): Locator => page.locator(`${WIDGET} .quick-input-box input`);

const row = (page: Page, label: string): Locator =>
  page.locator(ROW).filter({ has: page.locator('.label-name').getByText(label, { exact: true }) });

/** Runs a command through the palette; waits until its extension has announced it. */
export async function runCommand(page: Page, title: string): Promise<void> {
  await until(`the command "${title}" in the palette`, async () => {
    if (!(await widgetInput(page).isVisible())) await page.keyboard.press('F1');
    if (await choose(page, title, `>${title}`)) return true;
    // The palette lists what was there when it opened.
    await dismiss(page);
    return undefined;
  });
}

/** Takes the item with this label in the open quick pick. */
export async function pick(page: Page, label: string): Promise<void> {
  await until(`"${label}" in the quick pick`, async () =>
    (await choose(page, label, label)) ? true : undefined,
  );
}

/** The labels the open quick pick shows. */
export async function pickLabels(page: Page): Promise<readonly string[]> {
  await page.locator(ROW).first().waitFor();
  return page.locator(`${ROW} .label-name`).allInnerTexts();
}

/**
 * One attempt: filters the list, so that the row is drawn, and clicks it. The widget is reused from
 * step to step and resets its text, so the caller repeats this until it works.
 */
async function choose(page: Page, label: string, filter: string): Promise<boolean> {
  const input = widgetInput(page);
  const target = row(page, label).first();
  try {
    if ((await input.inputValue(ATTEMPT)) !== filter) await setText(input, filter);
    await target.click(ATTEMPT);
  } catch {
    return false;
  }
  await target.waitFor({ state: 'hidden', ...ATTEMPT }).catch(() => undefined);
  return true;
}

/** In one step: typed keys would go to the editor when the widget closes meanwhile. */
const setText = (input: Locator, text: string): Promise<void> =>
  input.evaluate(
    (element, value) => {
      if (!(element instanceof HTMLInputElement)) throw new Error('The quick input has no input.');
      element.value = value;
      element.dispatchEvent(new Event('input', { bubbles: true }));
    },
    text,
    ATTEMPT,
  );

/** Closes the open widget, and waits until it is gone. */
async function dismiss(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await widgetInput(page)
    .waitFor({ state: 'hidden', ...ATTEMPT })
    .catch(() => undefined);
}

/** Types into the open input box, whose title, prompt or placeholder contains `prompt`, and accepts. */
export async function typeInto(page: Page, prompt: string, text: string): Promise<void> {
  const input = widgetInput(page);
  await until(`an input box that says "${prompt}"`, async () => {
    if (!(await input.isVisible())) return undefined;
    const said = await page.locator(WIDGET).innerText();
    const placeholder = (await input.getAttribute('placeholder')) ?? '';
    return `${said} ${placeholder}`.includes(prompt) ? true : undefined;
  });
  await input.fill(text);
  await page.keyboard.press('Enter');
}

/** The message under the open input box: its prompt, or what is wrong with the text. */
export const inputMessage = (page: Page): Promise<string> =>
  page.locator(`${WIDGET} .quick-input-message`).innerText();

/** Opens a file of the workspace by its name. */
export async function openFile(page: Page, name: string): Promise<void> {
  await until(`the file "${name}" in Go to File`, async () => {
    if (!(await widgetInput(page).isVisible())) await page.keyboard.press('Control+P');
    if (await choose(page, name, name)) return true;
    // The list is made when it opens; a file written a moment ago may be missing.
    await dismiss(page);
    return undefined;
  });
  await waitForEditor(page, name);
}

/** Waits for an editor tab with this title and returns it. */
export async function waitForEditor(page: Page, title: string): Promise<Locator> {
  const tab = page.locator('.tabs-container .tab').filter({ hasText: title }).first();
  await tab.waitFor({ timeout: TIMEOUT_MS });
  return tab;
}

/** The titles of the open editors, in order. */
export const editorTitles = (page: Page): Promise<readonly string[]> =>
  page
    .locator('.tabs-container .tab')
    .evaluateAll(tabs => tabs.map(tab => tab.getAttribute('data-resource-name') ?? ''));

/** The CodeLens in sight, one text each. */
export const codeLenses = (page: Page): Promise<readonly string[]> =>
  page.locator(LENS).allInnerTexts();

const LENS = '.monaco-editor .codelens-decoration a';

/** Waits for a CodeLens that contains `text` and returns it. */
export async function waitForLens(page: Page, text: string): Promise<Locator> {
  const lens = page.locator(LENS).filter({ hasText: text }).first();
  await lens.waitFor({ timeout: TIMEOUT_MS });
  return lens;
}

/** Waits for the modal dialog, presses one of its buttons and returns what it said. */
export async function answerDialog(page: Page, button: string): Promise<string> {
  const dialog = page.locator('.monaco-dialog-box');
  await dialog.waitFor({ timeout: TIMEOUT_MS });
  const message = await dialog.locator('.dialog-message-container').innerText();
  await dialog.getByRole('button', { name: button, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  return message;
}

/** The inner frame of the visible webview that has an element for `selector`. */
export function webviewFrame(page: Page, selector = 'body'): Promise<Frame> {
  return until(`a webview with "${selector}"`, async () => {
    for (const outer of await page.locator('iframe.webview.ready:visible').elementHandles()) {
      const inner = await (await outer.contentFrame())?.$('iframe#active-frame');
      const frame = await inner?.contentFrame();
      if (frame && (await frame.$(selector).catch(() => null)) !== null) return frame;
    }
    return undefined;
  });
}

/** The texts of the notifications on screen. */
export const notifications = (page: Page): Promise<readonly string[]> =>
  page.locator('.notification-toast .notification-list-item-message').allInnerTexts();

/** Waits for a notification that contains `text`; clicks its button if one is named. */
export async function waitForNotification(
  page: Page,
  text: string,
  button?: string,
): Promise<string> {
  const toast = page.locator('.notification-toast').filter({ hasText: text }).first();
  await toast.waitFor({ timeout: TIMEOUT_MS });
  const message = await toast.locator('.notification-list-item-message').innerText();
  if (button !== undefined) await toast.getByRole('button', { name: button, exact: true }).click();
  return message;
}

const restrictedMode = (page: Page): Locator =>
  page.locator('.statusbar-item').filter({ hasText: 'Restricted Mode' });

export const isRestricted = (page: Page): Promise<boolean> => restrictedMode(page).isVisible();

/** Waits until the workbench has restored its parts and knows whether it trusts the folder. */
export async function waitForWorkbench(page: Page, trust: 'trusted' | 'restricted'): Promise<void> {
  await page.locator('.monaco-workbench #status\\.problems').waitFor({ timeout: START_MS });
  if (trust === 'restricted') await restrictedMode(page).waitFor({ timeout: TIMEOUT_MS });
}

/** Trusts the open folder, as a user does, and closes the trust editor. */
export async function grantTrust(page: Page): Promise<void> {
  await runCommand(page, 'Workspaces: Manage Workspace Trust');
  const editor = page.locator('.workspace-trust-editor');
  await editor.getByRole('button', { name: 'Trust', exact: true }).click();
  await until('the folder to be trusted', async () =>
    (await isRestricted(page)) ? undefined : true,
  );
  await runCommand(page, 'View: Close Editor');
}

export async function screenshot(page: Page, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  // What is sliding in or fading out is shown where it ends.
  await page.screenshot({ path, animations: 'disabled' });
}
