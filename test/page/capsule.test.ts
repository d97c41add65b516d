/** A capsule: the figures of the explorer in a file that loads nothing, in Chromium offline. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { runAxe } from '../../scripts/page/axe';
import { newest } from '../../scripts/page/samples';
import type { Measurement } from '../../src/core/measure/measurement';
import { MAX_CAPSULE_BYTES } from '../../src/core/report/capsule';
import type { GemmSpec } from '../../src/core/spec/schema';
import { bundledCapsule } from '../helpers/capsules';
import { explorerSuite } from '../helpers/explorerSuite';
import { own, spec as simt } from '../helpers/rooflineRuns';

const NAMES = '</script><img src=x onerror=alert(1)>"\'\u202Egnp.exe\u0000';

const measured: Measurement = {
  ...own,
  device: { ...own.device, name: 'NVIDIA H200', driver: '580.95.05' },
  timing: {
    ...(own.timing ?? assert.fail()),
    clocks: { smMHz: 1950, smMinMHz: 1900, smMaxMHz: 1980 },
    intervalMs: [0.99, 1.02],
  },
  baseline: { id: 'cublas', name: 'cuBLAS 13.1.0', medianMs: 0.9, gflops: 53_000, ratio: 0.91 },
};

const hostile: Measurement = {
  ...measured,
  device: { name: NAMES.repeat(300), adapter: NAMES, driver: NAMES, where: NAMES },
  message: `${NAMES} at /home/alice/secret/kernel.cu:3`,
};

const tensor: GemmSpec = {
  problem: {
    m: 4096,
    n: 4096,
    k: 4096,
    a: { dtype: 'bf16' },
    b: { dtype: 'bf16', layout: 'col' },
    c: { dtype: 'bf16' },
  },
};

const CASES: Readonly<Record<string, Parameters<typeof bundledCapsule>[0]>> = {
  'a SIMT kernel with runs': { spec: simt, runs: [measured] },
  'a tensor-core kernel without runs': { spec: tensor },
  'runs with hostile names': {
    spec: simt,
    runs: [hostile],
    name: `${NAMES}.gemm.json`,
    privacy: { roots: [], secrets: ['/home/alice', 'alice'] },
  },
};

/** Parts of both pages with figures, whose texts must be equal. */
const FIGURES = [
  '.summary',
  '#results dl',
  '#occupancy .headline',
  '#occupancy .bars',
  '.waterfall',
];
const TABLES = ['#memory > .table', '#tiles .table', '#verdict .rivals'];

