/**
 * Waves in a browser: counts, the size sweep by keyboard and pointer, better sizes, edits and
 * measured runs.
 */
import assert from 'node:assert/strict';
import { until } from '../../../scripts/host/until';
import type { ToWebview } from '../../../src/protocol';
import { newest, timed } from '../../../scripts/page/samples';
import type { ExplorerPage } from '../../../scripts/page/explorerPage';
import { explorerSuite } from '../../helpers/explorerSuite';

type Show = Extract<ToWebview, { type: 'show' }>;

const show = (size: number, over: Partial<Show> = {}): Show => ({
  type: 'show',
  ...newest(),
  spec: {
    problem: { m: size, n: size, k: size },
    schedule: {
      // Field order of a decoded file, because the hash of the text depends on it.
      algorithm: 'pipelined',
      block: { m: 128, n: 128, k: 16 },
      warp: { m: 64, n: 32 },
      thread: { m: 8, n: 8 },
      vector: 4,
      stages: 2,
      minBlocksPerSm: 2,
    },
  },
  name: 'first.gemm.json',
  trusted: true,
  backends: [],
  runs: [],
  ...over,
});

explorerSuite('waves in the page', suite => {
  const opened = async (message: Show): Promise<ExplorerPage> => {
    const explorer = await suite.opened(message, { gpu: 'none', width: 1400, height: 1200 });
    await explorer.page.locator('.saw').waitFor();
    return explorer;
  };

  it('shows tiles, waves, the last wave, tile quantization and resident clusters', async () => {
    const { page } = await opened(show(4096));
    const said = (await page.locator('#waves').innerText()).replace(/\s+/g, ' ');
    assert.match(said, /264: 132 SMs x 2/);
    assert.match(said, /last wave 232 of 264 block slots .*SM load balance 97 %/);
    assert.match(said, /tile quantization 0 %: 0 FLOP/);
    await page.getByText('Resident clusters').first().click();
    await page.getByText('as queried on one chip. Chips differ.').waitFor();
    const clusters = page.getByRole('region', { name: 'Resident clusters' });
    assert.match(await clusters.innerText(), /2\s+264\s+4\s+\d+\s+8\s+\d+\s+16\s+\d+/);
  });

  it('inspects sizes by keyboard, sets one with Enter and reverts it with Undo', async () => {
    const explorer = await opened(show(4096));
    const { page } = explorer;
    const saw = page.getByRole('slider', { name: /Predicted rate over m;/ });
    const readout = page.locator('.saw .readout');
    assert.match(
      await readout.innerText(),
      /^m = 4,096: 1,024 blocks, 4 waves, .* load balance 97 %/,
    );
    await saw.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    const said = await readout.innerText();
    assert.match(
      said,
      /^m = 4,224: 1,056 blocks, 4 waves, 264 in the last wave; load balance 100 %, padding 0 %/,
    );
    assert.equal(await saw.getAttribute('aria-valuetext'), said);
    assert.equal(await saw.getAttribute('aria-valuenow'), '4224');
    await page.keyboard.press('ArrowRight');
    assert.match(await readout.innerText(), /^m = 4,256: 1,088 blocks, 5 waves/);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await page.getByText('Applied: m → 4,224. Use Undo to revert.').waitFor();
    assert.equal(await page.getByLabel('m', { exact: true }).inputValue(), '4224');
    const told = (await explorer.posted()).findLast(({ type }) => type === 'changeSpec');
    assert.match(JSON.stringify(told), /"m":4224/);
    await page.keyboard.press('Control+z');
    await page.waitForFunction(
      () => document.querySelector('.saw .readout')?.textContent.startsWith('m = 4,096') === true,
    );
  });

  it('shows the size under the pointer, and a click sets it', async () => {
    const { page } = await opened(show(4096));
    const plot = page.locator('.saw .plot');
    await plot.scrollIntoViewIfNeeded();
    const box = await plot.boundingBox();
    assert.ok(box !== null);
    await page.mouse.move(box.x + box.width - 2, box.y + 20);
    assert.match(await page.locator('.saw .readout').innerText(), /^m = 8,192/);
    await page.mouse.click(box.x + 1, box.y + 20);
    await page.getByText('Applied: m → 2,048. Use Undo to revert.').waitFor();
  });

  it('names the better size, and its button sets it', async () => {
    const { page } = await opened(show(4096));
    const better = page.getByRole('list', { name: 'Better nearby sizes' });
    const said = await better.locator('> li').first().innerText();
    assert.match(
      said,
      /m = 4,224 is the next larger size that performs better: load balance 100 %, gain \+[\d.]+ %/,
    );
    await better.locator('vscode-button').first().focus();
    await page.keyboard.press('Enter');
    await page.getByText('Applied: m → 4,224').waitFor();
  });

  it('sweeps another dimension or all three, and plots efficiency', async () => {
    const { page } = await opened(show(4096));
    await page.locator('#sweep-axis').focus();
    await page.keyboard.press('End');
    await page.getByRole('slider', { name: /Predicted rate over m = n = k/ }).waitFor();
    assert.match(await page.locator('.saw .readout').innerText(), /^m = n = k = 4,096/);
    await page.locator('#sweep-quantity').focus();
    await page.keyboard.press('End');
    await page.getByRole('slider', { name: /Efficiency over m = n = k/ }).waitFor();
    await page.getByText('Sizes as table').click();
    const table = page.getByRole('region', {
      name: 'Sizes just below and above each tile boundary',
    });
    assert.match(await table.innerText(), /4,096\s+1,024\s+4\s+232\s+97 %/);
  });

  it('plots the entered range, ignores an invalid one, and resets it with the axis', async () => {
    const { page } = await opened(show(4096));
    const saw = page.getByRole('slider', { name: /Predicted rate over m/ });
    const ends = async () =>
      await Promise.all(
        ['aria-valuemin', 'aria-valuemax'].map(async name => Number(await saw.getAttribute(name))),
      );
    assert.deepEqual(await ends(), [2048, 8192]);
    const [from, to] = [page.locator('#sweep-from'), page.locator('#sweep-to')];
    assert.equal(await from.getAttribute('placeholder'), '2048');
    await from.fill('1000');
    await to.fill('3000');
    await page.waitForFunction(
      () => Number(document.querySelector('.saw .plot')?.getAttribute('aria-valuemax')) <= 3000,
    );
    const [first = 0, last = 0] = await ends();
    assert.ok(first >= 1000 && first < 1100 && last > 2900, `${first} ${last}`);
    // The range excludes the current size.
    assert.equal(await page.locator('.saw .point.current').count(), 0);
    await to.fill('900');
    await page.getByText('Enter two increasing sizes from 1').waitFor();
    assert.equal(await to.getAttribute('aria-invalid'), 'true');
    assert.deepEqual(await ends(), [first, last]);
    await page.locator('#sweep-axis').focus();
    await page.keyboard.press('End');
    await page.getByRole('slider', { name: /Predicted rate over m = n = k/ }).waitFor();
    assert.equal(await from.inputValue(), '');
    assert.deepEqual(await ends(), [2048, 8192]);
  });

  it('plots measurements of this schedule at other sizes', async () => {
    const spec = show(4096).spec;
    const other = { ...spec, problem: { ...spec.problem, m: 4224 } };
    const elsewhere = { ...spec, problem: { ...spec.problem, n: 512 } };
    const runs = [timed(3.2, spec), timed(3.1, other), timed(1, elsewhere)];
    const { page } = await opened(show(4096, { runs }));
    await page.locator('.saw .point.measured').nth(1).waitFor({ state: 'attached' });
    assert.equal(await page.locator('.saw .point.measured').count(), 2);
    const readout = page.locator('.saw .readout');
    assert.match(
      await readout.innerText(),
      /[\d.]+ TFLOP\/s predicted\. 42\.9 TFLOP\/s measured\.$/,
    );
    await page.getByRole('slider', { name: /Predicted rate over m;/ }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    assert.match(await readout.innerText(), /^m = 4,224: .* 45\.7 TFLOP\/s measured\.$/);
  });

  it('saves the size sweep as a picture with problem, schedule and machine', async () => {
    const explorer = await opened(show(1024));
    const { page } = explorer;
    const sizes = page.locator('.sizes');
    await sizes.getByText('Save picture').click();
    await sizes.getByRole('button', { name: 'Save SVG' }).click();
    const sent = await until('a saved chart', async () =>
      (await explorer.posted()).find(({ type }) => type === 'exportChart'),
    );
    const { name, content } = sent as { name?: unknown; content?: unknown };
    assert.equal(name, 'size-sweep');
    for (const text of ['Predicted rate over m', '1024 x ', 'NVIDIA H200', 'current size'])
      assert.ok(String(content).includes(text), text);
  });

  it('offers tiles and split-K for unfilled waves', async () => {
    const explorer = await opened(show(1024));
    const { page } = explorer;
    const edits = page.getByRole('list', { name: 'Edits that fill waves' });
    await edits.waitFor();
    assert.match(
      await edits.locator('> li').first().innerText(),
      /predicted [\d.]+ TFLOP\/s → [\d.]+ TFLOP\/s; SM load balance [\d.]+ %/,
    );
    await edits.locator('vscode-button').first().focus();
    await page.keyboard.press('Enter');
    await page.getByText(/^Applied: .*split K 1 → \d\. Use Undo to revert\.$/).waitFor();
    assert.deepEqual(await explorer.axe(), []);
  });

  it('plots efficiency without a prediction', async () => {
    // Its clock is not published.
    const { spec } = show(4096);
    const { page } = await opened(show(4096, { spec: { ...spec, device: 'b200' } }));
    await page.getByRole('slider', { name: /Efficiency over m/ }).waitFor();
    assert.equal(await page.locator('#sweep-quantity').count(), 0);
  });
});
