/** The page of an audit: its table and charts, no markup from names, and axe at three widths. */
import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { runAxe } from '../../scripts/page/axe';
import { launch, whyNot } from '../../scripts/page/explorerPage';
import { auditPage } from '../../src/core/audit/page';
import { planShape } from '../../src/core/audit/planned';
import { resultOf, type ShapeResult } from '../../src/core/audit/result';
import { uniqueShapes } from '../../src/core/audit/shapes';
import { readShapes } from '../../src/core/audit/shapes/read';
import { summaryOf } from '../../src/core/audit/summary';
import { timed } from '../helpers/measurements';

const LIST = `m,n,k,dtype,layoutB,count
4096,4096,4096,bf16,col,32
16,28672,4096,bf16,col,32
1024,1024,1024,f32,row,1
1024,1024,1024,s32,row,1
`;

/** Results whose libraries take twice, half and the same time as our kernels. */
function resultsOf(): readonly ShapeResult[] {
  const read = readShapes(LIST);
  assert.ok(read.ok);
  return uniqueShapes(read.list.entries, read.list.format).map((shape, i) => {
    const planned = planShape(shape, { device: 'h200' });
    const base = timed({ gflops: 100_000 * (i + 1) });
    const { medianMs = 1 } = base.timing ?? {};
    const factor = [2, 0.5, 1][i];
    if (factor === undefined) return resultOf(planned, null);
    const baseline = {
      name: 'cuBLAS <script>alert(1)</script>',
      medianMs: factor * medianMs,
      gflops: 1,
      ratio: factor,
    };
    const result = resultOf(planned, { ...base, baselines: [baseline] });
    const fileTime = { milliseconds: 0.5, kernel: 'other' };
    return i === 0 ? { ...result, fileTime, omitted: ['bias'] } : result;
  });
}

const results = resultsOf();
const page = auditPage(
  results,
  summaryOf({
    place: {
      file: '<b>shapes</b>.csv',
      format: 'csv',
      gpus: ['NVIDIA H200'],
      driver: '580.1',
      compiler: 'nvcc 13.0.88',
      journal: null,
    },
    ended: 'out-of-time',
    entries: 4,
    results,
    issues: [{ kind: 'malformed', place: 'line 9', message: 'Expected 6 columns, got 2.' }],
    notes: ['Ignored 1 results of a different GPU.'],
    seconds: 12,
    nextOf: ({ verdict }) => (verdict === 'replace' ? 'gemm-explorer export a.gemm.json' : null),
  }),
);

describe('the page of an audit', () => {
  it('has the ranking, a roofline per element type, the next steps and unused lines', () => {
    const rows = [...page.matchAll(/<tr><th scope="row">([^<]*x[^<]*)<\/th>/g)].map(row => row[1]);
    assert.equal(rows[0], '4096 x 4096 x 4096 bf16 rcr without bias');
    assert.equal(rows[2], '16 x 28672 x 4096 bf16 rcr');
    assert.match(page, /Roofline of the shapes in bf16/);
    assert.match(page, /Roofline of the shapes in f32/);
    assert.match(page, /<code>gemm-explorer export a\.gemm\.json<\/code>/);
    assert.match(page, /line 9: Expected 6 columns/);
    assert.match(page, /The time limit was reached\. Fix: start the audit again/);
  });

  it('loads nothing and takes no markup from names', () => {
    assert.match(page, /Content-Security-Policy" content="default-src 'none'/);
    assert.doesNotMatch(page, /<script|<img|<link|<b>shapes|javascript:/i);
  });

  it('draws a shape with a larger share of the time as a larger point', () => {
    const radii = [...page.matchAll(/<path d="M[\d.]+ [\d.]+ a([\d.]+) /g)].map(one =>
      Number(one[1]),
    );
    assert.ok(Math.max(...radii) > 2 * Math.min(...radii), radii.join(' '));
  });

  const reason = whyNot();
  describe(`in a browser${reason === null ? '' : ` (skipped: ${reason})`}`, function () {
    this.timeout(60_000);
    let browser: Browser;
    before(async function () {
      if (reason !== null) this.skip();
      browser = await launch();
    });
    after(() => browser.close());

    for (const width of [400, 760, 1600])
      it(`has no axe violation and no horizontal scroll bar at ${width} px`, async () => {
        const shown = await browser.newPage({ viewport: { width, height: 900 }, bypassCSP: true });
        await shown.setContent(page);
        assert.deepEqual(await runAxe(shown), []);
        const overflow = await shown.evaluate('document.documentElement.scrollWidth - innerWidth');
        assert.equal(overflow, 0);
        await shown.close();
      });
  });
});
