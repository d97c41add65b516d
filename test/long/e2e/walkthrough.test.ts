/**
 * The walkthrough as a newcomer takes it, in a window without WebGPU: each button does what its
 * step says.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { explorer } from '../../../scripts/demo/steps';
import {
  pick,
  runCommand,
  waitForActiveEditor,
  waitForNotification,
} from '../../../scripts/vscodeHost';
import { eventually, openVscode } from '../../e2e/session';

describe('the walkthrough, without a GPU', () => {
  const session = openVscode({ webgpu: 'off', width: 1600, height: 1000 });
  const steps = () => session().page.locator('.getting-started-step');
  /** Opens the walkthrough, unfolds its step and presses the button there. */
  const take = async (step: string, button: string): Promise<void> => {
    const { page } = session();
    await runCommand(page, 'GEMM: Open walkthrough');
    await waitForActiveEditor(page, 'Welcome');
    await steps().filter({ hasText: step }).first().click();
    await steps().getByRole('button', { name: button, exact: true }).click();
  };

  before(async () => {
    await rm(join(session().workspace, 'first.gemm.json'));
  });

  it('opens the explorer on a configuration', async () => {
    const { page, picture } = session();
    await runCommand(page, 'GEMM: Open walkthrough');
    await waitForActiveEditor(page, 'Welcome');
    await picture('walkthrough');
    await take('Configure a kernel', 'Open explorer');
    const frame = await explorer(page);
    await picture('walkthrough-1');
    assert.match(await frame.locator('#occupancy').innerText(), /\d+ %/);
  });

  it('writes its spec, and its code in both languages', async () => {
    const { page, workspace, picture } = session();
    await take('Read the code', 'Generate tiled GEMM');
    await picture('walkthrough-2');
    for (const answer of ['256 x 256 x 256', 'f32', 'shared-tile', 'CUDA and WGSL'])
      await pick(page, answer);
    await waitForActiveEditor(page, /^shared-tile.*\.cu$/);
    const endings = readdirSync(join(workspace, 'gemm')).map(name => name.replace(/.*\./, ''));
    assert.deepEqual(endings.sort(), ['cu', 'json', 'wgsl']);
  });

  it('verifies it, simulated at a size that takes a second', async () => {
    const { page, picture } = session();
    await take('Verify without a GPU', 'Run and verify');
    await picture('walkthrough-3');
    await pick(page, 'Simulate');
    await waitForNotification(page, 'Correct');
    await picture('walkthrough-3-verified');
  });

  it('shows it under its roof', async () => {
    const { page, picture } = session();
    await take('Compare with the roofline', 'Show roofline');
    const frame = await explorer(page);
    await eventually(
      () => frame.locator('#roofline h2').boundingBox(),
      box => box !== null && box.y > 100 && box.y < 400,
      'the roofline is in sight',
    );
    await picture('walkthrough-4');
  });

  it('ticks off each step', async () => {
    const { page, picture } = session();
    await runCommand(page, 'GEMM: Open walkthrough');
    await waitForActiveEditor(page, 'Welcome');
    const done = page.locator(
      '.getting-started-step .codicon-getting-started-step-checked:visible',
    );
    await eventually(
      () => done.count(),
      count => count === 4,
      'four steps done',
    );
    await picture('walkthrough-done');
  });
});
