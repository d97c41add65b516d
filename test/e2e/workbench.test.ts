/** The Test Explorer as a user has it, without a GPU. */
import assert from 'node:assert/strict';
import { openFile, runCommand } from '../../scripts/vscodeHost';
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
  const runs = async () => (await readRuns(session().workspace)).measurements;
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
});
