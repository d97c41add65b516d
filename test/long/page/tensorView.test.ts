/** Tensor cores in a browser: swizzle and fragments, read by pointer and keyboard. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { newest } from '../../../scripts/page/samples';
import { TENSOR_SPEC } from '../../../scripts/page/tensorSample';
import { explorerSuite } from '../../helpers/explorerSuite';

const SWIZZLE = 'Shared-memory swizzle';
const FRAGMENTS = 'Fragment layout by lane';
const PIPELINE = 'Pipeline timeline';

explorerSuite('tensor cores in the page', suite => {
  const opened = async (spec: GemmSpec, ...summaries: readonly string[]) => {
    const explorer = await suite.opened(
      {
        type: 'show',
        ...newest(),
        spec,
        name: 'first.gemm.json',
        trusted: true,
        backends: [],
        runs: [],
      },
      { gpu: 'none', width: 1400, height: 1000 },
    );
    for (const summary of summaries) {
      await explorer.page.locator('summary', { hasText: summary }).click();
    }
    return explorer;
  };

  it('is absent for a SIMT kernel', async () => {
    const problem = { m: 512, n: 512, k: 512 };
    const { page } = await opened({ problem, schedule: { algorithm: 'warp-tile' } });
    await page.locator('#memory').waitFor();
    assert.equal(await page.locator('#tensor').count(), 0);
  });

  it('shows the banks of each chunk, and marks the eight lines of the selected one', async () => {
    const explorer = await opened(TENSOR_SPEC, SWIZZLE);
    const { page } = explorer;
    const grid = page.getByRole('grid', { name: 'A with swizzle' });
    await grid.waitFor();
    assert.match(
      await page.locator('#tensor figcaption').first().innerText(),
      /A: 128-byte lines\. Passes to read one chunk of eight lines: 1 \(8 without swizzle\)\./,
    );
    await grid.locator('td').first().focus();
    await page.keyboard.press('ArrowDown');
    const readout = page.locator('.place-grid .readout').first();
    assert.equal(await readout.innerText(), 'row 1, chunk 1 (bytes 16 to 31): banks 0–3');
    const marked = await grid
      .locator('td.served')
      .evaluateAll(cells => cells.map(cell => (cell as HTMLTableCellElement).cellIndex));
    assert.deepEqual(marked.toSorted(), [1, 2, 3, 4, 5, 6, 7, 8], 'a column of banks each');
    const plain = page.getByRole('grid', { name: 'A without swizzle' });
    const apart = await plain
      .locator('td.served')
      .evaluateAll(
        cells => new Set(cells.map(cell => (cell as HTMLTableCellElement).cellIndex)).size,
      );
    assert.equal(apart, 1, 'all in the same banks');
    assert.deepEqual(await explorer.axe(), []);
  });

  it('keeps the keyboard selection while content scrolls under a resting pointer', async () => {
    const { page } = await opened(TENSOR_SPEC, SWIZZLE);
    const grid = page.getByRole('grid', { name: 'A with swizzle' });
    const readout = page.locator('.place-grid .readout').first();
    await grid.locator('tbody tr').nth(5).locator('td').nth(2).hover();
    await page.getByText(/^row 5, /).waitFor();
    await grid.locator('tbody tr').first().locator('td').first().focus();
    const told = await readout.innerText();
    assert.match(told, /^row 0, chunk 0 /);
    for (const way of [40, -40]) {
      await page.mouse.wheel(0, way);
      await page.waitForTimeout(300);
      assert.equal(await readout.innerText(), told);
    }
    await grid.locator('tbody tr').nth(3).locator('td').nth(2).hover();
    await page.getByText(/^row 3, /).waitFor();
  });

  it('names warp, lane and register of an accumulator anywhere in the tile', async () => {
    const explorer = await opened(TENSOR_SPEC, FRAGMENTS);
    const { page } = explorer;
    const grid = page.getByRole('grid', { name: 'Lanes and registers of C' });
    await grid.waitFor();
    await page.locator('#fragment-warp-C').focus();
    await page.keyboard.press('End');
    await page.locator('#fragment-columns-C').focus();
    await page.keyboard.press('ArrowDown');
    await grid.locator('th', { hasText: '48' }).waitFor();
    await grid.locator('tbody tr').nth(9).locator('td').nth(3).hover();
    const readout = page.locator('.place-grid .readout');
    assert.equal(await readout.innerText(), 'C(57, 11): warp 3, lane 5, register 7');
    assert.equal(await grid.locator('td.served').count(), 4, 'what that lane holds of this part');
    assert.deepEqual(await explorer.axe(), []);
  });

  it('names them for swap-AB kernels, whose instruction rows are columns of C', async () => {
    const spec = { ...TENSOR_SPEC, schedule: { algorithm: 'wgmma', operandOrder: 'ba' } } as const;
    const explorer = await opened(spec, FRAGMENTS);
    const { page } = explorer;
    const grid = page.getByRole('grid', { name: 'Lanes and registers of C' });
    await grid.waitFor();
    await page.locator('#fragment-warp-C').focus();
    await page.keyboard.press('End');
    await page.locator('#fragment-columns-C').focus();
    await page.keyboard.press('ArrowDown');
    await grid.locator('th', { hasText: '48' }).waitFor();
    await grid.locator('tbody tr').nth(3).locator('td').nth(9).hover();
    const readout = page.locator('.place-grid .readout');
    assert.equal(await readout.innerText(), 'C(11, 57): warp 3, lane 5, register 7');
    assert.deepEqual(await explorer.axe(), []);
  });

  it('shows A, B and C of mma, packed in registers', async () => {
    const { page } = await opened(
      { problem: { m: 512, n: 512, k: 512, a: { dtype: 'f16' } }, schedule: { algorithm: 'mma' } },
      FRAGMENTS,
    );
    await page.getByRole('grid').nth(2).waitFor();
    const a = page.getByRole('grid', { name: 'Lanes and registers of A' });
    await a.locator('td').first().focus();
    await page.keyboard.press('End');
    assert.equal(
      await page.locator('.place-grid .readout').first().innerText(),
      'A(0, 15): lane 3, register 2, bits 16 to 31',
    );
    assert.equal(await page.locator('summary', { hasText: SWIZZLE }).count(), 0);
  });

  it('shows the ping-pong pipeline as timeline and table', async () => {
    const explorer = await opened(TENSOR_SPEC, PIPELINE);
    const { page } = explorer;
    const chart = page.getByRole('img', { name: /^Pipeline timeline/ });
    await chart.waitFor();
    const names = await chart.locator('.name').allInnerTexts();
    assert.deepEqual(names.slice(-4), ['stage 6', 'consumer 1', 'consumer 2', 'TMA store']);
    const bars = (row: number) => chart.locator('svg').nth(row).locator('.multiplied').count();
    assert.ok((await bars(6)) > 5, 'the first consumer');
    assert.equal(await bars(7), 0, 'the second one waits for its turn');
    await page.locator('#pipeline-part').focus();
    await page.keyboard.press('End');
    await chart.locator('.stored').first().waitFor({ state: 'attached' });
    assert.ok((await bars(6)) > 0 && (await bars(7)) > 0);
    await page.getByText('Pipeline as table').click();
    const table = page.getByRole('region', { name: 'Pipeline k-iterations' });
    assert.match(await table.innerText(), /1, 16\s+4\s+1\s/);
    assert.match(await table.innerText(), /2, 1\s+5\s+2\s/);
    assert.deepEqual(await explorer.axe(), []);
  });

  const namesOf = (page: Page) =>
    page
      .getByRole('img', { name: /^Pipeline timeline/ })
      .locator('.name')
      .allInnerTexts();

  it('shows the stages of an mma kernel with barriers, fragment loads and math per k-step', async () => {
    const block = { m: 128, n: 128, k: 64 };
    const explorer = await opened(
      {
        problem: { m: 1024, n: 1024, k: 1024, a: { dtype: 'f16' } },
        schedule: { algorithm: 'mma', block, stages: 3, fragments: 2 },
      },
      PIPELINE,
    );
    const { page } = explorer;
    const chart = page.locator('#tensor').getByRole('img', { name: /^Pipeline timeline/ });
    await chart.waitFor();
    assert.deepEqual(await namesOf(page), [
      'k-iteration',
      'stage 1',
      'stage 2',
      'stage 3',
      'wait, barrier',
      'fragments 1',
      'fragments 2',
      'math',
    ]);
    const bars = (row: number, kind: string) =>
      chart.locator('svg').nth(row).locator(`.${kind}`).count();
    assert.deepEqual(
      await Promise.all([5, 6].map(row => bars(row, 'stored'))),
      [15, 14],
      'including the first of the next k-iteration',
    );
    assert.equal(await bars(7, 'multiplied'), 28, 'seven k-iterations of four k-steps');
    assert.equal(await bars(4, 'free'), 8, 'one barrier per k-iteration, and that of the next');
    assert.match(
      await page.locator('#tensor figcaption').innerText(),
      /16 k-iterations of 4 k-steps/,
    );
    await page.getByText('Pipeline as table').click();
    const table = page.getByRole('region', { name: 'Pipeline k-iterations' });
    assert.match(await table.innerText(), /4\s+1\s+\d/);
    assert.deepEqual(await explorer.axe(), []);
  });

  it('shows only the order without known rates, and tiles staged in registers', async () => {
    const problem = { m: 512, n: 512, k: 512, a: { dtype: 'f16' } } as const;
    const schedule = { algorithm: 'mma', stages: 2 } as const;
    const { page } = await opened({ problem, schedule, device: 'b200' }, PIPELINE);
    await page.getByText('Order only, not to scale').waitFor();
    const turing = await opened(
      { problem, schedule: { ...schedule, stages: 1 }, device: 't4' },
      PIPELINE,
    );
    await turing.page.getByText('The next tile waits in registers').waitFor();
    assert.deepEqual(await namesOf(turing.page), [
      'k-iteration',
      'registers',
      'stage 1',
      'wait, barrier',
      'fragments',
      'math',
    ]);
    assert.deepEqual(await turing.axe(), []);
  });

  it('shows the pipeline of a pipelined kernel in the memory section', async () => {
    const problem = { m: 512, n: 512, k: 512 };
    const { page } = await opened({ problem, schedule: { algorithm: 'pipelined' } }, PIPELINE);
    await page.locator('#memory .pipeline').waitFor();
    assert.equal(await page.locator('#tensor').count(), 0);
  });
});
