/**
 * Kernels in editors: CodeLens over them, the roofline beside them, and edits that are never lost.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame } from 'playwright-core';
import { explorer, generate } from '../../../scripts/demo/steps';
import {
  answerDialog,
  codeLenses,
  openFile,
  pressLens,
  runCommand,
  waitForActiveEditor,
  waitForEditor,
  waitForLens,
  waitForNotification,
} from '../../../scripts/vscodeHost';
import { readRuns } from '../../helpers/runs';
import { eventually, openVscode } from '../../e2e/session';

const SIZES = { sizes: '64 x 64 x 32', dtype: 'f32' } as const;

describe('kernels in VS Code', () => {
  const session = openVscode({ width: 1600, height: 1000 });
  const inFolder = (name: string): string => join(session().workspace, 'gemm', name);
  /** The generated file with this ending, of this algorithm. */
  const fileOf = (algorithm: string, ending: string): string => {
    const names = readdirSync(join(session().workspace, 'gemm'));
    const found = names.find(name => name.startsWith(`${algorithm}-`) && name.endsWith(ending));
    assert.ok(found, `${algorithm} ${ending} among ${names.join(', ')}`);
    return found;
  };
  const lens = (text: string): Promise<void> => pressLens(session().page, text);
  const title = (frame: Frame): Promise<string> => frame.locator('h1').innerText();

  it('shows Benchmark, Verify, occupancy and roof above CUDA and WGSL kernels', async () => {
    const { page, picture } = session();
    await generate(page, { ...SIZES, algorithm: 'naive', language: 'CUDA and WGSL' });
    const expected = [/^Benchmark$/, /^Verify$/, /^occupancy \d+ % \(.+\)$/, /^not measured$/];
    for (const ending of ['.cu', '.wgsl']) {
      await openFile(page, fileOf('naive', ending));
      await eventually(
        () => codeLenses(page),
        lenses =>
          lenses.length === expected.length &&
          expected.every((pattern, index) => pattern.test(lenses[index] ?? '')),
        `four CodeLens over ${ending}`,
      );
    }
    await picture('lens');
  });

  it('verifies from the lens and says so', async () => {
    const { page, workspace } = session();
    await lens('Verify');
    const said = await waitForNotification(page, 'Correct: ');
    assert.doesNotMatch(said, /GFLOP/);
    await runCommand(page, 'Notifications: Clear All Notifications');
    const { measurements } = await readRuns(workspace);
    assert.deepEqual(
      measurements.map(({ outcome, timing }) => [outcome, timing]),
      [['correct', undefined]],
    );
  });

  it('benchmarks from the lens, which then says how far below the roof it is', async () => {
    const { page, picture } = session();
    await lens('Benchmark');
    await waitForLens(page, '% of roofline');
    assert.match(
      await waitForNotification(page, 'Correct, '),
      /^Correct, [\d.e-]+ GFLOP\/s \((interval unknown|[\d.]+ to [\d.]+)\).*, [\d.]+ ms: /,
    );
    await picture('lens-measured');
    await runCommand(page, 'Notifications: Clear All Notifications');
  });

  it('shows the roofline beside the kernel and follows the active editor', async () => {
    const { page, picture } = session();
    await runCommand(page, 'View: Focus First Editor Group');
    await generate(page, { ...SIZES, algorithm: 'shared-tile', language: 'CUDA and WGSL' });
    await runCommand(page, 'GEMM: Show roofline');
    const frame = await explorer(page);
    await eventually(
      () => title(frame),
      text => text.includes('shared-tile'),
      'the active kernel',
    );
    const box = await frame.locator('#roofline').boundingBox();
    assert.ok(box && box.y < 1000, 'the roofline is in sight');
    await frame.getByText('Arithmetic intensities').click();
    const ratio = () => frame.locator('dt:has-text("intensity without caches") + dd').innerText();
    const staged = await ratio();
    await runCommand(page, 'View: Focus First Editor Group');
    await openFile(page, fileOf('naive', '.cu'));
    await waitForEditor(page, `Explorer: ${fileOf('naive', '.cu')}`);
    await eventually(
      () => title(frame),
      text => text.includes('naive'),
      'the other kernel',
    );
    assert.notEqual(await ratio(), staged);
    await picture('roofline-follows');
    await openFile(page, fileOf('shared-tile', '.wgsl'));
    await eventually(
      () => title(frame),
      text => text.includes('shared-tile'),
      'the first again',
    );
    assert.equal(await ratio(), staged);
  });

  it('says of an edited kernel that it is edited, runs it as edited, and does not time it wrong', async () => {
    const { page, workspace, picture } = session();
    const name = fileOf('shared-tile', '.wgsl');
    const generated = readFileSync(inFolder(name), 'utf8');
    const edited = generated.replace(/acc = fma\(|acc \+= /, found => `acc += 1.0; ${found}`);
    assert.notEqual(edited, generated);
    writeFileSync(inFolder(name), edited);
    await waitForLens(page, 'edited');
    const before = (await readRuns(workspace)).measurements.length;
    await lens('Benchmark');
    const said = await waitForNotification(page, 'Incorrect.');
    assert.doesNotMatch(said, /GFLOP/);
    await picture('incorrect');
    await runCommand(page, 'Notifications: Clear All Notifications');
    const run = (await readRuns(workspace)).measurements.at(-1);
    assert.equal((await readRuns(workspace)).measurements.length, before + 1);
    assert.equal(run?.outcome, 'incorrect');
    assert.equal(run.timing, undefined);
    await waitForLens(page, 'not measured');
  });

  it('asks before it writes over an edited file, and keeps it byte for byte', async () => {
    const { page, picture } = session();
    const spec = fileOf('shared-tile', '.gemm.json');
    const kernel = fileOf('shared-tile', '.wgsl');
    const edited = readFileSync(inFolder(kernel));
    const again = async (): Promise<void> => {
      await openFile(page, spec);
      await runCommand(page, 'GEMM: Generate tiled GEMM');
      await page.locator('.monaco-dialog-box').waitFor();
    };
    /** The CUDA kernel is written and opened after the one that was asked about. */
    const ended = (): Promise<void> => waitForActiveEditor(page, fileOf('shared-tile', '.cu'));
    await runCommand(page, 'View: Focus First Editor Group');
    await again();
    await picture('keep-or-replace');
    assert.equal(
      await page.locator('.monaco-dialog-box').getByRole('button', { name: 'Cancel' }).count(),
      0,
      'the button says what it does',
    );
    const asked = await answerDialog(page, 'Keep mine');
    assert.ok(asked.includes(`Edited after it was generated: ${kernel}`), asked);
    await ended();
    assert.deepEqual(readFileSync(inFolder(kernel)), edited, 'Keep mine keeps');

    await again();
    await answerDialog(page, 'Compare');
    await waitForNotification(page, 'Keep your version or use the new one?');
    await picture('compare');
    assert.equal(await page.locator('.tab.dirty').count(), 0, 'nothing to save is left behind');
    await waitForNotification(page, 'Keep your version', 'Keep mine');
    await ended();
    assert.deepEqual(readFileSync(inFolder(kernel)), edited, 'Keep mine keeps');

    await again();
    await answerDialog(page, 'Save as copy');
    const copy = kernel.replace('.wgsl', '-2.wgsl');
    await waitForEditor(page, copy);
    await ended();
    assert.deepEqual(readFileSync(inFolder(kernel)), edited, 'a copy leaves it');
    assert.doesNotMatch(readFileSync(inFolder(copy), 'utf8'), /acc \+= 1\.0;/);

    await again();
    await answerDialog(page, 'Replace');
    await eventually(
      () => Promise.resolve(readFileSync(inFolder(kernel), 'utf8')),
      text => text === readFileSync(inFolder(copy), 'utf8'),
      'replaced with what was generated',
    );
  });

  it('violates no content security policy', () => {
    assert.deepEqual(session().violations, []);
  });
});
