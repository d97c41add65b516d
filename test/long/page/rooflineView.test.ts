/** The roofline section in a browser: zoom, readouts, the trail of runs, and export. */
import assert from 'node:assert/strict';
import { drawn } from '../../../scripts/page/openedPage';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import * as v from 'valibot';
import type { ExplorerPage, PageOptions } from '../../../scripts/page/explorerPage';
import { resolve } from '../../../src/core/defaults/resolve';
import { measurementSchema } from '../../../src/core/measure/measurement';
import { chartBytes } from '../../../src/extension/explorer/chartFile';
import { explorerSuite } from '../../helpers/explorerSuite';
import { timed } from '../../helpers/measurements';
import { spec, resolved, earlier, own, show, type Show } from '../../helpers/rooflineRuns';

explorerSuite('roofline in the page', suite => {
  const opened = async (message = show(), options: PageOptions = {}): Promise<ExplorerPage> => {
    const explorer = await suite.opened(message, { gpu: 'none', ...options });
    // Memory levels are added after the first frame and widen the chart.
    if (message.own === undefined) await explorer.page.waitForSelector('#roofline .mark.level');
    return explorer;
  };
  const openSave = (page: Page): Promise<void> =>
    page.locator('#roofline').getByText('Save picture').click();
  const ticks = ({ page }: ExplorerPage) => page.locator('#roofline text.tick').allTextContents();

  it('zooms and pans by buttons, keys and the wheel, and resets', async () => {
    const explorer = await opened();
    const { page } = explorer;
    const whole = await ticks(explorer);
    const chart = page.locator('#roofline .chart');
    await page.getByRole('button', { name: 'Zoom in' }).click();
    const near = await ticks(explorer);
    assert.notDeepEqual(near, whole);
    await chart.focus();
    await page.keyboard.press('ArrowRight');
    const right = await ticks(explorer);
    await page.keyboard.press('+');
    await page.keyboard.press('-');
    await page.keyboard.press('0');
    assert.deepEqual(await ticks(explorer), whole);
    assert.ok(right.length > 0);
    const box = await chart.boundingBox();
    assert.ok(box !== null);
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -300);
    await page.keyboard.up('Control');
    await page.waitForFunction(
      before => document.querySelector('#roofline .chart')?.classList.contains('zoomed') === before,
      true,
    );
    const zoomedIn = await ticks(explorer);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 4, box.y + box.height / 2, { steps: 4 });
    await page.mouse.up();
    assert.notDeepEqual(await ticks(explorer), zoomedIn, 'dragged');
    await page.getByRole('button', { name: 'Show all' }).click();
    assert.deepEqual(await ticks(explorer), whole);
  });

  it('reads ceilings, points and runs out by keyboard and by pointer', async () => {
    const { page } = await opened();
    const options = page.getByRole('option');
    const readout = page.locator('#roofline .readout');
    assert.equal(
      await options.count(),
      4 + 4 + 5 + 3,
      'points, ceilings, memory ceilings, earlier runs',
    );
    assert.match(
      await readout.innerText(),
      /^measured: .*48\.3 TFLOP\/s at 341 FLOP\/B, 72\.2 % of attainable, interval unknown, measured on NVIDIA H200/,
    );
    assert.equal(await page.locator('#roofline [role=option][tabindex="0"]').count(), 1);
    await page.locator('#roofline [role=option][tabindex="0"]').focus();
    const seen: string[] = [];
    for (let i = 0; i < 16; i++) {
      seen.push(await readout.innerText());
      const label = await page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
      assert.ok(seen.at(-1)?.startsWith(label?.split(',')[0] ?? 'none'), label ?? '');
      await page.keyboard.press('ArrowRight');
    }
    assert.equal(new Set(seen).size, 16);
    for (const words of [
      'attainable',
      'without caches',
      'predicted by the time model',
      'f32 peak',
      'DRAM bandwidth',
      'other-0',

      '128 B/clock x 132 SMs',
      'tensor cores in tf32, not used',
      'an H200, https://',
    ]) {
      assert.ok(
        seen.some(text => text.includes(words)),
        words,
      );
    }
    assert.ok(seen.some(text => text.includes('datasheet of NVIDIA H200')));
    assert.ok(
      seen.some(text => /copy, measured on this GPU model .*measured on NVIDIA H200/.test(text)),
    );
    await page.locator('[data-item="ceiling:1"] line.reach').hover({ force: true });
    assert.match(await readout.innerText(), /^DRAM bandwidth 4,800 GB\/s/);
  });

  it('switches memory ceilings on and off, and lists all of them as a table', async () => {
    const explorer = await opened();
    const { page } = explorer;
    await page.getByText('Ceilings in the chart').first().click();
    const roofs = page.locator('fieldset.roofs');
    const marks = (key: string) => page.locator(`[data-item="roof:${key}"] path.level`);
    assert.equal(await roofs.getByRole('checkbox').count(), 5);
    assert.equal(await marks('l2').count(), 1);
    await roofs.getByLabel('L2').uncheck();
    await marks('l2').waitFor({ state: 'detached' });
    assert.equal(await marks('l1').count(), 1);
    await roofs.getByLabel('tensor cores in tf32, not used').uncheck();
    await page.locator('#roofline line.ceiling-unused').waitFor({ state: 'detached' });
    await page.getByText('Memory ceilings and ridge points').click();
    const table = page.getByRole('region', { name: 'Memory ceilings by level' });
    await table.waitFor();
    const rows = await table.locator('tbody tr').allInnerTexts();
    assert.deepEqual(
      rows.map(row => row.split('\t')[0]),
      ['shared memory', 'L1', 'L2', 'DRAM', 'DRAM'],
    );
    assert.match(rows[2] ?? '', /9,675 GB\/s\t.* %\t.* %\tmeasured an H200/is);
    assert.deepEqual(await explorer.axe(), []);
    // Another configuration keeps the switches.
    await page.getByLabel('BM').first().fill('64');
    await page.waitForFunction(() => document.querySelector('.later.stale') === null);
    assert.equal(await marks('l2').count(), 0);
  });

  it('names the FMA units that a tensor-core kernel does not use', async () => {
    const bf16 = { a: { dtype: 'bf16' }, b: { dtype: 'bf16', layout: 'col' } } as const;
    const problem = { m: 2048, n: 2048, k: 2048, ...bf16 } as const;
    const wgmma: Show['spec'] = { problem, schedule: { algorithm: 'wgmma' }, targets: ['cuda'] };
    const { page } = await opened(show({ spec: wgmma, runs: [] }));
    await page.getByText('Ceilings in the chart').first().click();
    const roofs = page.locator('fieldset.roofs');
    await roofs.getByLabel('FMA units in f32, not used').uncheck();
    await page.locator('#roofline line.ceiling-unused').waitFor({ state: 'detached' });
    assert.equal(await roofs.getByText(/tensor cores/).count(), 0);
  });

  it('shows measured ceilings of levels and units, for other tiles too', async () => {
    const text = readFileSync('test/fixtures/h200-ceilings.json', 'utf8');
    const ceilings = v.parse(measurementSchema.entries.ceilings.wrapped, JSON.parse(text));
    const run = timed({ gflops: 42_500, resolved, sourceHash: 'c'.repeat(64), ceilings });
    const explorer = await opened(show({ runs: [run] }));
    const { page } = explorer;
    const option = (name: string) => page.getByRole('option', { name });
    const l2 = option('L2 reads, measured on this GPU, 7,274 GB/s, memory ceiling');
    const wgmma = option('tf32 wgmma, measured on this GPU, 442 TFLOP/s, compute ceiling');
    for (const one of [l2, wgmma]) await one.waitFor({ state: 'attached' });
    await page.getByText('Ceilings in the chart').first().click();
    const roofs = page.locator('fieldset.roofs');
    await roofs.getByLabel('L2').uncheck();
    await l2.waitFor({ state: 'detached' });
    await roofs.getByLabel('tensor cores in tf32, not used').uncheck();
    await wgmma.waitFor({ state: 'detached' });
    await page.getByText('Memory ceilings and ridge points').click();
    const here = page.locator('#roofline tbody tr', { hasText: 'on this GPU (NVIDIA H200' });
    await here.nth(2).waitFor();
    const rows = await page.locator('#roofline tbody tr').allInnerTexts();
    const measured = rows.filter(row => row.includes('on this GPU (NVIDIA H200'));
    assert.deepEqual(
      measured.map(row => row.split('\t').slice(0, 2).join(' ')),
      ['shared memory 31,002 GB/s', 'L2 7,274 GB/s', 'DRAM 4,205 GB/s'],
    );
    const units = rows.filter(row => row.startsWith('FMA units in f32'));
    assert.equal(units.length, 2, 'datasheet and measured');
    assert.deepEqual(await explorer.axe(), []);
  });

  it('warns of a ceiling below a run, and remeasures it', async () => {
    const ceilings = { gflops: 40_000, bandwidthGBps: 4000, how: 'FMA chains' };
    const explorer = await opened(show({ runs: [{ ...own, ceilings }] }), { width: 420 });
    const { page } = explorer;
    const note = page.locator('#roofline .doubt');
    await note.scrollIntoViewIfNeeded();
    assert.match(
      await note.innerText(),
      /“FMA, measured on this GPU” \(40 TFLOP\/s\) is doubtful: a run on this machine reached 48\.3 TFLOP\/s\./,
    );
    await note.getByRole('button', { name: 'Benchmark and remeasure ceilings' }).click();
    assert.deepEqual(
      (await explorer.posted()).filter(({ type }) => type === 'run'),
      [{ type: 'run', backend: 'cuda', mode: 'time' }],
    );
  });

  it('connects the runs in time, and hides them on request', async () => {
    const { page } = await opened();
    assert.equal(
      await page.locator('#roofline .mark.trail').count(),
      3,
      'up to the newest, which is its own',
    );
    await page.getByLabel('Earlier runs of this problem on this machine (3)').uncheck();
    assert.equal(await page.locator('#roofline .mark.trail').count(), 0);
    await page.getByText('Chart as table').click();
    const table = page.getByRole('region', { name: /^Earlier runs/ });
    await table.waitFor();
    await table.waitFor();
    const rows = await table.locator('tbody tr').allInnerTexts();
    assert.equal(rows.length, 3);
    assert.match(rows[0] ?? '', /^other-2, CUDA\s+31\.4 TFLOP\/s\s+46\.9 % of attainable/);
  });

  it('never shows the runs of another problem or of another machine', async () => {
    const foreign = [
      timed({ gflops: 11_000, resolved: resolve({ problem: { m: 64, n: 64, k: 64 } }) }),
      timed({ gflops: 12_000, resolved, name: 'NVIDIA GeForce RTX 4090' }),
    ];
    const { page } = await opened(show({ runs: foreign }));
    assert.equal(
      await page.locator('#roofline .chart .mark.earlier, #roofline .chart .mark.measured').count(),
      0,
    );
    assert.equal(await page.getByText('Earlier runs of this problem').count(), 0);
  });

  it('explains the two intensities of a problem', async () => {
    const { page } = await opened();
    await page.getByText('Arithmetic intensities').click();
    const facts = (await page.locator('#roofline .facts').innerText()).replace(/\s+/g, ' ');
    assert.match(facts, /341 FLOP\/B derived .*C written once \(beta = 0\)/);
    assert.match(facts, /textbook intensity 256 FLOP\/B derived C read and written/);
  });

  it('exports standalone files', async () => {
    const explorer = await opened(show(), { theme: 'light' });
    const { page } = explorer;
    await openSave(page);
    for (const name of ['Save SVG', 'Save PNG', 'Save CSV']) {
      await page.getByRole('button', { name }).click();
    }
    await page.waitForFunction(
      () =>
        (globalThis as unknown as { stub: { posted: { type: string }[] } }).stub.posted.filter(
          ({ type }) => type === 'exportChart',
        ).length === 3,
    );
    const sent = (await explorer.posted()).filter(({ type }) => type === 'exportChart');
    const content = (format: string) =>
      String(sent.find(message => message['format'] === format)?.['content']);
    assert.match(content('svg'), /fill="#ffffff"/);
    assert.doesNotMatch(content('svg'), /var\(--/);
    const bytes = chartBytes('png', content('png'));
    assert.ok(bytes !== undefined);
    const size = new DataView(bytes.buffer);
    const [, width, height] = /width="(\d+)" height="(\d+)"/.exec(content('svg')) ?? [];
    assert.deepEqual(
      [size.getUint32(16), size.getUint32(20)],
      [2 * Number(width), 2 * Number(height)],
      'twice its size',
    );
    for (const text of [
      'Roofline of 2048 x 2048 x 2048 f32',
      '.cu<',
      'NVIDIA H200, measured ',
      'datasheet ceiling',
      'measured: 48.3 TFLOP/s, 72.2 % of attainable',
    ])
      assert.ok(content('svg').includes(text), text);
    assert.equal(content('csv').split('\r\n').length, 1 + (4 + 3) + 4 + 4 + 3 + 1);
    assert.deepEqual(await explorer.cspViolations(), []);
    assert.deepEqual(explorer.errors, []);
  });

  it('saves in the chosen colors, whatever the theme of the page', async () => {
    const explorer = await opened(show(), { theme: 'dark' });
    const { page } = explorer;
    const saved = async (count: number): Promise<string> => {
      await page.getByRole('button', { name: 'Save SVG' }).click();
      await page.waitForFunction(
        most =>
          (globalThis as unknown as { stub: { posted: { type: string }[] } }).stub.posted.filter(
            ({ type }) => type === 'exportChart',
          ).length === most,
        count,
      );
      const sent = (await explorer.posted()).filter(({ type }) => type === 'exportChart');
      return String((sent.at(-1) as { content?: unknown } | undefined)?.content);
    };
    await openSave(page);
    assert.match(await saved(1), /<rect [^>]*fill="#ffffff"/);
    await page.getByRole('combobox', { name: 'Colors of the picture' }).press('ArrowDown');
    assert.match(await saved(2), /<rect [^>]*fill="#1f1f1f"/);
  });

  it('copies the picture as PNG', async () => {
    const { page } = await opened();
    await page.evaluate(() => {
      const write = async ([item]: ClipboardItem[]): Promise<void> => {
        const blob = await item?.getType('image/png');
        document.body.dataset['copied'] = `${blob?.type} ${(blob?.size ?? 0) > 10_000}`;
      };
      Object.defineProperty(navigator, 'clipboard', { value: { write } });
    });
    await openSave(page);
    await page.getByRole('button', { name: 'Copy PNG' }).click();
    await page.getByText('Copied.').waitFor();
    assert.equal(await page.evaluate(() => document.body.dataset['copied']), 'image/png true');
  });

  it('saves nothing in an untrusted workspace and shows why', async () => {
    const explorer = await opened(show({ trusted: false }));
    const { page } = explorer;
    await openSave(page);
    await page.getByText('Saving requires a trusted workspace').waitFor();
    await page.getByRole('button', { name: 'Save SVG' }).dispatchEvent('click');
    await drawn(page);
    assert.ok(!(await explorer.posted()).some(({ type }) => type === 'exportChart'));
  });

  it('shows only the measurements of a handwritten kernel that was not compiled', async () => {
    const sourceHash = 'c'.repeat(64);
    const mine = timed({ gflops: 7000, specKey: 'mine', sourceHash });
    const neighbour = timed({ gflops: 9000, specKey: 'mine-other', sourceHash });
    const explorer = await opened(
      show({
        runs: [...earlier, own, mine, neighbour],
        own: {
          name: 'mine.cu',
          entry: 'sgemm',
          origin: 'hand-written',
          sourceHash,
          specKey: 'mine',
          threads: 256,
          dynamicSharedBytes: 0,
          spec: { problem: spec.problem, device: 'h200' },
        },
      }),
      { width: 480 },
    );
    const { page } = explorer;
    assert.match(
      await page.locator('header.top').innerText(),
      /sgemm, 2,048 x 2,048 x 2,048 f32\s+mine\.cu/,
    );
    assert.equal(await page.locator('#roofline .chart .mark.measured').count(), 1);
    assert.match(
      await page.locator('#roofline .readout').innerText(),
      /^measured: mine 7 TFLOP\/s/,
    );
    for (const part of ['#configuration', '#memory', '#code', '.mark.without-caches']) {
      assert.equal(await page.locator(part).count(), 0, part);
    }
    assert.deepEqual(await explorer.axe(), []);
    await explorer.send(show());
    await page.waitForSelector('#verdict');
  });
});
