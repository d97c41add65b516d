/** The Runs view, the status bar and the Test Explorer as a user has them, without a GPU. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import {
  answerDialog,
  openFile,
  pick,
  runCommand,
  typeInto,
  waitForEditor,
  waitForNotification,
  webviewFrame,
} from '../../../scripts/vscodeHost';
import { emit } from '../../../src/core/kernel/emit';
import { sourceHashOf } from '../../../src/core/text/hash';
import type { Measurement } from '../../../src/core/measure/measurement';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import { specKey } from '../../../src/core/plan/specKey';
import { eventually, openVscode } from '../../e2e/session';

/** A run of a kernel of 64 x 64 x 64 on an H200, at that rate. */
function run(block: number, gflops: number, rest: Partial<Measurement> = {}): string {
  const resolved = resolve({
    problem: { m: 64, n: 64, k: 64 },
    schedule: { algorithm: 'shared-tile', block: { m: block, n: block, k: block } },
  });
  const planned = plan(resolved, 'cuda');
  assert.ok(planned.ok);
  const kernel = emit(planned.plan);
  const medianMs = (2 * 64 ** 3) / (gflops * 1e6);
  const measurement: Measurement = {
    specKey: specKey(resolved),
    kernelKey: 'k',
    sourceHash: sourceHashOf(kernel),
    resolved,
    backend: 'cuda',
    outcome: 'correct',
    at: `2026-03-0${block % 9}T10:00:00.000Z`,
    device: {
      name: 'NVIDIA H200',
      adapter: 'compute capability 9.0',
      driver: '570.1',
      where: 'extension host, ssh-remote',
    },
    verification: { reference: 'f64', maxError: 1e-6, bound: 1e-5, mismatches: 0, samples: 4096 },
    timing: {
      timer: 'cuda-events',
      quantumNs: 500,
      warmUp: 3,
      samples: 20,
      batch: 10,
      medianMs,
      iqrMs: medianMs / 100,
      minMs: medianMs,
      gflops,
      errorPercent: 0.4,
      cache: 'warm',
      inputs: 'uniform [-1, 1)',
    },
    ...rest,
  };
  if (rest.outcome !== undefined) delete measurement.timing;
  return JSON.stringify(measurement);
}

/** A problem that SwiftShader and simulate go through every rung of in seconds. */
const TINY = JSON.stringify({
  problem: { m: 64, n: 64, k: 16 },
  schedule: { algorithm: 'naive', block: { m: 16, n: 16 } },
});

const rows = (page: Page): Locator =>
  page
    .locator('.pane-body .monaco-list-row')
    .filter({ has: page.locator('.custom-view-tree-node-item') });
const texts = (page: Page): Promise<readonly string[]> => rows(page).allInnerTexts();
const runRow = (page: Page, text: string): Locator => rows(page).filter({ hasText: text }).first();

