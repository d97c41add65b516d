/**
 * Restricted Mode: everything that only looks works; nothing is spawned or written until there is
 * trust.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Frame } from 'playwright-core';
import { ask, openExplorer, runInWebview, setField, shown } from '../../../scripts/demo/steps';
import {
  editorTitles,
  grantTrust,
  openFile,
  pickLabels,
  runCommand,
  waitForActiveEditor,
  waitForLens,
  waitForNotification,
} from '../../../scripts/vscodeHost';
import { contents, eventually, openVscode } from '../../e2e/session';

const PROGRAMS = ['nvcc', 'nvidia-smi', 'ncu'] as const;
const ASKED = {
  sizes: '64 x 64 x 32',
  dtype: 'f32',
  algorithm: 'shared-tile',
  language: 'CUDA and WGSL',
} as const;

/** Programs found first on PATH that only leave a mark. */
async function fakePrograms(folder: string): Promise<Readonly<Record<string, string>>> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  for (const name of PROGRAMS) {
    const script = `#!/bin/sh\necho "${name} $*" >> '${join(folder, 'spawned')}'\nexit 1\n`;
    await writeFile(join(bin, name), script, { mode: 0o755 });
  }
  return { PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`, CUDA_PATH: '', CUDA_HOME: '' };
}

describe('Restricted Mode', () => {
  const session = openVscode({
    trust: 'restricted',
    width: 1600,
    height: 1000,
    prepare: fakePrograms,
  });
  const spawned = (): string => {
    const file = join(session().elsewhere, 'spawned');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };
  let untouched: Readonly<Record<string, string>>;
  let frame: Frame;

  it('generates previews in untitled documents', async () => {
    const { page, workspace, picture } = session();
    untouched = await contents(workspace);
    await ask(page, ASKED);
    const said = await waitForNotification(page, 'Previews only');
    assert.match(said, /Restricted Mode/);
    await waitForLens(page, 'Verify');
    await picture('restricted-preview');
    await eventually(
      () => editorTitles(page),
      titles => titles.length === 3,
      'a preview each of spec, CUDA and WGSL',
    );
    await runCommand(page, 'Notifications: Clear All Notifications');
    await openFile(page, 'first.gemm.json');
  });

  it('configures and analyses, and the run buttons say what they need', async () => {
    const { page, picture } = session();
    frame = await openExplorer(page);
    const before = await shown(frame);
    await setField(frame, 'schedule.block.m', 32);
    await eventually(
      () => shown(frame),
      after => after.code !== before.code && after.occupancy !== before.occupancy,
      'the tile reaches code and occupancy',
    );
    for (const name of ['Verify', 'Benchmark', 'Generate files', 'Export report']) {
      const button = frame.getByRole('button', { name, exact: true });
      assert.ok(await button.isDisabled(), `${name} is off`);
    }
    assert.match(
      await frame.locator('#ability').innerText(),
      /not trusted.*Fix: trust the workspace/s,
    );
    await frame.getByRole('button', { name: 'Manage trust', exact: true }).waitFor();
    await picture('restricted');
  });

  it('simulates in a worker of the page, which needs no trust', async () => {
    const choose = (backend: string) =>
      frame.locator('#backend').evaluate((list, value) => {
        Object.assign(list, { value });
        list.dispatchEvent(new Event('change'));
      }, backend);
    await choose('simulate');
    await frame.getByText('Runs on this page (interpreter).').waitFor();
    await frame.getByRole('button', { name: 'Verify', exact: true }).click();
    await frame.locator('#results').getByText('Correct').waitFor();
    await choose('webgpu');
    await frame.getByText('This workspace is not trusted').waitFor();
  });

  for (const [command, what] of [
    ['Run and verify', 'Running a kernel'],
    ['Benchmark', 'Benchmarking a kernel'],
    ['Check toolchain', 'Checking the toolchain'],
    ['Export report', 'Exporting a report'],
  ] as const) {
    it(`refuses ${command} from the palette`, async () => {
      const { page } = session();
      await runCommand(page, `GEMM: ${command}`);
      const said = await waitForNotification(page, `${what} requires a trusted workspace`);
      assert.match(said, /does not run kernels or write files/);
      await page.getByRole('button', { name: 'Manage Workspace Trust' }).first().waitFor();
      await runCommand(page, 'Notifications: Clear All Notifications');
    });
  }

  it('has spawned nothing and written nothing', async () => {
    assert.equal(spawned(), '');
    assert.deepEqual(await contents(session().workspace), untouched);
  });

  it('says that the spec file does not follow, and writes it when asked once there is trust', async () => {
    const { page, picture } = session();
    await frame.getByText('Restricted Mode: changes are not written').waitFor();
    await frame.getByRole('button', { name: 'Manage trust', exact: true }).click();
    await grantTrust(page);
    await frame.getByText('differs from the configuration').waitFor();
    await picture('unwritten');
    await frame.getByRole('button', { name: 'Write to file', exact: true }).click();
    await frame.locator('.unwritten').waitFor({ state: 'detached' });
    const editor = page.locator('.monaco-editor .view-lines').first();
    await eventually(
      () => editor.innerText(),
      text => /"m":\s*32\b/.test(text),
      'the tile reaches the file',
    );
  });

  it('does all of it once the workspace is trusted', async () => {
    const { page, workspace, picture } = session();
    frame = await openExplorer(page);
    assert.match(await runInWebview(frame, 'Verify'), /Correct/);
    await runCommand(page, 'Notifications: Clear All Notifications');
    await runCommand(page, 'View: Focus First Editor Group');
    await runCommand(page, 'GEMM: Generate tiled GEMM');
    await waitForActiveEditor(page, /\.cu$/);
    const now = Object.keys(await contents(workspace));
    for (const ending of ['.cu', '.wgsl', '.jsonl']) {
      assert.ok(
        now.some(name => name.endsWith(ending)),
        `${ending} among ${now.join(', ')}`,
      );
    }
    await runCommand(page, 'GEMM: Check toolchain');
    const labels = await pickLabels(page);
    for (const name of PROGRAMS) assert.match(spawned(), new RegExp(`^${name} `, 'm'));
    assert.ok(labels.some(label => label.includes('nvcc')));
    await picture('tool-chain');
    await page.keyboard.press('Escape');
    await waitForLens(page, 'Verify');
  });

  it('violates no content security policy', () => {
    assert.deepEqual(session().violations, []);
  });
});
