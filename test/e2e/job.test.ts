/** The main job as a user does it: generate, configure, verify, measure, cancel. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Frame } from 'playwright-core';
import {
  explorer,
  generate,
  openExplorer,
  runEnded,
  runInWebview,
  setField,
  shown,
  startRun,
} from '../../scripts/demo/steps';
import {
  closeModalEditor,
  editorTitles,
  openFile,
  runCommand,
  waitForEditor,
  waitForNotification,
} from '../../scripts/vscodeHost';
import { cli } from '../cli/cli';
import { readRuns } from '../helpers/runs';
import { eventually, openVscode } from './session';

const KEY = 'thread-tile-2d-128x64x32';

/** What stands beside a name in a list of facts. */
const fact = (frame: Frame, name: string): Promise<string> =>
  frame.locator(`dt:has-text("${name}") + dd`).first().innerText();

describe('the main job in VS Code', () => {
  const session = openVscode({ width: 1600, height: 1000 });
  let frame: Frame;

  it('writes the spec, CUDA and WGSL from the palette, opens them, and the CLI writes the same', async () => {
    const { page, workspace, elsewhere, picture } = session();
    const asked = { sizes: '128 x 64 x 32', dtype: 'f32', algorithm: 'thread-tile-2d' } as const;
    await generate(page, { ...asked, language: 'CUDA and WGSL' });
    const files = (await readdir(join(workspace, 'gemm'))).sort();
    assert.deepEqual(
      files.map(file => file.replace(/^[\w-]+/, '')),
      ['.cu', '.gemm.json', '.wgsl'],
    );
    const titles = await editorTitles(page);
    assert.match(titles.at(-1) ?? '', /\.cu$/, 'the first target is in front');
    for (const file of files) {
      assert.ok(file.startsWith(KEY), file);
      assert.ok(titles.includes(file), `${file} is open among ${titles.join(', ')}`);
    }
    const out = join(elsewhere, 'cli');
    const spec = files.find(file => file.endsWith('.gemm.json')) ?? '';
    const ran = await cli(['generate', join(workspace, 'gemm', spec), '--out', out]);
    assert.equal(ran.code, 0, ran.stderr);
    const printed = await readdir(out);
    for (const file of files.filter(name => name !== spec)) {
      const same = printed.find(name => name.endsWith(file.slice(KEY.length))) ?? '';
      const [here, there] = [join(workspace, 'gemm', file), join(out, same)];
      assert.equal(await readFile(here, 'utf8'), await readFile(there, 'utf8'), file);
    }
    await picture('generated');
  });

  it('shows a changed tile in code, occupancy and roofline', async () => {
    const { page, picture } = session();
    frame = await openExplorer(page);
    await setField(frame, 'schedule.block.m', 64);
    await setField(frame, 'schedule.thread.m', 8);
    await setField(frame, 'schedule.block.n', 64);
    const before = await shown(frame);
    await frame.getByText('Arithmetic intensities').click();
    const ratio = await fact(frame, 'intensity without caches');
    await setField(frame, 'schedule.block.m', 32);
    await setField(frame, 'schedule.thread.m', 4);
    const after = await eventually(
      () => shown(frame),
      ({ code }) => code.includes('constexpr int BM = 32;'),
      'the code has BM = 32',
    );
    assert.match(before.code, /constexpr int BM = 64;/);
    assert.notEqual(after.occupancy, before.occupancy);
    assert.notEqual(after.roofline, before.roofline);
    // 2 m n k over A once, B once a row of blocks, C read and written: 128 x 64 x 32, tiles of
    // `rows` x 64.
    const flops = 2 * 128 * 64 * 32;
    const bytes = (rows: number) => 4 * (128 * 32 + (128 / rows) * 32 * 64 + 2 * 128 * 64);
    const shownRatio = (rows: number) => Number((flops / bytes(rows)).toPrecision(3));
    assert.match(ratio, new RegExp(`^${shownRatio(64)} FLOP/B`));
    assert.match(
      await fact(frame, 'intensity without caches'),
      new RegExp(`^${shownRatio(32)} FLOP/B`),
    );
    await picture('configured');
  });

  it('says why a value is illegal, in numbers, and mends it with one click', async () => {
    const { picture } = session();
    await setField(frame, 'schedule.block.m', 4096);
    const why = frame.locator('#field-schedule-block-m-why');
    await why.waitFor();
    assert.match(await why.innerText(), /4096 x 64 \/ \(4 x 8\) = 8,192 threads per block > 1,024/);
    await frame.locator('[inert] #occupancy').waitFor();
    await picture('illegal');
    const use = why.getByRole('button', { name: /^Use \d+: schedule.block.m$/ }).first();
    const [, value = ''] = /Use (\d+)/.exec((await use.getAttribute('aria-label')) ?? '') ?? [];
    await use.click();
    await frame.locator('[inert]').first().waitFor({ state: 'detached' });
    const field = frame.locator('#field-schedule-block-m');
    assert.equal(await field.inputValue(), value);
    await setField(frame, 'schedule.block.m', 32);
  });

  it('verifies and times in the webview, keeps the run, and draws it on its own roofline', async () => {
    const { workspace, picture } = session();
    const said = await runInWebview(frame, 'Benchmark');
    assert.match(said, /Correct/);
    const { measurements, skippedLines } = await eventually(
      () => readRuns(workspace),
      runs => runs.measurements.length > 0,
      'the run is kept',
    );
    assert.equal(skippedLines, 0);
    assert.equal(measurements.length, 1);
    const [run] = measurements;
    assert.ok(run?.timing && run.ceilings, JSON.stringify(run));
    assert.equal(run.outcome, 'correct');
    assert.equal(run.verification.samples, 128 * 64);
    assert.equal(run.device.where, 'webview');
    assert.ok(run.timing.gflops > 0 && run.timing.errorPercent >= 0);
    const rate = Number(run.timing.gflops.toPrecision(3));
    assert.ok(said.includes(`${rate} GFLOP/s`), `${rate} GFLOP/s in:\n${said}`);
    const machine = await frame.locator('#roofline .of').innerText();
    assert.ok(machine.endsWith(`.wgsl, on ${run.device.name}, webview`), machine);
    assert.equal(await frame.locator('#roofline .chart .mark.measured.point').count(), 1);
    await frame.locator('#roofline').scrollIntoViewIfNeeded();
    await picture('measured');
  });

  it('cancels a run at once and keeps nothing of it', async () => {
    const { page, workspace, picture } = session();
    for (const size of ['m', 'n', 'k']) await setField(frame, `problem.${size}`, 512);
    const cancel = await startRun(frame, 'Benchmark');
    await frame
      .locator('.run-bar .progress')
      .getByText(/[Tt]im|[Ww]arm|[Cc]alibrat/)
      .waitFor();
    await picture('running');
    await cancel.click();
    await runEnded(frame);
    await frame.locator('#results', { hasText: 'Cancelled' }).waitFor();
    await waitForNotification(page, 'Cancelled');
    assert.equal((await readRuns(workspace)).measurements.length, 1, 'as before');
  });

  it('changes the spec file it shows as an edit that undo takes back, and does not save it', async () => {
    const { page, workspace } = session();
    const file = join(workspace, 'first.gemm.json');
    const disk = await readFile(file, 'utf8');
    await runCommand(page, 'View: Focus First Editor Group');
    await openFile(page, 'first.gemm.json');
    await runCommand(page, 'GEMM: Open explorer');
    await waitForEditor(page, 'Explorer: first.gemm.json');
    frame = await explorer(page);
    const field = frame.locator('#field-schedule-block-m');
    await eventually(
      () => field.inputValue(),
      value => value === '64',
      'the explorer shows the file',
    );
    await setField(frame, 'schedule.block.m', 32);
    const lines = page.locator('.editor-instance .view-lines').first();
    const text = async () => (await lines.innerText()).replaceAll('\u00a0', ' ');
    await eventually(text, now => now.includes('"m": 32'), 'the document has the new tile');
    await lines.click();
    await page.keyboard.press('Control+Z');
    await eventually(
      () => field.inputValue(),
      value => value === '64',
      'the explorer follows undo',
    );
    assert.equal(await readFile(file, 'utf8'), disk);
  });

  it('says how long it took to activate', async () => {
    const { page } = session();
    // The list draws only the rows in sight, the slowest extension first.
    await page.setViewportSize({ width: 1600, height: 2600 });
    await runCommand(page, 'Developer: Show Running Extensions');
    const row = page.locator('.runtime-extensions-editor .extension').filter({ hasText: 'GEMM' });
    const time = await row.locator('.activation-time').innerText();
    assert.match(time, /\d+ ?ms/);
    console.log(`      ${time}`);
    await closeModalEditor(page);
    await page.setViewportSize({ width: 1600, height: 1000 });
  });

  it('violates no content security policy', async () => {
    const { violations } = session();
    assert.deepEqual(violations, []);
    // The same console does report one.
    await frame.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'void 0';
      document.body.append(script);
    });
    await eventually(
      () => Promise.resolve(violations.length),
      count => count > 0,
      'an inline script is refused',
    );
  });
});
