/** What VS Code gives beside editors: Test Explorer, save dialogs, walkthrough; files that change, a second window. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { explorer } from '../../scripts/demo/steps';
import {
  dismiss,
  openFile,
  runCommand,
  waitForEditor,
  waitForNotification,
  waitForWorkbench,
} from '../../scripts/vscodeHost';
import { emit } from '../../src/core/emit/emit';
import { plan } from '../../src/core/plan/planner';
import { resolve } from '../../src/core/spec/resolve';
import { readRuns } from '../helpers/runs';
import { eventually, openVscode } from './session';

function kernel(target: 'cuda' | 'wgsl', algorithm: 'naive' | 'shared-tile'): string {
  const problem = { m: 64, n: 64, k: 32 };
  const planned = plan(resolve({ problem, schedule: { algorithm } }), target);
  assert.ok(planned.ok);
  return emit(planned.plan).source;
}

const right = kernel('wgsl', 'naive');
const wrong = right.replace(/acc = fma\(|acc \+= /, found => `acc += 1.0; ${found}`);

describe('the workbench around kernels', () => {
  const session = openVscode({
    ...{ width: 1600, height: 1000 },
    files: {
      'right.wgsl': right,
      'wrong.wgsl': wrong,
      'wrong.cu': kernel('cuda', 'naive').replace('acc +=', 'acc -='),
      'edit.wgsl': wrong,
      'disk.cu': kernel('cuda', 'naive'),
    },
  });
  const inFolder = (name: string): string => join(session().workspace, name);
  const runs = async () => (await readRuns(session().workspace)).measurements;
  const clear = (): Promise<void> =>
    runCommand(session().page, 'Notifications: Clear All Notifications');

  it('lists a test a kernel, and verifies one', async () => {
    const { page, picture } = session();
    assert.notEqual(wrong, right);
    await runCommand(page, 'Testing: Focus on Test Explorer View');
    const tree = page.locator('.test-explorer .monaco-list-row');
    const seen = await eventually(
      () => tree.allInnerTexts(),
      texts =>
        ['right.wgsl', 'wrong.cu', 'first.gemm.json'].every(name => texts.join().includes(name)),
      'the tests',
    );
    assert.ok(seen.length >= 6, seen.join());
    await openFile(page, 'right.wgsl');
    await runCommand(page, 'Test: Run Tests in Current File');
    await eventually(runs, found => found.length === 1, 'the kernel is verified');
    await picture('test-explorer');
    assert.deepEqual(
      (await runs()).map(({ outcome, backend }) => [outcome, backend]),
      [['correct', 'webgpu']],
    );
  });

  for (const [name, where] of [
    ['wrong.wgsl', 'WebGPU'],
    ['wrong.cu', 'CPU'],
  ] as const) {
    it(`fails ${name} and says on what`, async () => {
      const { page, picture } = session();
      await runCommand(page, 'View: Focus First Editor Group');
      await openFile(page, name);
      await runCommand(page, 'Test: Run Tests in Current File');
      const said = `wrong result (${where}) @ ${name}`;
      await page.locator('.monaco-list-row').filter({ hasText: said }).first().waitFor();
      await picture(`test-failed-${name.replace('.', '-')}`);
      await page.keyboard.press('Escape');
    });
  }

  it('runs the edited text again, and not another one in its place', async () => {
    const { page, picture } = session();
    await runCommand(page, 'View: Focus First Editor Group');
    await openFile(page, 'edit.wgsl');
    await runCommand(page, 'GEMM: Run and verify');
    await waitForNotification(page, 'Incorrect.');
    await clear();
    const before = await runs();
    const edited = before.at(-1);
    await runCommand(page, 'View: Show GEMM');
    const rows = page
      .locator('.pane-body .monaco-list-row')
      .filter({ has: page.locator('.custom-view-tree-node-item'), hasText: 'wrong result' });
    await rows.first().click();
    await rows.first().press('Control+Enter');
    await eventually(runs, found => found.length === before.length + 1, 'it ran again');
    await clear();
    const again = (await runs()).at(-1);
    assert.equal(again?.sourceHash, edited?.sourceHash);
    assert.equal(again?.kernelKey, edited?.kernelKey);
    assert.notEqual(again?.kernelKey, before[0]?.kernelKey);
    await picture('rerun');
  });

  it('follows a spec on disk that no editor holds', async () => {
    const { page } = session();
    await runCommand(page, 'View: Close All Editors');
    await openFile(page, 'first.gemm.json');
    await runCommand(page, 'GEMM: Open explorer');
    const frame = await explorer(page);
    await runCommand(page, 'View: Focus First Editor Group');
    await runCommand(page, 'View: Close Editor');
    const text = readFileSync(inFolder('first.gemm.json'), 'utf8');
    writeFileSync(inFolder('first.gemm.json'), text.replace('"m": 64', '"m": 32'));
    const field = frame.locator('#field-schedule-block-m');
    await eventually(
      () => field.inputValue(),
      value => value === '32',
      'the file on disk',
    );
  });

  it('follows a kernel on disk while the reader is in the explorer', async () => {
    const { page, picture } = session();
    await runCommand(page, 'View: Close All Editors');
    await openFile(page, 'disk.cu');
    await runCommand(page, 'GEMM: Show roofline');
    await waitForEditor(page, 'Explorer: disk.cu');
    const frame = await explorer(page);
    const title = (): Promise<string> => frame.locator('h1').innerText();
    await eventually(title, text => text.includes('naive'), 'the kernel');
    await frame.locator('h1').click();
    writeFileSync(inFolder('disk.cu'), kernel('cuda', 'shared-tile'));
    await eventually(title, text => text.includes('shared-tile'), 'the other text');
    await picture('changed-on-disk');
  });

  it('saves the roofline where its reader says, asks before it replaces, and else writes nothing', async () => {
    const { page, picture, workspace } = session();
    const frame = await explorer(page);
    const saved = () => readdirSync(workspace).filter(name => name.endsWith('.svg'));
    const dialog = page.locator('.quick-input-widget:visible');
    const save = async (): Promise<void> => {
      await frame.getByRole('button', { name: 'Save SVG' }).click();
      await dialog.locator('.quick-input-title').getByText('Save the roofline').waitFor();
    };
    const ok = dialog.getByRole('button', { name: 'OK' });
    await save();
    await picture('save-roofline');
    await dismiss(page);
    assert.deepEqual(saved(), []);
    await save();
    await ok.click();
    await waitForNotification(page, 'Saved ');
    await clear();
    const [name = ''] = saved();
    assert.match(readFileSync(inFolder(name), 'utf8'), /^<svg /);
    writeFileSync(inFolder(name), 'mine');
    await save();
    await ok.click();
    await dialog.getByText('already exists').waitFor();
    await picture('save-roofline-asks');
    await dismiss(page);
    assert.equal(readFileSync(inFolder(name), 'utf8'), 'mine');
  });

  it('ticks off each step of the walkthrough when its command ran', async () => {
    const { page, picture } = session();
    // VS Code listens for a walkthrough's commands once one was opened.
    await runCommand(page, 'GEMM: Open walkthrough');
    await page.getByText('Verify it, without a GPU too').first().waitFor();
    await openFile(page, 'right.wgsl');
    for (const command of ['Open explorer', 'Show roofline', 'Run and verify'])
      await runCommand(page, `GEMM: ${command}`);
    await openFile(page, 'first.gemm.json');
    await runCommand(page, 'GEMM: Generate tiled GEMM');
    await waitForEditor(page, '.cu');
    await runCommand(page, 'GEMM: Open walkthrough');
    await page.getByText('Verify it, without a GPU too').first().waitFor();
    await picture('walkthrough-done');
    const done = page.locator(
      '.getting-started-step .codicon-getting-started-step-checked:visible',
    );
    await eventually(
      () => done.count(),
      count => count === 4,
      'four steps done',
    );
  });

  it('keeps the runs of two windows on one folder, and shows them in both', async () => {
    const { page, picture } = session();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await waitForWorkbench(other, 'trusted');
    const before = (await runs()).length;
    const windows: readonly Page[] = [page, other];
    for (const window of windows) {
      await openFile(window, 'right.wgsl');
      await runCommand(window, 'Test: Run Tests in Current File');
    }
    const found = await eventually(runs, all => all.length === before + 2, 'both runs');
    assert.ok(found.length > 2);
    assert.equal((await readRuns(session().workspace)).skippedLines, 0);
    for (const window of windows) {
      await runCommand(window, 'View: Show GEMM');
      await eventually(
        () => window.locator('.pane-body').allInnerTexts(),
        texts => texts.join().includes('correct'),
        'the runs',
      );
    }
    await picture('two-windows');
    await other.close();
    assert.ok(existsSync(inFolder('.gemm')));
  });
});
