import assert from 'node:assert/strict';
import { until } from '../../scripts/host/until';
import { drawn, settled } from '../../scripts/page/openedPage';
import type { ExplorerPage } from '../../scripts/page/explorerPage';
import { ILLEGAL, show } from '../../scripts/page/samples';
import type { GemmSpec } from '../../src/core/spec/schema';
import { explorerSuite } from '../helpers/explorerSuite';

explorerSuite('explorer page', ({ opened }) => {
  const texts = async ({ page }: ExplorerPage) => ({
    code: await page.locator('pre.source').innerText(),
    occupancy: await page.locator('#occupancy').innerText(),
    roofline: await page.locator('#roofline').innerText(),
  });

  it('updates code, occupancy and roofline for a changed tile, and reports it to the extension', async () => {
    const explorer = await opened(show());
    const { page } = explorer;
    const before = await texts(explorer);
    await page.getByLabel('BM').fill('64');
    await until('every section to change', async () => {
      const now = await texts(explorer);
      const isChanged = now.occupancy !== before.occupancy && now.roofline !== before.roofline;
      return isChanged && now.code.includes('constexpr int BM = 64;') ? true : undefined;
    });
    const told = (await explorer.posted()).filter(({ type }) => type === 'changeSpec').at(-1);
    assert.match(JSON.stringify(told), /"block":\{"m":64,"n":128,"k":8\}/);
    assert.match(JSON.stringify(await explorer.saved()), /"m":64/);
  });

  it('keeps the requested section visible below the sticky header while views load', async () => {
    for (const width of [300, 900, 2000]) {
      const { page } = await opened(show({ focus: 'roofline' }), { width, gpu: 'none' });
      await page.getByText('Curves as tables').waitFor();
      await page.waitForFunction(() => {
        const head = document.querySelector('.page-head') ?? document.body;
        const sticks = getComputedStyle(head).position === 'sticky' ? head : head.lastElementChild;
        const below = sticks?.getBoundingClientRect().bottom ?? NaN;
        const top = document.getElementById('roofline')?.getBoundingClientRect().top ?? NaN;
        return top >= below && top < below + 40;
      });
    }
  });

  it('shows the tiles beside the parameters at every width that fits both', async () => {
    for (const width of [800, 1000, 1279, 1600]) {
      const { page } = await opened(show(), { width, gpu: 'none', withForm: true });
      await page.locator('#tiles').waitFor();
      const form = await page.locator('.configure').boundingBox();
      const tiles = await page.locator('#tiles').boundingBox();
      assert.ok(form !== null && tiles !== null);
      assert.ok(tiles.x >= form.x + form.width, `${width} px: beside`);
      assert.ok(tiles.y < form.y + 100, `${width} px: at the top`);
    }
  });

  it('gives every element an id of its own', async () => {
    const { page } = await opened(show(), { width: 1600, withForm: true });
    await page.locator('.configure').waitFor();
    const ids = await page.evaluate(() => [...document.querySelectorAll('[id]')].map(e => e.id));
    assert.deepEqual(
      ids.filter((id, index) => ids.indexOf(id) !== index),
      [],
    );
  });

  it('scrolls to the requested section, also repeatedly', async () => {
    const explorer = await opened(show(), { width: 600 });
    for (const focus of ['code', 'top', 'code', 'code'] as const) {
      await explorer.send(show({ focus }));
      await explorer.page.waitForFunction(
        id => Math.abs(document.getElementById(id)?.getBoundingClientRect().top ?? 1e9) < 300,
        focus,
      );
      if (focus === 'code') await explorer.page.mouse.wheel(0, -5000);
    }
  });

  it('steps a tile size to the next power of two with the arrow keys', async () => {
    const { page } = await opened(show());
    await page.getByLabel('BN').press('ArrowDown');
    assert.equal(await page.getByLabel('BN').inputValue(), '64');
  });

  it('shows the reason at the field and fixes it with one click', async () => {
    const { page } = await opened(ILLEGAL, { withForm: true });
    const field = page.getByLabel('lda');
    assert.equal(await field.getAttribute('aria-invalid'), 'true');
    const ids = (await field.getAttribute('aria-describedby'))?.split(' ') ?? [];
    const why = await page.locator(`#${ids.at(-1) ?? ''}`).innerText();
    assert.match(why, /leading dimension of at least 256; got 100/);
    await page.locator('#configuration').getByText('Use 256', { exact: true }).click();
    await until('a legal value', async () =>
      (await field.getAttribute('aria-invalid')) === 'false' ? true : undefined,
    );
    assert.equal(await field.inputValue(), '256');
    await page.locator('#configuration').getByText('Use 16', { exact: true }).first().click();
    await page.waitForSelector('#occupancy');
  });

  it('offers the nearest value per target', async () => {
    const { page } = await opened(
      show({
        spec: {
          problem: { m: 256, n: 256, k: 256 },
          schedule: {
            algorithm: 'thread-tile-2d',
            block: { m: 63, n: 64, k: 8 },
            thread: { m: 4, n: 4 },
          },
        },
      }),
      { withForm: true },
    );
    const rows = page.locator('#field-schedule-thread-m-why li');
    const said = (await rows.allInnerTexts()).map(text => text.replace(/\s+/g, ' '));
    assert.equal(said.length, 2, said.join('\n'));
    // 63 x 64 / (3 x 4) = 336 threads, more than WebGPU's 256.
    assert.match(said[0] ?? '', /^TM CUDA .* Use 3$/);
    assert.match(said[1] ?? '', /^TM WGSL .* Use 7$/);
  });

  it('keeps invalid text, shows the reason and restores the value', async () => {
    const { page } = await opened(show());
    const field = page.getByLabel('k', { exact: true });
    await field.fill('12.5');
    await field.blur();
    assert.equal(await field.inputValue(), '12.5');
    await page.getByText('Expected an integer, got 12.5.').waitFor();
    await page.getByText('Restore').click();
    assert.equal(await field.inputValue(), '256');
  });

  it('chooses an algorithm by keyboard alone', async () => {
    const { page } = await opened(show());
    await page.locator('#field-schedule-algorithm').focus();
    await page.keyboard.press('Enter');
    for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelector('h1')?.textContent.includes('naive'));
    assert.equal(await page.getByLabel('TM').count(), 0);
  });

  it('removes a choice and names its default', async () => {
    const split: GemmSpec = {
      problem: { m: 4096, n: 4096, k: 4096 },
      schedule: { algorithm: 'wgmma', split: 'tf32x3' },
      device: 'h200',
      targets: ['cuda'],
    };
    const { page, posted } = await opened(show({ spec: split }), { withForm: true });
    const field = page.locator('#field-schedule-split');
    await field.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await field.getByText('off', { exact: true }).first().waitFor({ state: 'attached' });
    const told = (await posted()).findLast(({ type }) => type === 'changeSpec');
    assert.deepEqual(told?.['spec'], { ...split, schedule: { algorithm: 'wgmma' } });
  });

  it('switches between CUDA and WGSL with the arrow keys', async () => {
    const { page } = await opened(show());
    await page.getByRole('tab', { name: 'CUDA' }).press('ArrowRight');
    await page.locator('pre.source', { hasText: '@compute' }).waitFor();
    await page.waitForFunction(
      () => document.querySelector<HTMLSelectElement>('#target')?.value === 'wgsl',
    );
  });

  it('drops unknown messages', async () => {
    const explorer = await opened(show());
    await explorer.page.locator('#spoken').getByText('Legal for').waitFor({ state: 'attached' });
    const root = explorer.page.locator('#root');
    // Sections render one after the other when the page is idle.
    const before = await until('all sections', async () => {
      await settled(explorer.page);
      const text = await root.innerText();
      await drawn(explorer.page, 30);
      return text.includes('Curves as tables') && (await root.innerText()) === text
        ? text
        : undefined;
    });
    const bad = [
      null,
      5,
      'show',
      {},
      { type: 'open', path: '/etc/passwd' },
      { type: 'show', spec: 1 },
    ];
    for (const message of [...bad, { ...show(), name: 'x'.repeat(2_000_000) }])
      await explorer.sendRaw(message);
    const logged = async () => (await explorer.posted()).filter(({ type }) => type === 'log');
    await until('every refusal', async () =>
      (await logged()).length > bad.length ? true : undefined,
    );
    await drawn(explorer.page);
    assert.equal((await logged()).length, bad.length + 1);
    assert.equal(await root.innerText(), before);
    assert.deepEqual(explorer.errors, []);
  });

  it('shows why no adapter is available and what to do next', async () => {
    const { page } = await opened(show(), { gpu: 'none' });
    await page.getByText('has no adapter').waitFor();
    await page.getByText('Fixes', { exact: true }).click();
    await page.getByText('Update the GPU driver').waitFor();
    assert.equal(
      await page.locator('vscode-button', { hasText: 'Verify' }).getAttribute('disabled'),
      '',
    );
  });

  it('only analyzes and simulates in an untrusted workspace', async () => {
    const explorer = await opened(show({ trusted: false }));
    const { page } = explorer;
    for (const name of ['Verify', 'Benchmark', 'Generate files', 'Export report', 'Share result']) {
      const button = page.locator('vscode-button', { hasText: name });
      assert.equal(await button.getAttribute('disabled'), '', name);
      await button.dispatchEvent('click');
    }
    await page.getByText('Manage trust').click();
    const types = (await explorer.posted()).map(({ type }) => type);
    assert.ok(types.includes('manageTrust'));
    assert.ok(
      !types.some(type => ['run', 'generate', 'exportReport', 'shareResult'].includes(type)),
      types.join(),
    );
    await page.getByLabel('BM').fill('64');
    await page.locator('pre.source', { hasText: 'BM = 64' }).waitFor();
  });

  it('names the backend of a CUDA-only spec without marking a field', async () => {
    const problem = { m: 4096, n: 4096, k: 4096 };
    const { page } = await opened(show({ spec: { problem, targets: ['cuda'] } }));
    const ability = page.locator('#ability');
    await page.locator('#backend').waitFor();
    assert.doesNotMatch(await ability.innerText(), /WGSL|WebGPU|legal/);
    await page.locator('#backend').click();
    await page.getByRole('option', { name: 'WebGPU' }).click();
    await ability.getByText('This spec has no WGSL kernel').waitFor();
    assert.match(await ability.innerText(), /Run it on: CUDA/);
  });

  it('simulates in the page and shows the verdict with its bound', async () => {
    const small = show({
      spec: { problem: { m: 32, n: 32, k: 32 }, schedule: { algorithm: 'shared-tile' } },
    });
    const saved = {
      view: { target: null, backend: 'simulate', machine: null },
      spec: null,
      name: '',
    };
    const explorer = await opened({ ...small, trusted: false }, { saved });
    await explorer.page.locator('vscode-button', { hasText: 'Verify' }).click();
    const results = explorer.page.locator('#results');
    await results.getByText('Correct').waitFor();
    assert.match(await results.innerText(), /1,024 elements/);
    assert.match(await results.innerText(), /; bound .* at the element nearest to its bound/);
    assert.ok(!(await explorer.posted()).some(({ type }) => type === 'run'));
  });

  it("runs the extension's WebGPU job, reports it and draws its point", async function () {
    this.timeout(120_000);
    const explorer = await opened(show({ spec: { problem: { m: 64, n: 64, k: 64 } } }));
    const { page } = explorer;
    await page.getByText(/^Runs on /).waitFor();
    await page.locator('vscode-button', { hasText: 'Benchmark' }).click();
    const asked = (await explorer.posted()).find(({ type }) => type === 'run');
    assert.deepEqual(asked, { type: 'run', backend: 'webgpu', mode: 'time' });
    await page.getByRole('tab', { name: 'WGSL' }).click();
    const source = await page.locator('pre.source').innerText();
    const job = { id: 'job-1', mode: 'time', seed: 3, source, spec: null } as const;
    await explorer.send({ type: 'runWebgpu', job });
    await page.locator('#results').getByText('Correct').waitFor({ timeout: 100_000 });
    const reported = (await explorer.posted()).find(({ type }) => type === 'measured');
    assert.equal(reported?.['id'], 'job-1');
    const results = await page.locator('#results').innerText();
    for (const words of [
      /FLOP\/s/,
      /95 % interval [\d.]+ to [\d.]+ ms|interval unknown/,
      /resolution .* ns, error /,
      /interquartile range/,
      /swiftshader/i,
    ]) {
      assert.match(results, words);
    }
    await page.locator('#roofline', { hasText: 'SwiftShader' }).waitFor();
    assert.equal(await page.locator('.chart .point.measured').count(), 1);
  });

  it('reports a job that it cannot run', async () => {
    const explorer = await opened(show());
    const job = {
      id: 'job-2',
      mode: 'verify',
      seed: 1,
      source: 'fn nothing() {}',
      spec: null,
    } as const;
    await explorer.send({ type: 'runWebgpu', job });
    const reported = await until('what was measured', async () =>
      (await explorer.posted()).find(({ type }) => type === 'measured'),
    );
    assert.match(JSON.stringify(reported), /no @compute function/);
  });

  it('restores its state after a reload', async () => {
    const saved = {
      view: { target: 'wgsl', backend: 'webgpu', machine: null },
      spec: { problem: { m: 96, n: 96, k: 96 } },
      name: 'kept.gemm.json',
    };
    const { page } = await opened(null, { saved });
    const head = page.locator('h1');
    assert.match(await head.innerText(), /96 x 96 x 96/);
    assert.match((await head.getAttribute('title')) ?? '', /kept.gemm.json/);
    await page.locator('pre.source', { hasText: '@compute' }).waitFor();
  });

  it('does not overflow at 300, 900 and 2,000 pixels', async () => {
    for (const width of [300, 900, 2000]) {
      const explorer = await opened(ILLEGAL, { width });
      const { page } = explorer;
      await page.getByText('Use 256').first().waitFor();
      const overflow = () =>
        page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
      assert.ok((await overflow()) <= 0, `illegal, ${width} px`);
      await explorer.send(show());
      await page.waitForSelector('#roofline svg');
      assert.ok((await overflow()) <= 0, `${width} px`);
    }
  });
});
