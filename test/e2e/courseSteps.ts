/** Takes chapters of the course in VS Code, with the keyboard alone. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { askedSentence, type Chapter } from '../../src/core/course/chapter';
import { numberOf, tasksOf } from '../../src/core/course/chapterMarkdown';
import { filledFile } from '../../src/core/course/check';
import { COURSE_FOLDER } from '../../src/core/course/files';
import type { Progress } from '../../src/core/course/progress';
import { fileNamesOf, type Task } from '../../src/core/course/task';
import { until } from '../../scripts/host/until';
import { dismiss } from '../../scripts/host/quickInput';
import { waitForNotification, waitForPreview } from '../../scripts/vscodeHost';

/** Settings under which typed text is inserted as it is. */
export const PLAIN_TYPING = {
  'editor.autoClosingBrackets': 'never',
  'editor.autoClosingQuotes': 'never',
  'editor.autoClosingComments': 'never',
  'editor.autoIndent': 'none',
  'editor.acceptSuggestionOnEnter': 'off',
  'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
  'editor.suggestOnTriggerCharacters': false,
  'files.autoSave': 'off',
} as const;

/** Time after which the palette, whose open list does not update, is opened again. */
const PATIENT = { timeout: 4000 } as const;

const WIDGET = '.quick-input-widget:visible';

/** Placeholder of the prompt with the steps of a chapter. */
const STEPS = 'Choose a step of the chapter';

/** Waits for a prompt whose title or placeholder contains one of the texts; returns that text. */
const promptOf = (page: Page, prompts: readonly string[]): Promise<string> =>
  until(`the prompt "${prompts.join('" or "')}"`, () =>
    page.evaluate(
      ({ selector, texts }) => {
        const widget = [...document.querySelectorAll<HTMLElement>(selector)].find(element =>
          element.checkVisibility(),
        );
        const input = widget?.querySelector<HTMLInputElement>('.quick-input-box input');
        const title = widget?.querySelector('.quick-input-title')?.textContent ?? '';
        const shown = `${title}\n${input?.placeholder ?? ''}`;
        return texts.find(text => shown.includes(text));
      },
      { selector: '.quick-input-widget', texts: prompts },
    ),
  );

/** Filters a prompt by typing, moves to the row that contains `label`, and accepts it. */
async function choose(page: Page, prompt: string, filter: string, label = filter): Promise<void> {
  await promptOf(page, [prompt]);
  await page.locator(`${WIDGET} .quick-input-box input:focus`).waitFor();
  await page.keyboard.type(filter);
  const rows = page.locator(`${WIDGET} .quick-input-list .monaco-list-row`);
  await rows.filter({ hasText: label }).first().waitFor();
  const focus = async (): Promise<true | undefined> => {
    const focused = page.locator(`${WIDGET} .monaco-list-row.focused`).first();
    if ((await focused.innerText().catch(() => '')).includes(label)) return true;
    await page.keyboard.press('ArrowDown');
    return undefined;
  };
  await until(`the row "${label}" to be focused`, focus);
  await page.keyboard.press('Enter');
}

const appears = (locator: Locator): Promise<boolean> =>
  locator.waitFor(PATIENT).then(
    () => true,
    () => false,
  );

/** Runs a command of the palette. An open list does not update, so it is opened until it has it. */
export async function command(page: Page, title: string): Promise<void> {
  const row = page
    .locator(`${WIDGET} .quick-input-list .monaco-list-row.focused .label-name`)
    .filter({ hasText: title });
  await until(`the command "${title}"`, async () => {
    await dismiss(page);
    await page.keyboard.press('F1');
    const input = page.locator(`${WIDGET} .quick-input-box input:focus`);
    if (!(await appears(input))) return undefined;
    await page.keyboard.type(title);
    return (await appears(row)) ? true : undefined;
  });
  await page.keyboard.press('Enter');
}

const titleOf = (chapter: Chapter): string => `${numberOf(chapter)}. ${chapter.title}`;

/** Opens a chapter from the list. */
export async function openChapter(page: Page, chapter: Chapter): Promise<void> {
  await command(page, 'GEMM: Learn');
  // The steps of an open chapter are offered first.
  if ((await promptOf(page, ['GEMM: Learn', STEPS])) === STEPS)
    await choose(page, STEPS, 'All chapters');
  await choose(page, 'GEMM: Learn', chapter.title, titleOf(chapter));
  await waitForPreview(page, titleOf(chapter));
}

/** Answers the question of the open chapter with the option at `index`. */
export async function answer(page: Page, chapter: Chapter, index: number): Promise<void> {
  const { question, options, derivation } = chapter.prediction();
  const dialog = page.locator('.monaco-dialog-box');
  await command(page, 'GEMM: Learn');
  await choose(page, STEPS, 'Answer the question');
  await choose(page, askedSentence({ question }), '', options[index] ?? '');
  await dialog.waitFor();
  const text = await dialog.innerText();
  assert.ok(text.includes(options[index] ?? ''), text);
  for (const part of [question, derivation[0] ?? '']) assert.ok(text.includes(part), text);
  await dialog.locator('.monaco-button:focus').waitFor();
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await promptOf(page, [STEPS]);
}

/** Opens the file of a task from the open chapter. */
export async function openTask(page: Page, task: Task): Promise<string> {
  const [fileName = ''] = fileNamesOf(task);
  await command(page, 'GEMM: Learn');
  await choose(page, STEPS, task.title, fileName);
  const active = '.editor-group-container.active .tabs-container .tab.active';
  await page.locator(active).filter({ hasText: fileName }).waitFor();
  await page.locator('.editor-group-container.active .monaco-editor.focused').waitFor();
  return fileName;
}

/** Replaces the text of the active editor. */
export async function writeText(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(text);
}

/** Clears all notifications; a notification that closes later would take the focus. */
export async function clearNotifications(page: Page): Promise<void> {
  await command(page, 'Notifications: Clear All Notifications');
  await page.locator('.notification-toast').first().waitFor({ state: 'hidden' });
}

/** Solves a task of the open chapter and checks it. */
export async function solve(page: Page, task: Task): Promise<void> {
  const fileName = await openTask(page, task);
  await writeText(page, filledFile(task, fileName, task.solution));
  await command(page, 'GEMM: Check task');
  await waitForNotification(page, `Task passed: ${task.title}`);
  await page.keyboard.press('Control+S');
  await clearNotifications(page);
}

/** Takes a chapter: answers its question and solves its tasks. */
export async function takeChapter(page: Page, chapter: Chapter): Promise<void> {
  await openChapter(page, chapter);
  await answer(page, chapter, chapter.prediction().correct);
  for (const task of tasksOf(chapter)) await solve(page, task);
}

export const progressOf = async (workspace: string): Promise<Progress> =>
  JSON.parse(await readFile(join(workspace, '.gemm', 'course.json'), 'utf8')) as Progress;

export const courseFile = (workspace: string, name: string): string =>
  join(workspace, COURSE_FOLDER, name);
