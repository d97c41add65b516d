/**
 * Measurements of a spec in the built page: every backend, one machine per statement, stale runs
 * marked.
 */
import assert from 'node:assert/strict';
import { until } from '../../scripts/host/until';
import { emit } from '../../src/core/kernel/emit';
import { sourceHashOf } from '../../src/core/text/hash';
import type { Measurement } from '../../src/core/measure/measurement';
import { plan } from '../../src/core/plan/planner';
import { resolve } from '../../src/core/defaults/resolve';
import { run, show, SPEC, timed } from '../../scripts/page/samples';
import type { ExplorerPage } from '../../scripts/page/explorerPage';
import { explorerSuite } from '../helpers/explorerSuite';

const wgslHash = (): string => {
  const planned = plan(resolve(SPEC), 'wgsl');
  assert.ok(planned.ok);
  return sourceHashOf(emit(planned.plan));
};

/** A timed run of the WGSL kernel on a software adapter. */
const onAdapter = (over: Partial<Measurement> = {}): Measurement => ({
  ...timed(0.2),
  backend: 'webgpu',
  sourceHash: wgslHash(),
  at: '2026-11-23T20:54:00Z',
  device: { name: 'SwiftShader', adapter: 'SwiftShader', driver: '1', where: 'webview' },
  ceilings: { gflops: 400, bandwidthGBps: 20, how: 'micro-benchmarks' },
  ...over,
});

explorerSuite('measurements in the page', ({ opened }) => {
  const results = ({ page }: ExplorerPage): Promise<string> => page.locator('#results').innerText();
  const header = ({ page }: ExplorerPage): Promise<string> =>
    page.locator('nav.summary').innerText();

  it('include the WebGPU run while the CUDA kernel is shown', async () => {
    const explorer = await opened(show({ name: 'x.cu', target: 'cuda', runs: [onAdapter()] }));
    const text = await results(explorer);
    assert.match(text, /Correct/);
    assert.match(text, /168 GFLOP\/s/);
    assert.match(text, /SwiftShader/);
    assert.match(text, /WebGPU/);
    assert.doesNotMatch(text, /Stale|Not run yet/);
    assert.deepEqual(await explorer.axe(), []);
  });

  it('include the newest run per backend, newest first', async () => {
    const runs = [timed(0.04), timed(0.02), onAdapter()];
    const explorer = await opened(show({ runs }));
    const text = await results(explorer);
    assert.ok(text.indexOf('SwiftShader') < text.indexOf('NVIDIA H200'), text);
    assert.match(text, /1[.,]68 TFLOP\/s/);
    assert.match(text, /One earlier run/);
  });

  it('list a driver only if its name is known', async () => {
    const unknown = { name: 'Adapter', adapter: 'x', driver: 'unknown', where: 'webview' };
    for (const [run, expected] of [
      [onAdapter(), true],
      [onAdapter({ device: unknown }), false],
    ] as const) {
      const explorer = await opened(show({ runs: [run] }));
      assert.equal((await results(explorer)).includes('driver'), expected);
    }
  });

  it('are marked as stale after the kernel source changed', async () => {
    const explorer = await opened(show({ runs: [onAdapter({ sourceHash: 'f'.repeat(64) })] }));
    const text = await results(explorer);
    assert.match(text, /Stale: the kernel source changed after this run\./);
    assert.doesNotMatch(await header(explorer), /168/);
  });

  it('of other machines are not in the header', async () => {
    const explorer = await opened(show({ runs: [onAdapter()] }));
    const text = await header(explorer);
    assert.match(text, /predicted.*of peak.*occupancy.*registers/s);
    assert.doesNotMatch(text, /SwiftShader|168 GFLOP/);
  });

  it('in the header are of the selected machine and of the shown kernel', async () => {
    const h100 = { name: 'NVIDIA H100 SXM', adapter: 'NVIDIA H100 SXM', driver: '1', where: 'lab' };
    const h200 = { name: 'NVIDIA H200', adapter: 'NVIDIA H200', driver: '1', where: 'webview' };
    const runs = [
      timed(0.02),
      { ...timed(0.04), device: h100 },
      onAdapter({ device: h200 }),
      { ...run(), device: h100, outcome: 'incorrect' as const },
    ];
    const explorer = await opened(show({ name: 'x.cu', target: 'cuda', runs }));
    const text = await header(explorer);
    assert.match(text, /measured 1\.68 TFLOP\/s.*Correct/s);
    assert.doesNotMatch(text, /839|168|Incorrect/);
    const measured = explorer.page.locator('nav.summary li', { hasText: 'measured' });
    assert.equal(await measured.getAttribute('title'), 'NVIDIA H200 (cli)');
  });

  it('fit in one line of the head at 1000 px', async () => {
    const explorer = await opened(show({ runs: [timed(0.02)] }), { width: 1000 });
    const summary = explorer.page.locator('nav.summary');
    await summary.getByText('1.68 TFLOP/s').waitFor();
    await summary.getByText('Correct').waitFor();
    const tops = await summary
      .locator('li')
      .evaluateAll(items => items.map(item => item.getBoundingClientRect().top));
    assert.equal(new Set(tops).size, 1, tops.join());
    const head = await explorer.page.locator('.sticky-head').boundingBox();
    assert.ok((head?.height ?? NaN) < 80, `${head?.height ?? 0} px`);
  });

  it('replace all figures of the device after a run on an adapter', async () => {
    const explorer = await opened(show({ target: 'wgsl', name: 'x.wgsl' }));
    const { page } = explorer;
    await page.locator('#roofline').getByText('Ceilings in the chart').first().waitFor();
    await explorer.send({ type: 'measured', id: 'r', measurement: onAdapter() });
    await page.getByText('Analyze for NVIDIA H200').waitFor();
    const text = await header(explorer);
    assert.match(text, /no occupancy model for SwiftShader, webview/);
    assert.match(text, /168 GFLOP\/s/);
    assert.doesNotMatch(text, /H200|wave|registers|predicted/);
    // Sections outside of the viewport follow when the page is idle.
    await page.locator('#occupancy', { hasText: /no occupancy model for SwiftShader/ }).waitFor();
    await page.locator('#waves').waitFor({ state: 'detached' });
    await page.locator('#verdict').waitFor({ state: 'detached' });
    await until('a roofline of the adapter alone', async () => {
      const roofline = await page.locator('#roofline').innerText();
      return /H200|with caches|Ceilings in the chart|tensor cores/.test(roofline)
        ? undefined
        : true;
    });
    assert.deepEqual(await explorer.axe(), []);
    await page.locator('vscode-button', { hasText: 'Analyze for NVIDIA H200' }).click();
    await page.locator('#occupancy .headline').waitFor();
    assert.doesNotMatch(await header(explorer), /SwiftShader/);
  });

  it('show an untimed run next to a benchmark of another backend', async () => {
    const explorer = await opened(show({ runs: [onAdapter(), run()] }));
    const text = await results(explorer);
    assert.match(text, /Correct.*Correct/s);
    assert.match(text, /168 GFLOP\/s/);
  });
});
