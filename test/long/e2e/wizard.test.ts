/**
 * Generate tiled GEMM* by keyboard: the default path ends in a kernel, and an error has a button
 * that repairs it.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import {
  openFile,
  pickLabels,
  runCommand,
  waitForActiveEditor,
  waitForNotification,
} from '../../../scripts/vscodeHost';
import { eventually, openVscode } from '../../e2e/session';

const ILLEGAL = {
  problem: { m: 48, n: 128, k: 12 },
  schedule: {
    algorithm: 'warp-tile',
    block: { m: 8, n: 32, k: 6 },
    warp: { m: 4, n: 8 },
    thread: { m: 4, n: 4 },
  },
  targets: ['cuda'],
};

describe('the wizard by keyboard', () => {
  const session = openVscode({
    webgpu: 'off',
    files: { 'illegal.gemm.json': JSON.stringify(ILLEGAL, null, 2) },
  });

  /** Waits for the question with this number, and returns its rows. */
  async function question(page: Page, step: number): Promise<readonly string[]> {
    const title = page.locator('.quick-input-widget:visible .quick-input-title');
    await eventually(
      () => title.innerText(),
      text => text.includes(`(${step}/4)`),
      `question ${step}`,
    );
    return pickLabels(page);
  }

  /** Takes the default of every question but the type, which is typed where it is given. */
  async function generate(dtype?: string): Promise<readonly string[]> {
    const { page, picture } = session();
    await runCommand(page, 'GEMM: Generate tiled GEMM');
    await question(page, 1);
    await page.keyboard.press('Enter');
    await question(page, 2);
    if (dtype !== undefined) {
      await page.keyboard.type(dtype);
      const focused = page
        .locator('.quick-input-list .monaco-list-row.focused .label-name')
        .first();
      await eventually(
        () => focused.innerText(),
        text => text === dtype,
        `${dtype} has the focus`,
      );
    }
    await page.keyboard.press('Enter');
    const schedules = await question(page, 3);
    await picture(`wizard-${dtype ?? 'f32'}`);
    await page.keyboard.press('Enter');
    await question(page, 4);
    await page.keyboard.press('Enter');
    await waitForActiveEditor(
      page,
      dtype === undefined ? /^thread-tile-2d-256\.cu$/ : new RegExp(`^wgmma-${dtype}-.*\\.cu$`),
    );
    return schedules;
  }

  it('generates a kernel that runs without CUDA after four times Enter', async () => {
    const { workspace } = session();
    const schedules = await generate();
    assert.match(schedules[0] ?? '', /^Default \(predicted [\d.]+ TFLOP\/s\): thread-tile-2d /);
    assert.ok(schedules.includes('naive') && !schedules.includes('wgmma'), schedules.join());
    const names = await readdir(join(workspace, 'gemm'));
    assert.ok(names.includes('thread-tile-2d-256.wgsl'), names.join());
  });

  it('generates the fastest known kernel of another type', async () => {
    const { workspace } = session();
    const schedules = await generate('bf16');
    assert.match(schedules[0] ?? '', /^Fastest known \(predicted [\d.]+ TFLOP\/s\): wgmma /);
    const names = await readdir(join(workspace, 'gemm'));
    assert.ok(names.includes('wgmma-bf16-256.cu'), names.join());
  });

  it('repairs an illegal spec with the button of its error, and goes on', async () => {
    const { page, workspace, picture } = session();
    await openFile(page, 'illegal.gemm.json');
    await runCommand(page, 'GEMM: Generate tiled GEMM');
    const said = await waitForNotification(page, 'spec is invalid');
    assert.match(said, /2 lanes; a warp has 32/);
    await picture('repair');
    await waitForNotification(page, 'spec is invalid', 'Use nearest tiles');
    await waitForActiveEditor(page, 'illegal.cu');
    const onDisk = readFileSync(join(workspace, 'illegal.gemm.json'), 'utf8');
    assert.match(onDisk, /"m": 4/, 'the edit is not saved');
    await openFile(page, 'illegal.gemm.json');
    await page.locator('.tab.dirty').waitFor();
  });
});
