/** The occupancy section in a browser: limits, curves, and edits that raise it. */
import assert from 'node:assert/strict';
import type { ToWebview } from '../../../src/protocol';
import { newest } from '../../../scripts/page/samples';
import type { ExplorerPage } from '../../../scripts/page/explorerPage';
import { explorerSuite } from '../../helpers/explorerSuite';

type Show = Extract<ToWebview, { type: 'show' }>;

const show = (over: Partial<Show> = {}): Show => ({
  type: 'show',
  ...newest(),
  spec: { problem: { m: 2048, n: 2048, k: 2048 }, schedule: { algorithm: 'thread-tile-2d' } },
  name: 'first.gemm.json',
  trusted: true,
  backends: [],
  runs: [],
  ...over,
});

explorerSuite('occupancy in the page', suite => {
  const opened = (message: Show = show()): Promise<ExplorerPage> =>
    suite.opened(message, { gpu: 'none' });

  it('marks the limiting resource in words', async () => {
    const { page } = await opened();
    const rows = await page.locator('#occupancy .bars tr').allInnerTexts();
    const limiting = rows.filter(text => text.includes('limiter'));
    assert.equal(limiting.length, 1);
    assert.match(limiting[0] ?? '', /registers\s+2/);
  });

  it('applies an edit with one button and reaches its occupancy', async () => {
    const explorer = await opened();
    const { page } = explorer;
    await page
      .getByText('24 fewer registers per thread (80 instead of 104) allow 3 blocks/SM.')
      .waitFor();
    const edit = page.locator('.edits > li').first();
    assert.match(
      await edit.innerText(),
      /3 blocks\/SM of 256 threads, 37\.5 %, about 68 registers/,
    );
    assert.match(await edit.innerText(), /30\.1 → 20\.5 FLOP\/B/);
    await edit.locator('vscode-button').focus();
    await page.keyboard.press('Enter');
    await page
      .locator('#occupancy .headline', { hasText: '24 of 64 warps, 3 blocks/SM' })
      .waitFor();
    assert.equal(await page.getByLabel('BM').inputValue(), '64');
    await page.getByText('Applied: BM 128 → 64, TM 8 → 4. Use Undo to revert.').waitFor();
    assert.equal(
      await page.evaluate(() => document.activeElement?.className),
      'next-steps',
      'the focus stays',
    );
    const told = (await explorer.posted()).findLast(({ type }) => type === 'changeSpec');
    assert.match(JSON.stringify(told), /"thread":\{"m":4,"n":8\}/);
  });

  it('inspects a curve by keyboard and pointer, and resets it', async () => {
    const { page } = await opened();
    const registers = page.getByRole('slider', { name: /Registers per thread/ });
    const readout = page.locator('.curve', { has: registers }).locator('.readout');
    assert.equal(await readout.innerText(), '104: 25 %');
    await registers.focus();
    await page.keyboard.press('ArrowLeft');
    const first = await readout.innerText();
    assert.match(first, /65 to 80: 3 blocks\/SM, 24 warps, 37\.5 %/);
    assert.equal(await registers.getAttribute('aria-valuetext'), first);
    await page.keyboard.press('Home');
    assert.match(await readout.innerText(), /^1 to 32: .* 100 % occupancy$/);
    await page.keyboard.press('Escape');
    assert.match(await readout.innerText(), /^104: /);
    const box = await registers.boundingBox();
    assert.ok(box !== null);
    await page.mouse.move(box.x + 2, box.y + 10);
    assert.match(await readout.innerText(), /^1 to 32/);
    await page.mouse.move(0, 0);
    assert.match(await readout.innerText(), /^104: /);
  });

  it('lists the curves as tables, and reports missing rules of other vendors', async () => {
    const explorer = await opened();
    const { page } = explorer;
    await page.getByText('Curves as tables').click();
    const table = page.getByRole('region', { name: 'Registers per thread' });
    assert.match(await table.innerText(), /65 to 80\s+3\s+24\s+37\.5 %/);
    await explorer.send(show({ spec: { ...show().spec, device: 'apple-m4' } }));
    await page.locator('#occupancy').getByText('No occupancy rules are published').waitFor();
    await page.waitForFunction(() => document.querySelector('.curve') === null);
  });
});
