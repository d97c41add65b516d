/**
 * The tile map in the explorer: the pointer, the arrow keys and the fields select an element of C.
 */
import assert from 'node:assert/strict';
import { until } from '../../scripts/host/until';
import { newest } from '../../scripts/page/samples';
import { TENSOR_SPEC } from '../../scripts/page/tensorSample';
import type { GemmSpec } from '../../src/core/spec/schema';
import type { FromWebview } from '../../src/protocol';
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
      /^C\(5, 7\): block \(0, 0\), warp 0, lane \d+, thread \d+, register acc\[\d\]\[\d\]\.$/,
    );
    await page.getByLabel('row of C', { exact: true }).fill('300');
    await page.getByLabel('column of C', { exact: true }).fill('200');
    await readout.filter({ hasText: /^C\(300, 200\): block \(1, 2\), warp \d+/ }).waitFor();
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
    await readout.filter({ hasText: /^C\(133, 135\): block \(1, 1\)/ }).waitFor();
    await block.focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowUp');
    await readout.filter({ hasText: /^C\(132, 134\): block \(1, 1\)/ }).waitFor();
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

  it('shows addresses, sectors, banks and lines, and highlights the lines', async () => {
    const { page, posted, send } = await opened();
    const rows = page
      .getByRole('table', { name: 'Addresses and lines of the selected elements' })
      .locator('tbody tr');
    await rows.first().waitFor();
    const [a, b, c] = await rows.allInnerTexts();
    assert.match(a ?? '', /^A\(5, 3\)\t5,132\t160\tAs: \d+\tload [\d, -]+; shared store/);
    assert.match(b ?? '', /^B\(3, 7\)\t6,172\t192\tBs: \d+\tload/);
    assert.match(c ?? '', /^C\(5, 7\)\t10,268\t320\t\tFMA \d+.*; store \d+/);
    await rows.first().getByRole('button').click();
    const messages = (await posted()) as readonly FromWebview[];
    const message = messages.findLast(({ type }) => type === 'highlightLines');
    assert.ok(message?.type === 'highlightLines');
    const [first] = message.lines;
    assert.ok(first !== undefined);
    assert.equal(await page.locator('#code .linked-lines').count(), message.lines.length);
    const source = (await page.locator('#code .source').innerText()).split('\n');
    assert.match(source.slice(first.first - 1, first.last).join(), /\bA\[/);
    const staged = page.locator('#tiles .staged.linked');
    assert.equal(await staged.count(), 0);
    await send({ type: 'cursor', sourceHash: message.sourceHash, line: first.first });
    await staged.waitFor();
  });

  it('distinguishes the lines that call the epilogue, stage C and issue the TMA store', async () => {
    const { page } = await opened(TENSOR_SPEC);
    const lines = page
      .getByRole('table', { name: 'Addresses and lines of the selected elements' })
      .locator('tbody tr')
      .last()
      .getByRole('button');
    const text = await lines.innerText();
    assert.match(text, /^MMA \d+; epilogue \d+; stmatrix \d+-\d+; TMA store \d+$/);
    const source = (await page.locator('#code .source').innerText()).split('\n');
    const lineOf = (use: string): string =>
      source[Number(new RegExp(`${use} (\\d+)`).exec(text)?.[1]) - 1] ?? '';
    assert.match(lineOf('epilogue'), /storeTile\(acc/);
    assert.match(lineOf('stmatrix'), /stmatrix4\(/);
    assert.match(lineOf('TMA store'), /tmaStore\(map/);
  });

  it('shows the layouts of the matrices and a legend with the colors of the pictures', async () => {
    const { page } = await opened({
      ...SPEC,
      problem: { m: 4096, n: 4096, k: 256, b: { layout: 'col' } },
    });
    const captions = page.locator('#tiles figcaption');
    await captions.getByText('A, C row-major; B column-major').waitFor();
    const [operands, block] = [
      page.locator('#tiles ul.map-legend').first(),
      page.locator('#tiles ul.map-legend').last(),
    ];
    const namesOf = async (legend: typeof operands) => legend.locator('li').allInnerTexts();
    const [waves = '', ...others] = await namesOf(operands);
    assert.match(waves, /^C by wave, up to \d+ blocks$/);
    assert.deepEqual(others, ['k-iteration']);
    assert.match(await captions.last().innerText(), /^128 x 128 block tile$/);
    assert.equal(await captions.last().locator('.block, .panel').count(), 2);
    assert.equal(await operands.locator('li').first().locator('svg').count(), 4);
    assert.deepEqual(await namesOf(block), ['warp', 'thread', 'element']);
    const fillOf = (selector: string): Promise<string> =>
      page
        .locator(`#tiles ${selector}`)
        .first()
        .evaluate(shape => getComputedStyle(shape).fill);
    for (const name of ['wave-0', 'wave-3', 'staged', 'panel', 'chosen', 'thread'])
      assert.equal(
        await fillOf(`.map-legend .${name}`),
        await fillOf(`.map-surface .${name}`),
        name,
      );
  });

  it('selects k in A and B', async () => {
    const { page } = await opened();
    const matrices = page.locator('#tiles .map-surface').first();
    await matrices.scrollIntoViewIfNeeded();
    const box = await matrices.boundingBox();
    assert.ok(box !== null);
    await page.mouse.move(box.x + 20, box.y + box.height - 4);
    const k = page.locator('#tiles').getByLabel('k of A and B');
    await page
      .locator('#tiles .readout')
      .filter({ hasText: /^C\(10\d\d, 7\)/ })
      .waitFor();
    assert.ok(Number(await k.inputValue()) > 10);
  });

  it('changes the block tile with the arrow keys and by dragging, in legal steps', async () => {
    const { page, posted } = await opened();
    const edge = page.getByRole('slider', { name: 'rows of the block tile' });
    await edge.focus();
    await page.keyboard.press('ArrowUp');
    await page.locator('#tiles figcaption', { hasText: '64 x 128' }).waitFor();
    assert.equal(await edge.getAttribute('aria-valuenow'), '64');
    const box = await edge.boundingBox();
    assert.ok(box !== null);
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, y + 3 * 16, { steps: 4 });
    await page.mouse.up();
    await page.locator('#tiles figcaption', { hasText: '256 x 128' }).waitFor();
    const changes = ((await posted()) as readonly FromWebview[]).filter(
      ({ type }) => type === 'changeSpec',
    );
    assert.ok(changes.length >= 2);
    assert.equal(await page.locator('#analysis .not-legal').count(), 0);
  });

  it('is saved in light and dark colors, with a title, the kernel and the owner', async () => {
    const explorer = await opened();
    const { page } = explorer;
    await page.locator('#tiles summary', { hasText: 'Save picture' }).click();
    const colors = page.getByRole('combobox', { name: 'Colors of the picture' });
    const saved = async (count: number): Promise<string> => {
      await page.getByRole('button', { name: 'Save SVG' }).click();
      const charts = await until('the chart to be sent', async () => {
        const sent = (await explorer.posted()).filter(({ type }) => type === 'exportChart');
        return sent.length === count ? sent : undefined;
      });
      return JSON.stringify(charts.at(-1));
    };
    const light = await saved(1);
    assert.match(light, /"name":"tile-map","format":"svg"/);
    for (const text of [
      '>Tile map<',
      '1024 x 512 x 256 f32, warp-tile 128x128x16',
      'C(5, 7): block',
    ])
      assert.ok(light.includes(text), text);
    await colors.press('ArrowDown');
    assert.match(await saved(2), /#1f1f1f/);
    assert.deepEqual(await explorer.axe(), []);
  });

  it('changes the warp tile with the arrow keys', async () => {
    const { page } = await opened();
    const edge = page.getByRole('slider', { name: 'columns of the warp tile' });
    const before = Number(await edge.getAttribute('aria-valuenow'));
    await edge.focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(
      ([name, value]) =>
        document
          .querySelector(`[role=slider][aria-label='${name}']`)
          ?.getAttribute('aria-valuenow') !== String(value),
      ['columns of the warp tile', before] as const,
    );
  });

  it('keeps the selection inside of C when the problem shrinks', async () => {
    const { page } = await opened({
      ...SPEC,
      problem: { m: 3, n: 2, k: 16 },
      schedule: { algorithm: 'naive' },
    });
    assert.match(await page.locator('#tiles .readout').innerText(), /^C\(2, 1\): block/);
  });
});
