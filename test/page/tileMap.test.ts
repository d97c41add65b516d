/**
 * The tile map in the explorer: the pointer, the arrow keys and the fields select an element of C.
 */
import assert from 'node:assert/strict';
import { newest } from '../../scripts/page/samples';
import type { GemmSpec } from '../../src/core/spec/schema';
import { explorerSuite } from '../helpers/explorerSuite';

const SPEC: GemmSpec = {
  problem: { m: 1024, n: 512, k: 256 },
  schedule: { algorithm: 'warp-tile', block: { m: 128, n: 128, k: 16 } },
};

explorerSuite('the tile map', suite => {
  const opened = (spec = SPEC) =>
    suite.opened(
      {
        type: 'show',
        ...newest(),
        spec,
        name: 'first.gemm.json',
        trusted: true,
        backends: [],
        runs: [],
      },
      { gpu: 'none' },
    );

  it('shows block, warp, lane, register and line of the selected element', async () => {
    const { page } = await opened();
    const readout = page.locator('#tiles .readout');
    await readout.waitFor();
    assert.match(
      await readout.innerText(),
      /^C\(5, 7\): thread block \(0, 0\), warp 0, lane \d+ \(thread \d+\), register acc\[\d\]\[\d\]\. Thread \d+ stores the element in line \d+\./,
    );
    await page.getByLabel('row of C', { exact: true }).fill('300');
    await page.getByLabel('column of C', { exact: true }).fill('200');
    await readout.filter({ hasText: /^C\(300, 200\): thread block \(1, 2\), warp \d+/ }).waitFor();
  });

  it('moves by tiles over the matrices and by elements in the block tile, with arrow keys', async () => {
    const { page } = await opened();
    const readout = page.locator('#tiles .readout');
    const [matrices, block] = [
      page.locator('#tiles .map-surface').first(),
      page.locator('#tiles .map-surface').last(),
    ];
    await matrices.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await readout.filter({ hasText: /^C\(133, 135\): thread block \(1, 1\)/ }).waitFor();
    await block.focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowUp');
    await readout.filter({ hasText: /^C\(132, 134\): thread block \(1, 1\)/ }).waitFor();
  });

  it('selects the element under the pointer', async () => {
    const { page } = await opened();
    const block = page.locator('#tiles .map-surface').last();
    await block.scrollIntoViewIfNeeded();
    const box = await block.boundingBox();
    assert.ok(box !== null);
    await page.mouse.move(box.x + box.width - 2, box.y + box.height - 2);
    await page
      .locator('#tiles .readout')
      .filter({ hasText: /^C\(127, 127\): .*warp 7, lane 31/ })
      .waitFor();
  });

  it('keeps the selection inside of C when the problem shrinks', async () => {
    const { page } = await opened({
      ...SPEC,
      problem: { m: 3, n: 2, k: 16 },
      schedule: { algorithm: 'naive' },
    });
    assert.match(await page.locator('#tiles .readout').innerText(), /^C\(2, 1\): thread block/);
  });
});