describe('the Runs view', () => {
  const session = openVscode({ width: 1500, height: 950, files: { 'tiny.gemm.json': TINY } });
  const file = (): string => join(session().workspace, '.gemm', 'runs', 'tiles.jsonl');

  it('says what to do while there is no run', async () => {
    const { page, picture } = session();
    await runCommand(page, 'View: Show GEMM');
    await page.locator('.welcome-view-content').getByText('No kernel has been run').waitFor();
    await picture('runs-empty');
  });

  it('follows what another window writes, grouped, with outcome in words and shape', async () => {
    const { page, picture } = session();
    mkdirSync(join(file(), '..'), { recursive: true });
    const wrong = run(4, 1, { outcome: 'incorrect', message: 'C(0, 0) is 1, not 2' });
    writeFileSync(file(), `${run(8, 900)}\n${run(16, 1800)}\nsomebody's own line\n${wrong}\n`);
    const seen = await eventually(
      () => texts(page),
      found => found.some(text => text.includes('1.8 TFLOP/s')),
      'the runs are shown',
    );
    const all = seen.join('\n');
    assert.match(all, /64 x 64 x 64 f32/);
    assert.match(all, /wrong result/);
    assert.match(all, /900 GFLOP\/s\s+shared-tile-2d/);
    assert.match(all, /% of roof/);
    assert.match(all, /1 unreadable line or file/);
    await picture('runs');
  });

  it('filters as words are typed', async () => {
    const { page } = session();
    await runCommand(page, 'GEMM: Filter runs');
    await typeInto(page, 'Filter runs by kernel', '16x16x16');
    const seen = await eventually(
      () => texts(page),
      found => !found.some(text => text.includes('900 GFLOP/s')),
      'the others are gone',
    );
    assert.ok(seen.some(text => text.includes('1.8 TFLOP/s')));
    await runCommand(page, 'GEMM: Clear run filter');
    await runRow(page, '900 GFLOP/s').waitFor();
  });

  it('shows the kernel of a run with one click, and keeps the focus in the view', async () => {
    const { page, picture } = session();
    await runRow(page, '900 GFLOP/s').click();
    await page.locator('.tab').filter({ hasText: 'Explorer: shared-tile-2d-64' }).waitFor();
    await page.locator('.pane-body .monaco-list:focus-within').waitFor();
    await picture('runs-opened');
    await runCommand(page, 'View: Close All Editors');
  });

  it('compares two runs in one document: rates, what differs, and the changed lines', async () => {
    const { page, picture } = session();
    await runRow(page, '900 GFLOP/s').click();
    await runRow(page, '1.8 TFLOP/s').click({ modifiers: ['ControlOrMeta'] });
    await runCommand(page, 'GEMM: Compare runs');
    await page.locator('.tab').filter({ hasText: 'Compared runs' }).first().waitFor();
    const preview = await webviewFrame(page, 'h2');
    const said = await preview.locator('body').innerText();
    assert.match(said, / is 2x .*as fast as /);
    await preview.locator('img[alt="Rates of the compared runs"]').waitFor();
    assert.equal(await page.locator('.monaco-diff-editor').count(), 0);
    assert.ok(said.indexOf('block.m') < said.indexOf('Same in all runs'), said);
    await picture('runs-compared');
  });

  it('deletes with the Delete key exactly what was chosen, and takes it back', async () => {
    const { page, picture } = session();
    const before = readFileSync(file(), 'utf8');
    await runRow(page, 'wrong result').click();
    await runRow(page, 'wrong result').press('Delete');
    await page.locator('.monaco-dialog-box').waitFor();
    await picture('runs-delete');
    const said = await answerDialog(page, 'Delete');
    assert.match(said, /No existing line is changed or removed/);
    const text = await eventually(
      () => Promise.resolve(readFileSync(file(), 'utf8')),
      found => found !== before,
      'the deletion is appended',
    );
    assert.match(text.slice(before.length), /^\{"deleted":"line-[0-9a-f]{32}"\}\n$/);
    assert.ok(text.startsWith(before));
    await runRow(page, 'wrong result').waitFor({ state: 'detached' });
    await waitForNotification(page, '1 run deleted', 'Undo');
    await runRow(page, 'wrong result').waitFor();
    const restored = readFileSync(file(), 'utf8');
    assert.ok(restored.startsWith(text));
    assert.match(restored.slice(text.length), /^\{"id":"[0-9a-f-]{36}",.*"incorrect".*\}\n$/);
  });

  it('shows the status bar for a kernel, and not otherwise', async () => {
    const { page, picture } = session();
    await runCommand(page, 'View: Close All Editors');
    const item = page.locator('.statusbar-item').filter({ hasText: 'GEMM:' });
    await item.waitFor({ state: 'detached' });
    await runCommand(page, 'GEMM: Open walkthrough');
    await page.getByText('Verify without a GPU').first().waitFor();
    await picture('walkthrough');
  });

  it('prints a layout as a table, and says where an expression is wrong', async () => {
    const { page, picture } = session();
    await runCommand(page, 'GEMM: Print layout');
    await page.locator('.quick-input-widget:visible input').fill('(4,2):(2,');
    await page.locator('.quick-input-message').getByText('Column').waitFor();
    await picture('layout-wrong');
    await typeInto(page, 'GEMM: print layout', '(4,2):(2,1)');
    const preview = await webviewFrame(page, 'pre');
    const said = await preview.locator('body').innerText();
    assert.match(said, /size 8, cosize 8, rank 2, depth 1: each offset once, without gaps/);
    assert.match(said, /3 \|\s+6 \|\s+7 \|/);
    await picture('layout');
    await runCommand(page, 'View: Close All Editors');
  });

  it('runs every rung of the ladder on no GPU, and shows what each changes', async () => {
    const { page, picture } = session();
    await openFile(page, 'tiny.gemm.json');
    await runCommand(page, 'GEMM: Run ladder');
    await pick(page, 'Simulate');
    await waitForEditor(page, 'Ladder of 64 x 64 x 16, f32, on simulate');
    const preview = await webviewFrame(page, '.markdown-body table');
    const said = await preview.locator('body').innerText();
    const [, rungs, legal, correct] =
      /(\d+) of (\d+) rungs are legal for this problem; (\d+) have correct results/.exec(said) ??
      [];
    assert.ok(Number(rungs) >= 16 && legal === rungs && correct === rungs, said);
    assert.equal(await preview.locator('tbody tr').count(), Number(rungs));
    assert.match(said, /[\d.]+x fewer sectors loaded from global memory/);
    await picture('ladder');
    await runCommand(page, 'View: Close All Editors');
  });

  it('stops the ladder when it is cancelled, and shows the rungs that ran', async () => {
    const { page, picture } = session();
    await openFile(page, 'tiny.gemm.json');
    await runCommand(page, 'GEMM: Run ladder');
    await pick(page, 'WebGPU');
    await waitForNotification(page, ' of 17: vectorized');
    await picture('ladder-running');
    const toast = page.locator('.notification-toast').filter({ hasText: 'Running the ladder' });
    await toast.getByRole('button', { name: 'Cancel', exact: true }).click();
    await waitForEditor(page, 'Ladder of 64 x 64 x 16, f32, on webgpu');
    const preview = await webviewFrame(page, '.markdown-body table');
    await preview.locator('img[src^="data:image/svg+xml"]').waitFor();
    const rows = await preview.locator('tbody tr').allInnerTexts();
    assert.match(rows[0] ?? '', /Block tile reduced to 16 x 16.*1,024 threads per block > 256/s);
    assert.match(rows[5] ?? '', /correct\s+[\d.e-]+/);
    assert.match(rows[16] ?? '', /not run/);
    await picture('ladder-cancelled');
  });
});
