import assert from 'node:assert/strict';
import fc from 'fast-check';
import { recordedTables } from '../../scripts/ladderTable';
import { MEASURED } from '../../src/core/measure/measured';
import { tableBest } from '../../src/core/measure/table';
import { plan } from '../../src/core/plan/planner';
import { resolve, toSpec } from '../../src/core/spec/resolve';
import type { GemmSpec } from '../../src/core/spec/schema';

const best = (
  m: number,
  over: Partial<GemmSpec> = {},
  problem: Partial<GemmSpec['problem']> = {},
) => tableBest(resolve({ problem: { m, n: m, k: m, ...problem }, ...over }), 'cuda');

const cudaRows = () =>
  (recordedTables()[0]?.rows ?? []).flatMap(({ schedule, gflops }) =>
    Object.entries(gflops).map(([size, rate]) => ({ size: Number(size), schedule, gflops: rate })),
  );

describe('the measured table', () => {
  it('says what was recorded, no more and no less', () => {
    assert.deepEqual(MEASURED, recordedTables());
    assert.deepEqual(
      MEASURED.map(({ device, target }) => [device, target]),
      [
        ['h200', 'cuda'],
        ['h200', 'wgsl'],
      ],
    );
  });

  it('gives the fastest schedule of a measured size', () => {
    const fastest = Math.max(
      ...cudaRows().flatMap(({ size, gflops }) => (size === 4096 ? [gflops] : [])),
    );
    const found = best(4096);
    assert.deepEqual([found?.size, found?.exact, found?.gflops], [4096, true, fastest]);
  });

  it('of another size gives that of the nearest, and says that it is another', () => {
    const sizes = cudaRows().map(({ size }) => size);
    const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
    assert.deepEqual([best(least + 1)?.size, best(least + 1)?.exact], [least, false]);
    assert.deepEqual([best(100_000)?.size, best(1)?.size], [most, least]);
    assert.equal(best(4096, {}, { k: 4095 })?.exact, false);
  });

  it('knows nothing of other devices, languages, types, layouts or scalars', () => {
    assert.equal(best(4096, { device: 'rtx-4090' }), null);
    for (const problem of [
      { a: { dtype: 's32' }, b: { dtype: 's32' } },
      { a: { layout: 'col' } },
      { a: { ld: 8192 } },
      { alpha: 2 },
      { beta: 1 },
      { batch: 2 },
    ] as const) {
      assert.equal(best(4096, {}, problem), null, JSON.stringify(problem));
    }
  });
});

describe('a spec without a schedule', () => {
  const scheduleOf = (spec: GemmSpec) => resolve(spec).schedule;
  const cube = (size: number) => ({ m: size, n: size, k: size });
  const plainOf = (spec: GemmSpec) => scheduleOf({ ...spec, schedule: {} });

  it('gets the fastest of its device and target at the nearest size', () => {
    for (const size of [1024, 4096]) {
      const [fastest] = cudaRows()
        .filter(row => row.size === size)
        .sort((left, right) => right.gflops - left.gflops);
      assert.deepEqual(scheduleOf({ problem: cube(size), targets: ['cuda'] }), fastest?.schedule);
    }
    const wgsl = scheduleOf({
      problem: cube(4096),
      ...{ device: 'h200', targets: ['wgsl'] },
      webgpuLimits: { invocations: 1024, workgroupStorageBytes: 32_768 },
    });
    assert.deepEqual([wgsl.algorithm, wgsl.padding], ['vectorized', { a: 4 }]);
  });

  it('keeps every target that it would have without the table', () => {
    for (const size of [700, 1024, 2000, 4096, 10_000]) {
      const { targets, schedule } = resolve({ problem: cube(size) });
      assert.deepEqual(targets, ['cuda', 'wgsl']);
      assert.ok((schedule.stages ?? 1) <= 2, JSON.stringify(schedule));
    }
    assert.equal(scheduleOf({ problem: cube(4096) }).algorithm, 'pipelined');
    assert.deepEqual(resolve({ problem: { ...cube(4096), a: { dtype: 'f64' } } }).targets, [
      'cuda',
    ]);
  });

  it('is legal whatever the sizes, layouts, scalars and batches are, and the same every time', () => {
    const layouts = fc.constantFrom('row' as const, 'col' as const);
    const size = fc.integer({ min: 1, max: 9000 });
    const problems = fc.record({
      ...{ m: size, n: size, k: size, batch: fc.integer({ min: 1, max: 3 }) },
      ...{ a: fc.record({ layout: layouts }), b: fc.record({ layout: layouts }) },
      beta: fc.constantFrom(0, 1, 2),
    });
    const targets = fc.constantFrom<GemmSpec['targets']>(undefined, ['cuda'], ['wgsl']);
    fc.assert(
      fc.property(problems, targets, (problem, given) => {
        const spec: GemmSpec = given === undefined ? { problem } : { problem, targets: given };
        const resolved = resolve(spec);
        assert.ok(resolved.targets.length > 0);
        for (const target of resolved.targets) assert.ok(plan(resolved, target).ok);
        assert.deepEqual(resolve(spec), resolved);
        // What is resolved needs the table no more.
        assert.deepEqual(resolve(toSpec(resolved)), resolved);
      }),
      { numRuns: 150 },
    );
  });

  it('keeps the plain one where nothing was measured: small sides, other types, other devices, WGSL of no device', () => {
    const both = (spec: GemmSpec) => [scheduleOf(spec), plainOf(spec)];
    for (const spec of [
      { problem: { m: 511, n: 4096, k: 4096 } },
      { problem: { ...cube(4096), a: { dtype: 'f16' as const } } },
      { problem: { ...cube(4096), accumulator: 'f64' as const } },
      { problem: cube(4096), device: 'rtx-4090' },
      { problem: cube(4096), targets: ['wgsl' as const] },
    ]) {
      const [found, plain] = both(spec);
      assert.deepEqual(found, plain, JSON.stringify(spec));
    }
    const [found, plain] = both({ problem: { m: 512, n: 8192, k: 8192 } });
    assert.notDeepEqual(found, plain);
    // A schedule that names anything is its owner's.
    assert.equal(
      scheduleOf({ problem: cube(4096), schedule: { block: { k: 16 } } }).algorithm,
      'thread-tile-2d',
    );
  });
});
