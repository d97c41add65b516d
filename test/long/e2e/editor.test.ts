/** What stands in text editors, driven as a user does: describing a kernel, hovers, a fix. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until, within } from '../../../scripts/host/until';
import {
  codeLenses,
  openFile,
  pick,
  pressLens,
  runCommand,
  typeInto,
  waitForLens,
  webviewFrame,
} from '../../../scripts/vscodeHost';
import { eventually, openVscode } from '../../e2e/session';

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

/** The menu of the light bulb closes when the focus moves, as it does while a problem is drawn. */
const MENU_MS = 1500;
const STILL_MS = 300;
/** The editor waits 300 ms before it shows a hover, and then for all who have something to say. */
const HOVER_MS = 2000;

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
  /**
   * A hover says at first what was ready first, or nothing; so the pointer goes away and comes
   * again.
   */
  const hover = async (text: string, expected: RegExp): Promise<void> => {
    const { page } = session();
    const shown = page.locator('.monaco-hover:visible');
    const word = page.locator('.monaco-editor .view-line span span', { hasText: text }).last();
    await eventually(
      async () => {
        await page.mouse.move(5, 5);
        await shown.first().waitFor({ state: 'hidden' });
        await word.hover();
        const said = async () => (await shown.allInnerTexts()).join('\n');
        await within(HOVER_MS, async () => (expected.test(await said()) ? true : undefined));
        return await said();
      },
      said => expected.test(said),
      `the hover over ${text}`,
    );
  };

  it('describes a hand-written kernel by answering questions, and undo takes it back', async () => {
    const { page, picture } = session();
    await openFile(page, 'own.cu');
    await pressLens(page, 'Analyze this kernel');
    await pick(page, '1024 x 1024 x 1024');
    await pick(page, 'f32');
    await pick(page, 'A row-major, B row-major, C row-major');
    await typeInto(page, '(4/6)', '16, 16');
    await picture('editor-describe-grid');
    await typeInto(page, '(5/6)', 'ceil(n / 16), ceil(m / 16)');
    await typeInto(page, '(6/6)', 'm, n, k, a, b, c');
    await waitForLens(page, 'Benchmark');
    await picture('editor-described');
    await eventually(
      () => codeLenses(page),
      lenses => lenses.slice(0, 2).join() === 'Benchmark,Verify',
      'Benchmark and Verify come first',
    );
    await page.locator('.monaco-editor .view-lines').first().click();
    await page.keyboard.press('Control+z');
    await waitForLens(page, 'Analyze this kernel');
    await runCommand(page, 'File: Revert File');
  });

  it('explains a tile and shows a kernel’s card', async () => {
    const { page, picture } = session();
    await openFile(page, 'tile.cu');
    await waitForLens(page, 'Benchmark');
    await hover('BM', /ThreadblockShape::kM[\s\S]*BLOCK_SIZE_M[\s\S]*MWG/);
    await picture('editor-hover-tile');
    await hover('gemm_thread_tile_2d', /occupancy[\s\S]*attainable/);
    await picture('editor-hover-card');
  });

  it('takes the nearest legal value of a spec from the light bulb', async () => {
    const { page, picture } = session();
    await openFile(page, 'wrong.gemm.json');
    await page.locator('.squiggly-error').first().waitFor();
    await page.locator('.monaco-editor .view-line span', { hasText: '4096' }).last().click();
    const fix = page.locator('.action-widget .action', { hasText: 'Change schedule.block.m to' });
    const menu = (): Promise<true> =>
      until('the fix in the menu of the light bulb', async () => {
        if ((await fix.count()) === 0) await page.keyboard.press('Control+.');
        const open = async () => ((await fix.count()) > 0 ? true : undefined);
        if ((await within(MENU_MS, open)) === undefined) return undefined;
        await page.waitForTimeout(STILL_MS);
        return await open();
      });
    await menu();
    await picture('editor-fix');
    const there = page.locator('.action-widget .action', { hasText: 'Open explorer at' });
    await there.first().click();
    const frame = await webviewFrame(page, '#field-schedule-block-m');
    await eventually(
      () => frame.evaluate(() => document.activeElement?.id),
      id => id === 'field-schedule-block-m',
      'the field that the problem is about has the keys',
    );
    await picture('editor-fix-explorer');
    await runCommand(page, 'View: Focus First Editor Group');
    await menu();
    await fix.first().click();
    await eventually(
      () => page.locator('.squiggly-error').count(),
      count => count === 0,
      'the problem stays',
    );
  });
});
