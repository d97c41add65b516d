/** What stands in text editors, driven as a user does: describing a kernel, hovers, a fix. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  codeLenses,
  openFile,
  pick,
  runCommand,
  typeInto,
  waitForLens,
} from '../../scripts/vscodeHost';
import { eventually, openVscode } from './session';

const OWN = `#define TILE_SIZE 16

// A tutorial's kernel, as people have it.
template <int UNUSED = 0>
__global__ void __launch_bounds__(TILE_SIZE * TILE_SIZE, 4)
matmul(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float As[TILE_SIZE][TILE_SIZE];
  __shared__ float Bs[TILE_SIZE][TILE_SIZE];
  const int row = blockIdx.y * TILE_SIZE + threadIdx.y;
  const int col = blockIdx.x * TILE_SIZE + threadIdx.x;
}
`;

const SPEC = `{
  "problem": { "m": 1024, "n": 1024, "k": 1024 },
  "schedule": {
    "algorithm": "thread-tile-2d",
    "block": { "m": 4096, "n": 128, "k": 8 },
    "thread": { "m": 8, "n": 8 }
  },
  "targets": ["cuda"]
}
`;

const golden = readFileSync(
  join('test', 'golden', 'gemm-f32-thread-tile-2d-1024x1024x1024-rrr-128x128x8-8x8.cu'),
  'utf8',
);

describe('text editors in VS Code', () => {
  const session = openVscode({
    width: 1500,
    height: 900,
    files: { 'own.cu': OWN, 'wrong.gemm.json': SPEC, 'tile.cu': golden },
  });
  const hover = async (text: string): Promise<string> => {
    const { page } = session();
    const shown = page.locator('.monaco-hover:visible').first();
    await page.mouse.move(5, 5);
    await shown.waitFor({ state: 'hidden' });
    await page.locator('.monaco-editor .view-line span span', { hasText: text }).last().hover();
    await shown.waitFor({ timeout: 10_000 });
    return shown.innerText();
  };

  it('describes a hand-written kernel by answering questions, and undo takes it back', async () => {
    const { page, picture } = session();
    await openFile(page, 'own.cu');
    await (await waitForLens(page, 'Add // @gemm')).click();
    await pick(page, '1024 x 1024 x 1024');
    await pick(page, 'f32');
    await pick(page, 'A row-major, B row-major, C row-major');
    await typeInto(page, '(4/6)', '16, 16');
    await picture('editor-describe-grid');
    await typeInto(page, '(5/6)', 'ceil(n / 16), ceil(m / 16)');
    await typeInto(page, '(6/6)', 'm, n, k, a, b, c');
    await waitForLens(page, 'Benchmark');
    await picture('editor-described');
    const lenses = await codeLenses(page);
    assert.deepEqual(lenses.slice(0, 2), ['Benchmark', 'Verify']);
    await page.locator('.monaco-editor .view-lines').first().click();
    await page.keyboard.press('Control+z');
    await waitForLens(page, 'Add // @gemm');
    await runCommand(page, 'File: Revert File');
  });

  it('explains a tile and shows a kernel’s card', async () => {
    const { page, picture } = session();
    await openFile(page, 'tile.cu');
    await waitForLens(page, 'Benchmark');
    assert.match(await hover('BM'), /ThreadblockShape::kM[\s\S]*BLOCK_SIZE_M[\s\S]*MWG/);
    await picture('editor-hover-tile');
    assert.match(await hover('gemm_thread_tile_2d'), /occupancy[\s\S]*attainable/);
    await picture('editor-hover-card');
  });

  it('takes the nearest legal value of a spec from the light bulb', async () => {
    const { page, picture } = session();
    await openFile(page, 'wrong.gemm.json');
    await page.locator('.squiggly-error').first().waitFor({ timeout: 20_000 });
    await page.locator('.monaco-editor .view-line span', { hasText: '4096' }).last().click();
    await runCommand(page, 'Quick Fix...');
    const fix = page.locator('.action-widget .action', { hasText: 'Change schedule.block.m to' });
    await fix.first().waitFor({ timeout: 10_000 });
    await picture('editor-fix');
    await fix.first().click();
    await eventually(
      () => page.locator('.squiggly-error').count(),
      count => count === 0,
      'the problem stays',
    );
  });
});
