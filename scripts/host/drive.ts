/**
 * Drives the workbench like a user: editors, CodeLens, dialogs, trust, notifications and
 * screenshots.
 */

import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ElementHandle, Frame, Locator, Page } from 'playwright-core';
import { goToFile } from './quickInput';
import { TIMEOUT_MS, until } from './until';

const START_MS = 120_000;

export async function openFile(page: Page, name: string, typed = name): Promise<void> {
  await goToFile(page, name, typed);
  await waitForActiveEditor(page, name);
}

/**
 * Waits until the tab of the active editor contains `title`, because the active editor receives the
 * next input. An editor that opens later would close an open list.
 */
export const waitForActiveEditor = (page: Page, title: string | RegExp): Promise<void> =>
  page
    .locator('.editor-group-container.active .tabs-container .tab.active')
    .filter({ hasText: title })
    .waitFor({ timeout: TIMEOUT_MS });

export async function closeModalEditor(page: Page): Promise<void> {
  const modal = page.locator('.monaco-modal-editor-block');
  await modal.locator('.codicon-close:visible').first().click({ timeout: TIMEOUT_MS });
  await modal.waitFor({ state: 'hidden', timeout: TIMEOUT_MS });
}

export async function waitForEditor(page: Page, title: string): Promise<Locator> {
  const tab = page.locator('.tabs-container .tab').filter({ hasText: title }).first();
  await tab.waitFor({ timeout: TIMEOUT_MS });
  return tab;
}

export const editorTitles = (page: Page): Promise<readonly string[]> =>
  page
    .locator('.tabs-container .tab')
    .evaluateAll(tabs => tabs.map(tab => tab.getAttribute('data-resource-name') ?? ''));

export const codeLenses = (page: Page): Promise<readonly string[]> =>
  page.locator(LENS).allInnerTexts();

const LENS = '.monaco-editor .codelens-decoration a';

export async function waitForLens(page: Page, text: string): Promise<Locator> {
  const lens = page.locator(LENS).filter({ hasText: text }).first();
  await lens.waitFor({ timeout: TIMEOUT_MS });
  return lens;
}

/**
 * Clicks a CodeLens once all CodeLens texts have not changed for `STILL_MS`, because a click during
 * a redraw has no effect.
 */
export async function pressLens(page: Page, text: string): Promise<void> {
  await until(`the CodeLens "${text}" to be stable`, async () => {
    const before = await codeLenses(page);
    await page.waitForTimeout(STILL_MS);
    const now = await codeLenses(page);
    const still = now.join() === before.join() && now.some(lens => lens.includes(text));
    return still ? true : undefined;
  });
  await page.locator(LENS).filter({ hasText: text }).first().click();
}

const STILL_MS = 700;

export async function answerDialog(page: Page, button: string): Promise<string> {
  const dialog = page.locator('.monaco-dialog-box');
  await dialog.waitFor({ timeout: TIMEOUT_MS });
  const message = await dialog.locator('.dialog-message-container').innerText();
  await dialog.getByRole('button', { name: button, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  return message;
}

/**
 * Waits for a visible webview with an element that matches `selector`, and returns its inner frame.
 */
export function webviewFrame(page: Page, selector = 'body'): Promise<Frame> {
  return until(`a webview with "${selector}"`, async () => {
    for (const outer of await page.locator('iframe.webview.ready:visible').elementHandles()) {
      // A frame may be replaced during the query.
      const frame = await innerFrame(outer).catch(() => null);
      if (frame && (await frame.$(selector).catch(() => null)) !== null) return frame;
    }
    return undefined;
  });
}

/**
 * Waits until a Markdown preview with this title has the focus. A preview takes the focus after it
 * is loaded, and would then close a prompt that was opened earlier.
 */
export const waitForPreview = (page: Page, title: string): Promise<true> =>
  until(`the preview of "${title}" to have the focus`, async () => {
    const frame = await webviewFrame(page, 'h1');
    const seen = await frame
      .evaluate(() => ({
        title: document.querySelector('h1')?.innerText,
        isFocused: document.hasFocus(),
      }))
      .catch(() => null);
    return seen?.title === title && seen.isFocused ? true : undefined;
  });

async function innerFrame(outer: ElementHandle): Promise<Frame | null> {
  const inner = await (await outer.contentFrame())?.$('iframe#active-frame');
  return (await inner?.contentFrame()) ?? null;
}

export const notifications = (page: Page): Promise<readonly string[]> =>
  page.locator('.notification-toast .notification-list-item-message').allInnerTexts();

export async function waitForNotification(
  page: Page,
  text: string,
  button?: string,
  timeoutMs?: number,
): Promise<string> {
  // Read all notifications in one call, because a notification disappears after a while.
  const message = await until(
    `a notification with "${text}"`,
    async () => (await notifications(page)).find(said => said.includes(text)),
    timeoutMs,
  );
  const toast = page.locator('.notification-toast').filter({ hasText: text }).first();
  if (button !== undefined) await toast.getByRole('button', { name: button, exact: true }).click();
  return message;
}

const restrictedMode = (page: Page): Locator =>
  page.locator('.statusbar-item').filter({ hasText: 'Restricted Mode' });

export const isRestricted = (page: Page): Promise<boolean> => restrictedMode(page).isVisible();

/** Waits for the status bar and, if `trust` is `restricted`, for the Restricted Mode indicator. */
export async function waitForWorkbench(page: Page, trust: 'trusted' | 'restricted'): Promise<void> {
  await page.locator('.monaco-workbench #status\\.problems').waitFor({ timeout: START_MS });
  if (trust === 'restricted') await restrictedMode(page).waitFor({ timeout: TIMEOUT_MS });
}

export async function grantTrust(page: Page): Promise<void> {
  const editor = page.locator('.workspace-trust-editor');
  await editor.getByRole('button', { name: 'Trust', exact: true }).click();
  await until('the folder to be trusted', async () =>
    (await isRestricted(page)) ? undefined : true,
  );
  await closeModalEditor(page);
}

export async function screenshot(page: Page, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await page.screenshot({ path, animations: 'disabled' });
}