explorerSuite('a capsule', ({ browser, opened }) => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'gemm-capsule-'));
  });
  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  /** Opens a file offline. Requests other than the file itself are recorded and refused. */
  async function fileIn(running: Browser, html: string, options: BrowserContextOptions = {}) {
    const file = path.join(folder, 'capsule.html');
    writeFileSync(file, html);
    const context = await running.newContext({ ...options, offline: true });
    const page = await context.newPage();
    const problems: string[] = [];
    const url = pathToFileURL(file).href;
    await page.route('**/*', route => {
      if (route.request().url() === url) return route.continue();
      problems.push(route.request().url());
      return route.abort();
    });
    page.on('console', message => problems.push(message.text()));
    page.on('pageerror', error => problems.push(String(error)));
    page.on('dialog', dialog => {
      problems.push(dialog.message());
      void dialog.dismiss();
    });
    await page.goto(url);
    return { page, problems, close: () => context.close() };
  }

  const textsOf = (page: Page, selector: string): Promise<readonly string[]> =>
    page.locator(selector).evaluateAll(parts =>
      parts.map(part => {
        const copy = part.cloneNode(true) as Element;
        for (const control of copy.querySelectorAll('vscode-button')) control.remove();
        return copy.textContent.replace(/\s+/g, ' ').trim();
      }),
    );

  for (const [name, content] of Object.entries(CASES)) {
    it(`of ${name} requests nothing, runs no script and has no axe violation`, async () => {
      const { html, bytes } = bundledCapsule(content);
      assert.equal(bytes, Buffer.byteLength(html));
      assert.ok(bytes < MAX_CAPSULE_BYTES, `${bytes} B`);
      assert.doesNotMatch(html, /<script|<img|<link|<iframe|<object|@import|url\(|javascript:/i);
      for (const colorScheme of ['light', 'dark'] as const)
        for (const width of [1200, 400]) {
          const viewport = { width, height: 900 };
          const opened = await fileIn(browser(), html, { viewport, colorScheme, bypassCSP: true });
          assert.deepEqual(await runAxe(opened.page), [], `${width} px, ${colorScheme}`);
          const overflow = await opened.page.evaluate(
            () => document.documentElement.scrollWidth - innerWidth,
          );
          assert.ok(overflow <= 0, `${width} px: ${overflow} px wider than the page`);
          await opened.close();
        }
      const shown = await fileIn(browser(), html);
      assert.deepEqual(shown.problems, []);
      await shown.close();
    });
  }

  for (const name of ['a SIMT kernel with runs', 'a tensor-core kernel without runs'])
    it(`of ${name} shows the figures of the explorer`, async () => {
      const { spec = simt, runs = [] } = CASES[name] ?? {};
      const { html } = bundledCapsule({ spec, runs });
      const shown = await fileIn(browser(), html);
      const explorer = await opened({
        type: 'show',
        spec,
        runs: [...runs],
        name: 'first.gemm.json',
        trusted: true,
        backends: [],
        ...newest(),
      });
      await explorer.unfold();
      for (const selector of [...FIGURES, ...TABLES]) {
        const expected = await textsOf(explorer.page, selector);
        const has = runs.length > 0 || !selector.startsWith('#results');
        const isSimt = spec === simt || selector !== '#memory > .table';
        assert.ok(expected.length > 0 || !has || !isSimt, `the explorer has ${selector}`);
        assert.deepEqual(await textsOf(shown.page, selector), expected, selector);
      }
      await shown.close();
    });

  it('shows hostile names as text, without direction marks, and no path or user name', async () => {
    const { html } = bundledCapsule(CASES['runs with hostile names'] ?? {});
    assert.doesNotMatch(html, /alice|\u202E|\u0000|<\/script/i);
    const shown = await fileIn(browser(), html);
    const text = await shown.page.locator('#results').innerText();
    assert.match(text, /<\/script><img src=x onerror=alert\(1\)>/);
    assert.match(text, /…\/kernel\.cu:3/);
    assert.ok(text.length < 8000, `${text.length} characters`);
    await shown.close();
  });

  it('offers its spec as a file of the same JSON', async () => {
    const { html } = bundledCapsule({ spec: simt, name: 'my.gemm.json' });
    const shown = await fileIn(browser(), html);
    const [download] = await Promise.all([
      shown.page.waitForEvent('download'),
      shown.page.getByRole('link', { name: 'Download my.gemm.json' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), 'my.gemm.json');
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    const saved = Buffer.concat(chunks).toString('utf8');
    assert.equal(await shown.page.locator('#reproduce details pre').textContent(), saved);
    await shown.close();
  });

  it('prints in light colors on a few pages', async () => {
    const { html } = bundledCapsule(CASES['a SIMT kernel with runs'] ?? {});
    const shown = await fileIn(browser(), html, { colorScheme: 'dark' });
    await shown.page.emulateMedia({ media: 'print' });
    const background = await shown.page.evaluate(
      () => getComputedStyle(document.body).backgroundColor,
    );
    assert.equal(background, 'rgb(255, 255, 255)');
    // Width of A4 paper without its margins.
    await shown.page.setViewportSize({ width: 718, height: 1000 });
    const cut = await shown.page.evaluate(() =>
      [...document.querySelectorAll('table, pre, svg')].flatMap(part => {
        const over = part.getBoundingClientRect().right - innerWidth;
        return over > 1 ? [`${part.tagName}.${String(part.getAttribute('class'))} ${over} px`] : [];
      }),
    );
    assert.deepEqual(cut, []);
    const pdf = await shown.page.pdf({ format: 'A4' });
    const pages = pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length ?? 0;
    assert.ok(pages >= 4 && pages <= 30, `${pages} pages`);
    await shown.close();
  });
});
