/**
 * Goes by keyboard from *Generate tiled GEMM* to a benchmark result on a machine without CUDA, and
 * counts the keys.
 */
import type { Page } from 'playwright-core';
import { pickLabels, runCommand, waitForActiveEditor, waitForNotification } from '../vscodeHost';
import { until } from '../host/until';

export interface FirstPoint {
  /** Keys pressed after *Generate tiled GEMM* was chosen in the palette. */
  readonly keys: readonly string[];
  /** Time from that choice to the result of the benchmark. */
  readonly seconds: number;
  readonly result: string;
}

const QUESTIONS = 4;
const BENCHMARK = 'GEMM: Benchmark';
const TYPED = 'bench';
/** Timeout of the benchmark, whose software adapter shares busy cores with the editor. */
const RUN_MS = 240_000;

/** Accepts the first answer of every question, then benchmarks the kernel in the active editor. */
export async function walkToFirstPoint(page: Page): Promise<FirstPoint> {
  const keys: string[] = [];
  const press = async (key: string): Promise<void> => {
    keys.push(key);
    await page.keyboard.press(key);
  };
  await runCommand(page, 'GEMM: Generate tiled GEMM');
  const start = performance.now();
  for (let step = 1; step <= QUESTIONS; step++) {
    await waitForTitle(page, `(${step}/${QUESTIONS})`);
    await press('Enter');
  }
  // The CUDA file opens last; the command acts on the active editor.
  await waitForActiveEditor(page, /\.cu$/);
  await press('F1');
  await pickLabels(page);
  for (const key of TYPED) await press(key);
  await until(`${BENCHMARK} as the first command`, async () =>
    (await pickLabels(page))[0] === BENCHMARK ? true : undefined,
  );
  await press('Enter');
  await waitForTitle(page, 'CUDA is not available');
  await press('Enter');
  const result = await waitForNotification(page, 'Correct, ', undefined, RUN_MS);
  return { keys, seconds: (performance.now() - start) / 1000, result };
}

async function waitForTitle(page: Page, text: string): Promise<void> {
  const title = page.locator('.quick-input-widget:visible .quick-input-title');
  await title.filter({ hasText: text }).waitFor();
  await pickLabels(page);
}
