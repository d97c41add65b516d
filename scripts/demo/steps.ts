/**
 * Performs the main workflow of a user, with one function per step. The end-to-end tests use the
 * same functions.
 */
import type { Frame, Locator, Page } from 'playwright-core';
import { until } from '../host/until';
import {
  pick,
  runCommand,
  waitForActiveEditor,
  waitForNotification,
  webviewFrame,
} from '../vscodeHost';

const RUN_TIMEOUT_MS = 90_000;

export interface Asked {
  /** Sizes as the user types them, for example `256 x 256 x 256`. */
  readonly sizes: string;
  readonly dtype: 'f32' | 's32';
  readonly algorithm: string;
  readonly language: 'CUDA and WGSL' | 'CUDA' | 'WGSL';
}

export async function ask(page: Page, asked: Asked): Promise<void> {
  await runCommand(page, 'GEMM: Generate tiled GEMM');
  for (const answer of [asked.sizes, asked.dtype, asked.algorithm, asked.language]) {
    await pick(page, answer);
  }
}

/** Generates the files from the palette; returns when the last file is in the active editor. */
export async function generate(page: Page, asked: Asked): Promise<void> {
  await ask(page, asked);
  const ending = asked.language === 'WGSL' ? 'wgsl' : 'cu';
  const last = new RegExp(`^${asked.algorithm}-.*\\.${ending}`);
  await waitForActiveEditor(page, last);
}

export async function openExplorer(page: Page): Promise<Frame> {
  await runCommand(page, 'GEMM: Open explorer');
  return explorer(page);
}

export async function explorer(page: Page): Promise<Frame> {
  const frame = await webviewFrame(page, '#occupancy');
  await frame.locator('#occupancy h2').waitFor();
  return frame;
}

/**
 * Types a number into a field of the form, e.g. `schedule.block.m`; shows the form if it is hidden.
 */
export async function setField(frame: Frame, path: string, value: number): Promise<void> {
  const toggle = frame.getByRole('button', { name: 'Parameters', exact: true });
  if (await toggle.isVisible()) await toggle.click();
  await frame.locator(`#field-${path.replaceAll('.', '-')}`).fill(String(value));
}

/** Reads the sections after those outside of the viewport, which follow when the page is idle. */
export async function shown(frame: Frame): Promise<Shown> {
  await frame.evaluate(idle);
  const text = (selector: string) => frame.locator(selector).first().innerText();
  return {
    code: await text('pre code'),
    occupancy: await text('#occupancy'),
    roofline: await text('#roofline'),
  };
}

/** Waits in the page for a frame, and until idle callbacks and their rendering have ended. */
async function idle(): Promise<void> {
  const frame = (): Promise<unknown> => new Promise(requestAnimationFrame);
  const turn = (): Promise<unknown> => new Promise(resolve => requestIdleCallback(resolve));
  for (const wait of [frame, frame, turn, turn, frame]) await wait();
}

export interface Shown {
  readonly code: string;
  readonly occupancy: string;
  readonly roofline: string;
}

export async function runInWebview(frame: Frame, action: RunAction): Promise<string> {
  await startRun(frame, action);
  await runEnded(frame);
  return frame.locator('#results').innerText();
}

export type RunAction = 'Verify' | 'Benchmark';

/** Starts a run and returns the button that cancels it. The run may have ended by then. */
export async function startRun(frame: Frame, action: RunAction): Promise<Locator> {
  await noteProgress(frame);
  await frame.getByRole('button', { name: action, exact: true }).click();
  await until(`the run to begin: ${action}`, () => progressNoted(frame));
  return cancelButton(frame);
}

const MARK = 'data-run-seen';

/** Makes the page record that a run started, because the run may end before the next poll. */
const noteProgress = (frame: Frame): Promise<void> =>
  frame.evaluate(mark => {
    const progress = document.querySelector('.run-bar .progress');
    if (progress === null) throw new Error('The page has no run bar.');
    document.body.removeAttribute(mark);
    const observer = new MutationObserver(() => {
      if (progress.childElementCount === 0) return;
      document.body.setAttribute(mark, '');
      observer.disconnect();
    });
    observer.observe(progress, { childList: true });
  }, MARK);

const progressNoted = async (frame: Frame): Promise<true | undefined> =>
  (await frame.locator(`body[${MARK}]`).count()) > 0 ? true : undefined;

export const runEnded = (frame: Frame): Promise<void> =>
  cancelButton(frame).waitFor({ state: 'detached', timeout: RUN_TIMEOUT_MS });

const cancelButton = (frame: Frame): Locator =>
  frame.locator('.run-bar .progress').getByRole('button', { name: 'Cancel' });

export async function exportReport(page: Page): Promise<void> {
  await runCommand(page, 'GEMM: Export report');
  await waitForNotification(page, 'report.json');
}
