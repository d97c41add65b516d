import assert from 'node:assert/strict';
import fc from 'fast-check';
import { shippedTables, tablesWith } from '../../../../src/core/defaults/dispatch/shipped';
import { check } from '../../../../src/core/defaults/check';
import { plan } from '../../../../src/core/plan/planner';
import { resolve, resolveWithOrigin, withoutTables } from '../../../../src/core/defaults/resolve';
import type { ResolvedSchedule } from '../../../../src/core/spec/resolved';
import { toSpec } from '../../../../src/core/spec/toSpec';
import type { DType } from '../../../../src/core/types/dtype';
import type { GemmSpec, Target } from '../../../../src/core/spec/schema';
import type { DispatchRow } from '../../../../src/core/defaults/dispatch/row';
import { originText } from '../../../../src/core/defaults/dispatch/scheduleFrom';
import { row, SMALL } from './tables';
import { runs } from '../../../helpers/depth';

const cube = (size: number) => ({ m: size, n: size, k: size });

describe('a spec without a schedule', () => {
  const scheduleOf = (spec: GemmSpec) => resolve(spec).schedule;

  it('keeps every target that it would have without the tables', () => {
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

  it('is legal whatever sizes, layouts, strides, types, scalars and batches are, and the same every time', () => {
    const layouts = fc.constantFrom('row' as const, 'col' as const);
    const size = fc.oneof(fc.integer({ min: 1, max: 9000 }), fc.constantFrom(512, 1024, 4096));
    const problems = fc
      .record({
        m: size,
        n: size,
        k: size,
        batch: fc.integer({ min: 1, max: 3 }),
        a: layouts,
        b: layouts,
        c: layouts,
        extra: fc.integer({ min: 0, max: 5 }),
        dtype: fc.constantFrom('f32' as const, 'f32' as const, 'f16' as const, 'f64' as const),
        beta: fc.constantFrom(0, 1, 2),
      })
      .map(({ m, n, k, batch, a, b, c, extra, dtype, beta }) => ({
        m,
        n,
        k,
        batch,
        beta,
        a: { dtype, layout: a, ld: (a === 'row' ? k : m) + extra },
        b: { dtype, layout: b },
        c: { layout: c },
      }));
    const targets = fc.constantFrom<GemmSpec['targets']>(undefined, ['cuda'], ['wgsl']);
    const devices = fc.constantFrom(undefined, 'h200', 'h100-sxm', 'b200', 'rtx-4090', 'apple-m4');
    fc.assert(
      fc.property(problems, targets, devices, (problem, given, device) => {
        const spec: GemmSpec = {
          problem,
          ...(given === undefined ? {} : { targets: given }),
          ...(device === undefined ? {} : { device }),
        };
        const { resolved, found } = resolveWithOrigin(spec);
        const plain = withoutTables(spec);
        assert.deepEqual(resolved.targets, plain.targets);
        for (const target of resolved.targets) {
          // A default of a type that a target lacks is no more legal than before.
          if (found !== null || plan(plain, target).ok) assert.ok(plan(resolved, target).ok);
        }
        assert.deepEqual(resolve(spec), resolved);
        // What is resolved needs the tables no more.
        assert.deepEqual(resolve(toSpec(resolved)), resolved);
      }),
      { ...runs(200) },
    );
  });

  it('resolves again from its written spec without swap-AB for a column-major C', () => {
    const problem = {
      m: 1,
      n: 1,
      k: 512,
      a: { dtype: 'f16' as const, layout: 'col' as const },
      c: { layout: 'col' as const },
    };
    const resolved = resolve({ problem, targets: ['cuda'] });
    assert.equal(resolved.schedule.algorithm, 'wgmma');
    assert.deepEqual(resolve(toSpec(resolved)), resolved);
  });

  it('is a tiled WGSL kernel far from every measured shape, with split-K if tiles are few', () => {
    const of = (m: number, n: number, k: number): ResolvedSchedule =>
      scheduleOf({ problem: { m, n, k }, targets: ['wgsl'], device: 'h200' });
    for (const [m, n, k] of [
      [128, 8192, 8192],
      [80, 648, 7784],
      [16_272, 120, 320],
    ] as const)
      assert.equal(of(m, n, k).algorithm, 'warp-tile');
    assert.ok((of(80, 648, 7784).splitK ?? 1) >= 4);
    assert.ok((of(544, 1064, 15_232).splitK ?? 1) >= 2);
    // Enough tiles, or a K that is too short for two slices.
    assert.equal(of(4000, 4000, 4000).splitK, undefined);
    assert.equal(of(80, 648, 64).splitK, undefined);
  });

  const originAt = (m: number, device: string, own: readonly DispatchRow[] = []) =>
    resolveWithOrigin(
      {
        problem: { m, n: 28_672, k: 4096, a: { dtype: 'bf16' }, b: { layout: 'col' } },
        targets: ['cuda'],
        device,
      },
      tablesWith(own),
    ).found;

  it('is predicted on a GPU with an own fit, where only another GPU was measured', () => {
    const origins = ['h200', 'h100-sxm'].map(device => originAt(128, device)?.how);
    assert.deepEqual(origins, ['measured', 'predicted']);
  });

  it('is predicted at a measured shape if power limits the clock of the measured schedule', () => {
    const limited = originAt(2048, 'h200');
    assert.ok(limited?.how === 'predicted' && limited.shortBatches !== undefined);
    assert.match(originText(limited), /power limits the clock/);
    assert.equal(originAt(2048, 'h200', [limited.shortBatches])?.how, 'measured');
  });

  it('keeps the plain one where nothing was measured: other types, older devices, WGSL of no device', () => {
    for (const spec of [
      { problem: { ...cube(4096), a: { dtype: 'f16' as const } } },
      { problem: { ...cube(4096), accumulator: 'f64' as const } },
      { problem: cube(4096), device: 'rtx-4090' },
      { problem: cube(4096), targets: ['wgsl' as const] },
    ]) {
      assert.deepEqual(scheduleOf(spec), withoutTables(spec).schedule, JSON.stringify(spec));
      assert.equal(check(spec).scheduleFrom.from, 'default');
    }
    // A schedule that names anything is its owner's.
    const own = { problem: cube(4096), schedule: { block: { k: 16 } } };
    assert.equal(scheduleOf(own).algorithm, 'thread-tile-2d');
    assert.equal(check(own).scheduleFrom.from, 'spec');
  });

  it('is on tensor cores where its type needs them, or was measured there, and WGSL is not asked for', () => {
    const of = (dtype: DType, over: Partial<GemmSpec> = {}, size = 4096) =>
      resolve({
        problem: { ...cube(size), a: { dtype }, b: { layout: 'col' } },
        ...over,
      });
    for (const dtype of ['tf32', 'e4m3', 'e5m2'] as const) {
      for (const size of [100, 4096]) {
        const { schedule, targets } = of(dtype, {}, size);
        assert.deepEqual([schedule.algorithm, targets], ['wgmma', ['cuda']]);
      }
      const older = of(dtype, { device: dtype === 'tf32' ? 'a100-sxm-80gb' : 'rtx-4090' });
      assert.deepEqual([older.schedule.algorithm, older.targets], ['mma', ['cuda']]);
      assert.deepEqual(of(dtype, { device: 't4' }).targets, []);
    }
    assert.equal(of('bf16').schedule.algorithm, 'wgmma');
    assert.equal(of('bf16', {}, 104).schedule.algorithm, 'wgmma');
    // TMA cannot load rows of 200 bytes, and a pre-pass would take longer than the product.
    assert.equal(of('bf16', {}, 100).schedule.algorithm, 'mma');
    assert.equal(of('bf16', { device: 'a100-sxm-80gb' }, 100).schedule.algorithm, 'mma');
    assert.equal(
      of('bf16', { device: 'v100-sxm2-16gb' }, 100).schedule.algorithm,
      'thread-tile-2d',
    );
    assert.equal(of('f16').schedule.algorithm, 'thread-tile-2d');
    assert.equal(of('f16', { targets: ['cuda'] }).schedule.algorithm, 'wgmma');
    const few = resolveWithOrigin({
      problem: { m: 16, n: 4096, k: 4096, a: { dtype: 'bf16' }, b: { layout: 'col' } },
    });
    assert.equal(few.found?.how, 'measured');
    assert.equal(few.resolved.schedule.algorithm, 'wgmma');
  });

  it('reports the origin of its schedule', () => {
    const from = (over: Partial<GemmSpec>, size = 4096) =>
      check({ problem: cube(size), targets: ['cuda'], ...over }).scheduleFrom;
    assert.match(
      from({}).text,
      /^Measured on NVIDIA H200 at 4096x4096x4096 rrr: \d\d\.\d TFLOP\/s\.$/,
    );
    const targets: Target[] = ['cuda', 'wgsl'];
    assert.match(
      from({ targets }, 4095).text,
      /^Selected by the wave model\. Nearest measurement: .* on NVIDIA H200 at/,
    );
    assert.match(
      from({ device: 'h100-pcie', targets }).text,
      /from the table of NVIDIA H200 \(same compute capability, 9\.0\), because this device has no suitable measurement\.$/,
    );
    assert.match(
      from({ device: 'b200' }).text,
      /\(lower compute capability, 9\.0\), because this device/,
    );
    const { dispatch } = from({});
    assert.ok(dispatch !== undefined);
    assert.deepEqual([dispatch.how, dispatch.kin], ['measured', 'device']);
    assert.equal(dispatch.gflops.from, 'measured');
    assert.equal(from({ targets }, 4095).dispatch?.gflops.from, 'derived');
    assert.notEqual(dispatch.row.source.record, '');
  });

  it("takes a workspace's row before the shipped ones, at its shape and near it", () => {
    const own = tablesWith([row(4096, 60_000, { schedule: SMALL })]);
    const spec: GemmSpec = { problem: cube(4096), targets: ['cuda'] };
    assert.deepEqual(resolve(spec, own).schedule.block, SMALL.block);
    assert.match(check(spec, own).scheduleFrom.text, /Adopted in this workspace\.$/);
    assert.deepEqual(resolve({ ...spec, problem: cube(4032) }, own).schedule.block, SMALL.block);
    assert.deepEqual(
      resolve({ ...spec, problem: cube(1024) }, own),
      resolve({ ...spec, problem: cube(1024) }),
    );
    assert.equal(tablesWith([]), shippedTables());
  });

  it('takes little time', () => {
    const spec: GemmSpec = { problem: cube(4000) };
    resolve(spec);
    const times = Array.from({ length: 200 }, () => {
      const begin = performance.now();
      resolve(spec);
      return performance.now() - begin;
    }).sort((one, other) => one - other);
    // One choice in the page may take 5 ms. The median ignores delays by other processes.
    assert.ok((times[100] ?? 0) < 5, `${times[100] ?? 0} ms`);
    console.log(`      resolve: ${((times[100] ?? 0) * 1000).toFixed(0)} µs in the median`);
  });
});
