/**
 * What VS Code gives beside editors: Test Explorer, save dialogs; files that change on disk, a
 * second window.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { explorer } from '../../../scripts/demo/steps';
import {
  dismiss,
  openFile,
  runCommand,
  waitForEditor,
  waitForLens,
  waitForNotification,
  waitForWorkbench,
} from '../../../scripts/vscodeHost';
import { emit } from '../../../src/core/kernel/emit';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import { readRuns } from '../../helpers/runs';
import { eventually, openVscode } from '../../e2e/session';

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
    width: 1600,
    height: 1000,
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
    const failed = page.locator('.pane-body .monaco-list-row', { hasText: 'Failed' });
    await failed.first().click();
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
    const title = async (): Promise<string> => (await frame.locator('h1').textContent()) ?? '';
    await eventually(title, text => text.includes('naive'), 'the kernel');
    await frame.locator('.title').click();
    writeFileSync(inFolder('disk.cu'), kernel('cuda', 'shared-tile'));
    await eventually(title, text => text.includes('shared-tile'), 'the other text');
    await picture('changed-on-disk');
  });

  it('saves the roofline where its reader says, asks before it replaces, and else writes nothing', async () => {
    const { page, picture, workspace } = session();
    const frame = await explorer(page);
    const saved = () =>
      readdirSync(workspace).filter(name => /^roofline-.*\.(svg|png|csv)$/.test(name));
    const dialog = page.locator('.quick-input-widget:visible');
    const ok = dialog.getByRole('button', { name: 'OK' });
    await frame.locator('#roofline summary', { hasText: 'Save picture' }).click();
    const save = async (format: string): Promise<void> => {
      await frame.getByRole('button', { name: `Save ${format}` }).click();
      await dialog.locator('.quick-input-title').getByText('Save chart').waitFor();
    };
    await save('SVG');
    await picture('save-roofline');
    await dismiss(page);
    assert.deepEqual(saved(), []);
    for (const [format, begins] of [
      ['SVG', '<svg xmlns="http://www.w3.org/2000/svg" '],
      ['PNG', '\x89PNG\r\n'],
      ['CSV', 'kind,name,intensity,'],
    ] as const) {
      await save(format);
      await ok.click();
      await waitForNotification(page, `.${format.toLowerCase()}`);
      await clear();
      const name = saved().find(found => found.endsWith(format.toLowerCase())) ?? '';
      const text = readFileSync(inFolder(name), 'latin1');
      assert.ok(text.startsWith(begins), `${name}: ${text.slice(0, 40)}`);
    }
    assert.equal(saved().length, 3);
    const name = saved().find(found => found.endsWith('.svg')) ?? '';
    writeFileSync(inFolder(name), 'mine');
    await save('SVG');
    await ok.click();
    await dialog.getByText('already exists').waitFor();
    await picture('save-roofline-asks');
    await dismiss(page);
    assert.equal(readFileSync(inFolder(name), 'utf8'), 'mine');
  });

  it('keeps the runs of two windows on one folder, and shows them in both', async () => {
    const { page, picture } = session();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await waitForWorkbench(other, 'trusted');
    const before = (await runs()).length;
    for (const window of [other, page]) {
      await openFile(window, 'right.wgsl');
      await waitForLens(window, 'Verify');
      await runCommand(window, 'GEMM: Run and verify');
    }
    await eventually(runs, all => all.length === before + 2, 'both runs');
    assert.equal((await readRuns(session().workspace)).skippedLines, 0);
    for (const window of [other, page]) {
      await runCommand(window, 'View: Show GEMM');
      await eventually(
        () => window.locator('.pane-body').allInnerTexts(),
        texts => texts.join().includes(`${before + 2} runs`),
        'the runs of both windows',
      );
    }
    await picture('two-windows');
    await other.close();
  });
});
