/** The first frame of the page, which the extension host renders. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { loadExplorer, newPage, DIST } from '../../scripts/page/explorerPage';
import { show, SPEC, withSchedule } from '../../scripts/page/samples';
import type { FirstFrameBundle, ShowContent } from '../../src/protocol';
import { explorerSuite } from '../helpers/explorerSuite';

const bundle = createRequire(import.meta.url)(path.resolve(DIST, 'firstFrame.cjs')) as unknown;
const { firstFrame } = bundle as FirstFrameBundle;

const frameOf = (content: ShowContent): string => firstFrame(content, {});

/** Loads the page with its first frame, and holds back the core until `release` is called. */
async function loadHeld(page: Page, content: ShowContent) {
  let release: () => void = () => undefined;
  const gate = new Promise<void>(resolve => (release = resolve));
  await page.route('**/core.cjs', async route => {
    await gate;
    await route.continue();
  });
  const opened = loadExplorer(page, { firstFrame: frameOf(content) });
  await page.waitForSelector('#first-frame .page-head');
  return { opened, release };
}

const textOf = (page: Page, selector: string): Promise<string> =>
  page.$eval(selector, element => (element as HTMLElement).innerText.replace(/\s+/g, ' ').trim());

explorerSuite('the first frame', ({ browser }) => {
  let page: Page;
  beforeEach(async () => {
    page = await newPage(browser());
  });
  afterEach(() => page.context().close());

  for (const [name, content] of [
    ['a SIMT kernel', show()],
    [
      'a wgmma kernel',
      show({
        spec: {
          problem: { m: 4096, n: 4096, k: 4096, a: { dtype: 'bf16' }, b: { dtype: 'bf16' } },
          device: 'h200',
        },
      }),
    ],
    [
      'a schedule that is not legal',
      show({ spec: withSchedule({ algorithm: 'warp-tile', block: { m: 48 } }) }),
    ],
  ] as const)
    it(`shows ${name} before the core is loaded, with the text of the loaded page`, async () => {
      const { opened, release } = await loadHeld(page, content);
      const head = await textOf(page, '#first-frame .summary');
      const tiles = await page.$$eval('#first-frame .tile-map svg', found => found.length);
      release();
      const explorer = await opened;
      await explorer.send(content);
      await page.waitForSelector('#root .page-head');
      assert.equal(await page.$('#first-frame'), null);
      assert.equal(await textOf(page, '#root .summary'), head);
      assert.equal(await page.$$eval('#root .tile-map svg', found => found.length), tiles);
      assert.deepEqual(await explorer.cspViolations(), []);
      assert.deepEqual(explorer.errors, []);
    });

  it('stays until the first message of the extension', async () => {
    const { opened, release } = await loadHeld(page, show());
    release();
    await opened;
    assert.notEqual(await page.$('#first-frame .tile-map svg'), null);
  });
});

describe('the markup of the first frame', () => {
  it('escapes names, and has no styles or scripts, which the policy would block', () => {
    const html = frameOf(show({ name: '<img src=x onerror=alert(1)>.gemm.json', unwritten: true }));
    assert.ok(html.includes('&lt;img src=x'));
    assert.doesNotMatch(html, /<(script|img|style)\b|<[^>]*\sstyle="/);
  });

  it('is empty for a kernel without a spec', () => {
    const own = {
      name: 'own.cu',
      entry: 'gemm',
      origin: 'hand-written',
      sourceHash: '0'.repeat(64),
      specKey: '',
      threads: 256,
      dynamicSharedBytes: 0,
      spec: SPEC,
    } as const;
    assert.equal(frameOf({ ...show(), own }), '');
  });
});
