/**
 * CUDA runs in VS Code: with a GPU that is a fake speaking the runner's protocol, and without any.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { openFile, pickLabels, runCommand, waitForNotification } from '../../../scripts/vscodeHost';
import { readRuns } from '../../helpers/runs';
import { driven } from '../../host/cuda/fakeRunner';
import { fakeMachine } from '../../host/cuda/fakeMachine';
import { isRunning } from '../../host/support';
import { eventually, openVscode } from '../../e2e/session';

const KERNEL = `// @gemm {"problem":{"m":512,"n":512,"k":512},"grid":["n/16","m/16"],"block":[16,16],"args":["m","n","k","a","b","c"]}
__global__ void product(int m, int n, int k, const float* a, const float* b, float* c) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int l = 0; l < k; ++l) sum += a[row * k + l] * b[l * n + column];
  c[row * n + column] = sum;
}
`;
const path = process.env['PATH'] ?? '';

describe('CUDA in VS Code, on a fake GPU (needs a C compiler on Linux)', () => {
  const session = openVscode({
    files: { 'product.cu': KERNEL },
    prepare: elsewhere => {
      const bin = join(elsewhere, 'bin');
      mkdirSync(bin);
      assert.ok(fakeMachine(bin) !== undefined, 'there is a C compiler');
      return Promise.resolve({
        PATH: `${bin}${delimiter}${path}`,
        CUDA_PATH: '',
        CUDA_HOME: '',
        XDG_CACHE_HOME: join(elsewhere, 'cache'),
      });
    },
  });
  const fake = () => driven(join(session().elsewhere, 'bin'));
  const kept = async () => (await readRuns(session().workspace)).measurements;

  it('benchmarks a kernel beside cuBLAS, in a runner that stays', async () => {
    const { page, picture } = session();
    await openFile(page, 'product.cu');
    await page.locator('.codelens-decoration', { hasText: 'Benchmark' }).waitFor();
    await runCommand(page, 'GEMM: Benchmark');
    await waitForNotification(page, 'Correct, ');
    await picture('cuda measured');
    const [run] = await kept();
    assert.deepEqual([run?.outcome, run?.baseline?.id], ['correct', 'cublas']);
    assert.equal(run?.ceilings?.list?.length, 4);
    await runCommand(page, 'GEMM: Run and verify');
    await eventually(kept, runs => runs.length === 2, 'the second run is kept');
    assert.equal(fake().pids().length, 1);
  });

  it('says that a kernel faulted, and runs the next one in a fresh process', async () => {
    const { page } = session();
    // Three are shown at once: those of the runs before would hide the next.
    await runCommand(page, 'Notifications: Clear All Notifications');
    fake().order('fault');
    await runCommand(page, 'GEMM: Benchmark');
    await waitForNotification(page, 'cudaErrorIllegalAddress');
    fake().order('');
    await runCommand(page, 'GEMM: Run and verify');
    const runs = await eventually(kept, all => all.length === 4, 'both runs are kept');
    assert.deepEqual(runs.map(({ outcome }) => outcome).sort(), [
      'correct',
      'correct',
      'correct',
      'launch-error',
    ]);
    assert.equal(fake().pids().length, 2);
  });

  it('ends a kernel that hangs when its run is cancelled, and keeps nothing of it', async () => {
    const { page } = session();
    await runCommand(page, 'Notifications: Clear All Notifications');
    fake().order('hang');
    await runCommand(page, 'GEMM: Benchmark');
    await eventually(
      () => Promise.resolve(fake().requests().length),
      count => count === 6,
      'the runner was asked',
    );
    const toast = page.locator('.notifications-toasts [role=dialog]', {
      hasText: 'Benchmark on cuda: product',
    });
    await toast.getByRole('button', { name: 'Cancel' }).click();
    await waitForNotification(page, 'Cancelled');
    assert.deepEqual(fake().pids().filter(isRunning), []);
    assert.equal((await kept()).length, 4);
    fake().order('');
  });

  it('measures the ceilings of the GPU', async () => {
    const { page } = session();
    await runCommand(page, 'Notifications: Clear All Notifications');
    await runCommand(page, 'GEMM: Measure GPU ceilings');
    await waitForNotification(page, 'NVIDIA H200 reaches fma.f32 64700 GFLOP/s, dram 4260 GB/s');
  });
});

describe('CUDA in VS Code, without a GPU', () => {
  const session = openVscode({
    files: { 'product.cu': KERNEL },
    prepare: () => Promise.resolve({ CUDA_PATH: '', CUDA_HOME: '' }),
  });

  for (const command of ['GEMM: Benchmark', 'GEMM: Run and verify']) {
    it(`${command} says what is missing and offers other ways`, async () => {
      const { page, picture } = session();
      await openFile(page, 'product.cu');
      await runCommand(page, command);
      await page.getByText('CUDA is not available: select another backend').waitFor();
      const labels = await pickLabels(page);
      assert.ok(labels.includes('Simulate') && labels.includes('Check toolchain'), labels.join());
      await picture('cuda missing');
      await page.keyboard.press('Escape');
    });
  }

  it('says of ceilings that WebGPU measures its own', async () => {
    const { page } = session();
    await runCommand(page, 'GEMM: Measure GPU ceilings');
    await waitForNotification(page, 'CUDA ceilings cannot be measured here');
    const toast = page.locator('.notifications-toasts');
    assert.ok(await toast.getByRole('button', { name: 'Open explorer' }).isVisible());
  });
});
