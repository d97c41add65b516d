/** Undo, presets, two configurations and the code view, in the built page. */
import assert from 'node:assert/strict';
import type { ToWebview } from '../../src/protocol';
import { touched } from '../../webview/listing';
import { explorerSuite } from '../helpers/explorerSuite';
import { until } from '../../scripts/host/until';
import { newest } from '../../scripts/page/samples';
import type { ExplorerPage } from '../../scripts/page/explorerPage';

type Show = Extract<ToWebview, { type: 'show' }>;

const show = (over: Partial<Show> = {}): Show => ({
  type: 'show',
  ...newest(),
  spec: { problem: { m: 256, n: 256, k: 256 }, schedule: { algorithm: 'thread-tile-2d' } },
  name: 'first.gemm.json',
  document: 'a'.repeat(64),
  trusted: true,
  backends: [],
  runs: [],
  ...over,
});

explorerSuite('explorer page, live', ({ opened }) => {
  const value = ({ page }: ExplorerPage, label: string) => page.getByLabel(label).inputValue();

  describe('undo', () => {
    it('works by keyboard from within a number field and from anywhere else', async () => {
      const explorer = await opened(show());
      const { page } = explorer;
      await page.getByLabel('BM').fill('64');
      await page.keyboard.press('Control+z');
      assert.equal(await value(explorer, 'BM'), '128');
      await page.keyboard.press('Control+Shift+Z');
      assert.equal(await value(explorer, 'BM'), '64');
      await page.locator('body').click({ position: { x: 2, y: 2 } });
      await page.keyboard.press('Control+z');
      assert.equal(await value(explorer, 'BM'), '128');
      await page.keyboard.press('Control+y');
      assert.equal(await value(explorer, 'BM'), '64');
      const told = (await explorer.posted()).filter(({ type }) => type === 'changeSpec');
      assert.equal(told.length, 5);
    });

    it('is handled by the page: VS Code never gets the key', async () => {
      const { page } = await opened(show());
      await page.evaluate(() => {
        window.addEventListener('keydown', event => {
          if (event.key === 'z') document.body.dataset['seen'] = event.key;
        });
      });
      await page.getByLabel('BM').fill('64');
      await page.keyboard.press('Control+z');
      assert.equal(await page.evaluate(() => document.body.dataset['seen']), undefined);
    });

    it('handles the undo of the menu, which targets the field', async () => {
      const explorer = await opened(show());
      const { page } = explorer;
      await page.getByLabel('BM').pressSequentially('0');
      assert.equal(await value(explorer, 'BM'), '1280');
      const devtools = await page.context().newCDPSession(page);
      await devtools.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', commands: ['undo'] });
      assert.equal(await value(explorer, 'BM'), '128');
    });

    it('has buttons with their effect as tooltip', async () => {
      const explorer = await opened(show());
      const { page } = explorer;
      const undo = page.locator('vscode-button', { hasText: 'Undo' });
      await undo.and(page.locator('[disabled]')).waitFor();
      await page.getByLabel('BM').fill('64');
      const titled = (title: RegExp) => page.locator('vscode-button').and(page.getByTitle(title));
      await titled(/BM 64 → 128.*Ctrl\+Z/).waitFor();
      await undo.click();
      assert.equal(await value(explorer, 'BM'), '128');
      await titled(/BM 128 → 64/)
        .and(page.locator(':not([disabled])', { hasText: 'Redo' }))
        .waitFor();
    });

    it('survives hiding the page', async () => {
      const first = await opened(show());
      await first.page.getByLabel('BM').fill('64');
      const saved = await first.saved();
      await first.close();
      const again = await opened(null, { saved });
      await again.page.keyboard.press('Control+z');
      assert.equal(await value(again, 'BM'), '128');
    });
  });

  it('shows the outcome of an edit in the head before the sections below it', async () => {
    const { page } = await opened(show());
    await page.locator('#tiles').waitFor();
    await page.evaluate(() => {
      const held: IdleRequestCallback[] = [];
      window.requestIdleCallback = act => held.push(act);
      window.addEventListener('gemm-idle', () => {
        for (const act of held.splice(0)) act({ didTimeout: false, timeRemaining: () => 50 });
      });
    });
    await page.getByLabel('BM').fill('1000');
    await page.locator('.summary', { hasText: 'not legal' }).waitFor();
    assert.equal(await page.locator('#not-legal').count(), 0);
    await page.evaluate(() => window.dispatchEvent(new Event('gemm-idle')));
    await page.locator('#not-legal').waitFor();
  });

  describe('code', () => {
    const marked = ({ page }: ExplorerPage) => page.locator('.source mark').allInnerTexts();

    it('highlights the lines that a tile changes, until the next change', async () => {
      const explorer = await opened(show(), { withForm: true });
      const { page } = explorer;
      assert.deepEqual(await marked(explorer), [], 'nothing has changed yet');
      const before = await page.locator('pre.source').innerText();
      await page.getByLabel('BM').pressSequentially('0');
      await page.getByLabel('BM').fill('64');
      await page.locator('.source mark', { hasText: 'BM = 64;' }).first().waitFor();
      const lines = await marked(explorer);
      assert.ok(
        lines.some(text => text.startsWith('constexpr int BM = 64;')),
        lines.join('\n'),
      );
      assert.ok(!lines.some(text => text.includes('BN = ') || text.includes('@gemm')));
      const gutter = await page.locator('.gutter').innerText();
      const signed = [...gutter.matchAll(/(\d+) \+/g)].map(match => match[1]);
      const after = await page.locator('pre.source').innerText();
      const changed = [...touched(before, after).lines].map(String);
      assert.ok(changed.length > 2, changed.join());
      assert.deepEqual(signed, changed, 'a sign next to each, not only a color');
      await page.waitForTimeout(800);
      await page.getByLabel('TM').fill('4');
      await page.locator('.source mark', { hasText: 'TM = 4' }).first().waitFor();
      const next = await marked(explorer);
      assert.ok(
        next.some(text => text.includes('TM = 4')) && !next.some(text => text.includes('BM =')),
      );
      assert.deepEqual(await explorer.axe(), []);
    });

    it('keeps the scroll position, and goes to the first changed line on request', async () => {
      const { page } = await opened(show(), { width: 480, height: 500 });
      await page.getByRole('button', { name: 'Parameters' }).click();
      await page.getByLabel('BM').fill('64');
      assert.equal(
        await page.evaluate(() => document.querySelector('mark')?.matches(':focus') ?? false),
        false,
      );
      const seen = () =>
        page.evaluate(() => {
          const box = document.querySelector('.source mark')?.getBoundingClientRect();
          return box !== undefined && box.top >= 0 && box.bottom <= innerHeight;
        });
      assert.equal(await seen(), false);
      await page.getByRole('button', { name: /go to first/ }).click();
      assert.equal(await seen(), true);
    });

    it('shows both languages on a wide page and tabs on a narrow one', async () => {
      const explorer = await opened(show(), { width: 1440 });
      const { page } = explorer;
      await page.locator('vscode-button', { hasText: 'Side by side' }).click();
      await page.locator('pre.source').nth(1).waitFor();
      const texts = await page.locator('pre.source').allInnerTexts();
      assert.deepEqual(
        texts.map(text => [text.includes('__global__'), text.includes('@compute')]),
        [
          [true, false],
          [false, true],
        ],
      );
      assert.deepEqual(await explorer.axe(), []);
      assert.match(JSON.stringify(await explorer.saved()), /"code":"both"/);
      await page.setViewportSize({ width: 760, height: 900 });
      await page.getByRole('tab', { name: 'WGSL' }).waitFor();
      assert.equal(await page.locator('pre.source').count(), 1);
    });

    it('requests PTX only in a trusted workspace', async () => {
      const explorer = await opened(show());
      const { page } = explorer;
      await page.locator('#code vscode-button', { hasText: 'PTX' }).click();
      const asked = async () =>
        (await explorer.posted()).filter(({ type }) => type === 'showPtx').length;
      assert.equal(await asked(), 1);
      await explorer.send(show({ trusted: false }));
      const button = page.locator('#code vscode-button[disabled]', { hasText: 'PTX' });
      await button.waitFor();
      await button.dispatchEvent('click');
      assert.equal(await asked(), 1);
    });

    it('shows why a kernel is missing', async () => {
      const { page } = await opened(
        show({
          spec: {
            problem: { m: 64, n: 64, k: 64 },
            schedule: { algorithm: 'naive', block: { m: 32, n: 32 } },
          },
        }),
      );
      await page.getByRole('tab', { name: 'WGSL' }).click();
      await page.locator('#code').getByText('1,024 threads per block > 256').waitFor();
    });
  });

  describe('two configurations', () => {
    /** Waits until the text of a row matches. */
    const row = ({ page }: ExplorerPage, name: string, text: RegExp) =>
      until(`${name}: ${text.source}`, async () =>
        text.test(
          await page
            .locator('#compare tr', { has: page.getByRole('rowheader', { name }) })
            .innerText(),
        )
          ? true
          : undefined,
      );

    it('are compared in parameters, resources and source, swapped and unpinned', async () => {
      const explorer = await opened(show(), { width: 1440, withForm: true });
      const { page } = explorer;
      await page.locator('vscode-button', { hasText: 'Pin' }).click();
      await page.getByText('The configurations are identical.').waitFor();
      await page.getByLabel('TM', { exact: false }).fill('4');
      await row(explorer, 'TM', /8\s+4\s+−50 %/);
      await row(explorer, 'threads per block', /256\s+512\s+\+100 %/);
      await page.locator('summary', { hasText: 'CUDA' }).click();
      const text = page.locator('#compare .difference');
      assert.match(await text.innerText(), /− constexpr int TM = 8;.*\+ constexpr int TM = 4;/s);
      await page
        .getByText(/^Lines only in the current source \(\+\): \d+; only in the pinned source \(−\)/)
        .waitFor();
      assert.deepEqual(await explorer.axe(), []);
      await page.locator('vscode-button', { hasText: 'Swap' }).click();
      await row(explorer, 'TM', /4\s+8\s+\+100 %/);
      await page.keyboard.press('Control+z');
      await row(explorer, 'TM', /8\s+4\s+−50 %/);
      await page.locator('vscode-button', { hasText: 'Unpin' }).click();
      await page.locator('#compare').waitFor({ state: 'detached' });
    });

    it('survive a reload, and show which side is not legal', async () => {
      const first = await opened(show(), { withForm: true });
      await first.page.locator('vscode-button', { hasText: 'Pin' }).click();
      await first.page.getByLabel('TM').fill('3');
      const saved = await first.saved();
      await first.close();
      const again = await opened(null, { saved, width: 300, theme: 'highContrast' });
      const compare = again.page.locator('#compare');
      await compare.getByText('The current configuration is not legal for CUDA').waitFor();
      await compare.getByText('128 is not a multiple of 3').waitFor();
      await row(again, 'TM', /8\s+3/);
      assert.deepEqual(await again.axe(), []);
      const width = await again.page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 300, `${width} px`);
    });
  });

  it('shows the origin of a default schedule until it is edited', async () => {
    const problem = { m: 4096, n: 4096, k: 4096 };
    const explorer = await opened(show({ spec: { problem, targets: ['cuda'] } }), {
      withForm: true,
    });
    const { page } = explorer;
    const from = page.locator('.hint', { hasText: 'Measured on NVIDIA H200 at 4096x4096x4096' });
    await from.waitFor();
    await page.locator('#field-schedule-thread-m').fill('16');
    await page.keyboard.press('Tab');
    await from.waitFor({ state: 'detached' });
  });

  describe('presets', () => {
    it('show their changes, change only the schedule, and can be undone', async () => {
      const explorer = await opened(
        show({
          spec: {
            problem: { m: 4096, n: 4096, k: 4096 },
            schedule: { algorithm: 'thread-tile-2d' },
          },
        }),
        { withForm: true },
      );
      const { page } = explorer;
      await page.locator('.presets summary').click();
      const rows = page.locator('.presets li');
      assert.match(
        await rows.first().innerText(),
        /Best in shipped table\s+\S+ \d+x\S+\s+[\d.]+ TFLOP\/s measured\s+.*predicted [\d.]+ TFLOP\/s; Measured on NVIDIA H200 at 4096x4096x4096 rrr: [\d.]+ TFLOP\/s; .*algorithm thread-tile-2d → \S+/s,
      );
      assert.match(await rows.filter({ hasText: '8 x 8 accumulators' }).innerText(), /in use/);
      assert.deepEqual(await explorer.axe(), []);
      const heights = await rows.evaluateAll(all => all.map(row => row.clientHeight));
      assert.ok(Math.max(...heights) < 60, `two lines: ${heights.join()}`);
      const naive = rows.filter({ hasText: 'naive' });
      assert.equal(
        (await naive.getAttribute('title'))?.replaceAll('\n', '; '),
        await naive.locator('.visually-hidden').textContent(),
      );
      assert.match(
        await naive.innerText(),
        /32x32\S*\s+[\d.]+ GFLOP\/s.*measured \d+ GFLOP\/s.*algorithm thread-tile-2d → naive.*BM 128 → 32.*TM 8 → none/s,
      );
      await naive.locator('vscode-button').click();
      await page.waitForFunction(() => document.querySelector('h1')?.textContent.includes('naive'));
      assert.equal(await page.locator('#field-problem-m').inputValue(), '4096');
      await page.keyboard.press('Control+z');
      await page.waitForFunction(() => document.querySelector('h1')?.textContent.includes('2d'));
    });
  });

  describe('a file with unsaved spec edits', () => {
    it('is reported, and written or read only on request', async () => {
      const explorer = await opened(show({ unwritten: true }));
      const { page } = explorer;
      await page.getByText('differs from the configuration').waitFor();
      assert.deepEqual(await explorer.axe(), []);
      await page.locator('vscode-button', { hasText: 'Write to file' }).click();
      await page.locator('vscode-button', { hasText: 'Load from file' }).click();
      const types = (await explorer.posted()).map(({ type }) => type);
      assert.ok(types.includes('writeSpec') && types.includes('readSpec'), types.join());
      await explorer.send(show({ unwritten: true, trusted: false }));
      await page.getByText('Restricted Mode: changes are not written').waitFor();
      const write = page.locator('vscode-button', { hasText: 'Write to file' });
      assert.equal(await write.getAttribute('disabled'), '');
      await explorer.send(show());
      await page.locator('.unwritten').waitFor({ state: 'detached' });
    });
  });
});
