/** The result of a run: in the page that ran it, above the files of its spec, and nowhere else. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { generate } from '../../../scripts/demo/steps';
import {
  codeLenses,
  openFile,
  pick,
  pressLens,
  runCommand,
  waitForLens,
  waitForNotification,
  webviewFrame,
} from '../../../scripts/vscodeHost';
import { findNvcc } from '../../../src/host/toolchain';
import { eventually, openVscode } from '../../e2e/session';

const SIZES = { sizes: '64 x 64 x 32', dtype: 'f32' } as const;
const RATE = /[\d.e-]+ GFLOP\/s/;

describe('the result of a run in VS Code', () => {
  const session = openVscode({ width: 1600, height: 1000 });
  const fileOf = (algorithm: string, ending: string): string => {
    const names = readdirSync(join(session().workspace, 'gemm'));
    const found = names.find(name => name.startsWith(`${algorithm}-`) && name.endsWith(ending));
    assert.ok(found, `${algorithm} ${ending} among ${names.join(', ')}`);
    return found;
  };
  const measured = (frame: Frame): Promise<string> => frame.locator('#results').innerText();
  const shownResult = async (page: Page): Promise<string> => {
    const frame = await webviewFrame(page, '#results');
    return eventually(
      () => measured(frame),
      text => RATE.test(text),
      'the rate in the page',
    );
  };
  const statusBar = (page: Page): Promise<string> =>
    page.locator('.statusbar-item', { hasText: 'GEMM:' }).innerText();

  it('is in the page that ran it, though the CUDA kernel was asked for', async () => {
    const { page, picture } = session();
    await generate(page, { ...SIZES, algorithm: 'naive', language: 'CUDA and WGSL' });
    await openFile(page, fileOf('naive', '.cu'));
    await waitForLens(page, 'not measured');
    await pressLens(page, 'Benchmark');
    await pick(page, 'Benchmark WGSL');
    await waitForNotification(page, 'Correct, ');
    assert.match(await shownResult(page), /Correct/);
    await picture('own-result');
    await runCommand(page, 'Notifications: Clear All Notifications');
  });

  it('names one machine in the header of the page', async () => {
    const { page } = session();
    const frame = await webviewFrame(page, '#results');
    const summary = await frame.locator('nav.summary').innerText();
    assert.match(summary, /no occupancy model for/);
    assert.doesNotMatch(summary, /H200|wave|registers/);
    assert.match(summary, RATE);
  });

  it('stands above both files of the spec', async () => {
    const { page } = session();
    await runCommand(page, 'View: Focus First Editor Group');
    await openFile(page, fileOf('naive', '.cu'));
    await eventually(
      () => codeLenses(page),
      lenses => lenses.some(text => /^WebGPU [\d.e-]+ GFLOP\/s$/.test(text)),
      'the WebGPU rate above the CUDA kernel',
    );
    await openFile(page, fileOf('naive', '.wgsl'));
    await waitForLens(page, '% of roofline');
    assert.match(await statusBar(page), RATE);
  });

  it('is not in the status bar while another kernel is active', async () => {
    const { page } = session();
    await runCommand(page, 'View: Focus First Editor Group');
    await generate(page, { ...SIZES, algorithm: 'shared-tile', language: 'CUDA and WGSL' });
    await openFile(page, fileOf('shared-tile', '.wgsl'));
    await waitForLens(page, 'not measured');
    await eventually(
      () => statusBar(page),
      text => !RATE.test(text),
      'no rate of another kernel',
    );
  });

  it('is there after the page was closed and opened again', async () => {
    const { page } = session();
    await runCommand(page, 'View: Close All Editors');
    await openFile(page, fileOf('naive', '.cu'));
    await runCommand(page, 'GEMM: Open explorer');
    assert.match(await shownResult(page), /Correct/);
  });

  it('has the registers beside it that nvcc reported before the page was there (needs nvcc)', async function () {
    if (!(await findNvcc()).ok) this.skip();
    const frame = await webviewFrame(session().page, '#results');
    await eventually(
      () => frame.locator('nav.summary').innerText(),
      text => /registers\/thread \d+ compiler/.test(text.replace(/\s+/g, ' ')),
      'registers of the compiler in the page',
    );
  });

  it('is there after the window was loaded again', async () => {
    const { page, picture } = session();
    // The palette that the command came from goes with the window.
    const command = runCommand(page, 'Developer: Reload Window').catch(() => undefined);
    await Promise.all([page.waitForEvent('load'), command]);
    await page.locator('.monaco-workbench').waitFor();
    assert.match(await shownResult(page), /Correct/);
    await picture('own-result-reloaded');
  });
});
