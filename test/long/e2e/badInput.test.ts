/**
 * What is missing or wrong gets a clear message and a next step, in every theme; nothing is left
 * running.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openExplorer, setField } from '../../../scripts/demo/steps';
import {
  notifications,
  openFile,
  runCommand,
  waitForActiveEditor,
  waitForNotification,
} from '../../../scripts/vscodeHost';
import { eventually, openVscode } from '../../e2e/session';

const SPEC = {
  version: 1,
  problem: { m: 64, n: 64, k: 64 },
  schedule: {
    algorithm: 'thread-tile-2d',
    block: { m: 32, n: 32, k: 8 },
    thread: { m: 4, n: 4 },
  },
};
const text = (spec: object): string => JSON.stringify(spec, null, 2);

describe('bad input in VS Code', () => {
  const session = openVscode({
    webgpu: 'off',
    files: {
      'torn.gemm.json': '{\n  "version": 1,\n  "problem": { "m": 64, }\n',
      'unknown.gemm.json': text({ ...SPEC, shedule: {} }),
      'illegal.gemm.json': text({
        ...SPEC,
        schedule: { ...SPEC.schedule, block: { m: 63, n: 32, k: 8 } },
      }),
      // A file where the output folder and the run history should be, as for a folder that cannot
      // be written.
      gemm: 'not a folder\n',
      '.gemm': 'not a folder\n',
    },
  });

  it('shows broken specs in Problems', async () => {
    const { page, picture } = session();
    for (const name of ['torn', 'unknown', 'illegal']) await openFile(page, `${name}.gemm.json`);
    await runCommand(page, 'Problems: Focus on Problems View');
    const rows = page.locator('.markers-panel .monaco-list-row');
    const said = await eventually(
      async () => (await rows.allInnerTexts()).join('\n').replaceAll('\u00a0', ' '),
      all => ['torn', 'unknown', 'illegal'].every(name => all.includes(`${name}.gemm.json`)),
      'every broken spec has a problem',
    );
    assert.match(said, /shedule/);
    assert.match(said, /63 is not a multiple of 4/);
    await picture('problems');
    await runCommand(page, 'View: Toggle Panel Visibility');
  });

  it('refuses to generate from a broken spec and says why', async () => {
    const { page } = session();
    for (const [name, why] of [
      ['torn', /torn\.gemm\.json: .*JSON/],
      ['unknown', /shedule/],
      ['illegal', /schedule\.thread\.m: .*63 is not a multiple of 4/],
    ] as const) {
      await openFile(page, `${name}.gemm.json`);
      await runCommand(page, 'GEMM: Generate tiled GEMM');
      const said = await waitForNotification(page, name === 'illegal' ? 'spec is invalid' : name);
      assert.match(said, why);
      await runCommand(page, 'Notifications: Clear All Notifications');
    }
  });

  it('says where it cannot write, leaves nothing behind, and does it once it can', async () => {
    const { page, workspace, picture } = session();
    await openFile(page, 'first.gemm.json');
    await runCommand(page, 'GEMM: Generate tiled GEMM');
    const said = await waitForNotification(page, 'could not be written');
    assert.match(
      said,
      /its path contains a file instead of a folder\. Fix: choose a different folder\./,
    );
    await page.getByRole('button', { name: 'Change output folder' }).waitFor();
    assert.equal((await notifications(page)).length, 1, 'once');
    await picture('error');
    await runCommand(page, 'Notifications: Clear All Notifications');
    assert.ok(!(await readdir(workspace)).some(name => name.endsWith('.tmp')));
    await rm(join(workspace, 'gemm'));
    await mkdir(join(workspace, 'gemm'));
    await runCommand(page, 'GEMM: Generate tiled GEMM');
    await eventually(
      () => readdir(join(workspace, 'gemm')),
      names => names.length === 2 && names.every(name => /\.(cu|wgsl)$/.test(name)),
      'both kernels are written',
    );
    await waitForActiveEditor(page, /\.cu$/);
  });

  it('says that there is no adapter, why, and what to do', async () => {
    const { page, workspace, picture } = session();
    await openFile(page, 'first.gemm.json');
    const frame = await openExplorer(page);
    const ability = frame.locator('#ability');
    const said = await eventually(
      async () => (await ability.textContent()) ?? '',
      words => !words.startsWith('Requesting'),
      'the page knows its adapters',
    );
    assert.match(said, /no adapter|WebGPU is not available/i);
    assert.match(said, /Your browser may have an adapter[\s\S]*Open in browser/);
    assert.ok(await frame.getByRole('button', { name: 'Verify', exact: true }).isDisabled());
    await picture('no-adapter');
    await runCommand(page, 'View: Focus First Editor Group');
    await openFile(page, 'first.wgsl');
    await runCommand(page, 'GEMM: Run and verify');
    const told = await waitForNotification(page, 'Unavailable');
    assert.match(told, /--enable-unsafe-webgpu/);
    assert.match(said, /--enable-unsafe-webgpu/, 'the page says the same');
    await page.getByRole('button', { name: 'Open in browser' }).first().waitFor();
    assert.ok(!existsSync(join(workspace, '.gemm', 'runs')));
    await runCommand(page, 'Notifications: Clear All Notifications');
    await eventually(
      () => page.locator('.notification-toast').allInnerTexts(),
      texts => texts.length === 0,
      'nothing is left running',
    );
  });

  it('is readable in every theme and in a narrow group', async () => {
    const { page, workspace, picture } = session();
    const frame = await openExplorer(page);
    await mkdir(join(workspace, '.vscode'));
    for (const [name, theme, kind] of [
      ['light', 'Default Light Modern', 'vscode-light'],
      ['high-contrast', 'Default High Contrast', 'vscode-high-contrast'],
      ['high-contrast-light', 'Default High Contrast Light', 'vscode-high-contrast-light'],
    ] as const) {
      const settings = JSON.stringify({ 'workbench.colorTheme': theme });
      await writeFile(join(workspace, '.vscode', 'settings.json'), settings);
      await frame.locator(`body.${kind}`).waitFor();
      await setField(frame, 'schedule.block.m', 63);
      await frame.locator('#field-schedule-thread-m-why').waitFor();
      await picture(`${name}-illegal`);
      await setField(frame, 'schedule.block.m', 64);
      await frame.locator('#roofline').scrollIntoViewIfNeeded();
      await picture(name);
    }
    await rm(join(workspace, '.vscode'), { recursive: true });
    await page.setViewportSize({ width: 900, height: 900 });
    const wide = () =>
      frame.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
    await eventually(wide, beyond => beyond <= 0, 'nothing sticks out of a narrow group');
    await frame.locator('h1').scrollIntoViewIfNeeded();
    await picture('narrow');
  });

  it('violates no content security policy', () => {
    assert.deepEqual(session().violations, []);
  });
});
