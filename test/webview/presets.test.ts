import assert from 'node:assert/strict';
import { assert as check, constantFrom, integer, property } from 'fast-check';
import { specOf } from '../../scripts/grid/specs';
import { describeAdapter } from '../../src/webgpu/adapter';
import type { Measurement } from '../../src/core/measure/measurement';
import { emit } from '../../src/core/kernel/emit';
import { plan } from '../../src/core/plan/planner';
import { analyze } from '../../src/core/report/analyze';
import { resolve } from '../../src/core/defaults/resolve';
import { ladderOf } from '../../src/core/search/ladder/rungs';
import { sameJson } from '../../src/core/spec/sameJson';
import { leaves } from '../../src/core/spec/scheduleFields';
import { TARGETS, type GemmSpec, type Schedule, type Target } from '../../src/core/spec/schema';
import { presetsOf } from '../../webview/presets';
import { runs } from '../helpers/depth';

const problem = { m: 1024, n: 1024, k: 1024 };
const spec: GemmSpec = { problem, schedule: { algorithm: 'thread-tile-2d' } };
const presets = (
  over: Partial<GemmSpec> = {},
  target: Target = 'cuda',
  runs: readonly Measurement[] = [],
  adapter: Measurement['device'] | null = null,
) => {
  const of = { ...spec, ...over };
  return presetsOf({ spec: of, resolved: resolve(of), target, runs, adapter });
};

const adapterOf = (vendor: string, architecture: string) =>
  describeAdapter(
    { vendor, architecture, device: '', description: '' } as GPUAdapterInfo,
    'webview',
  );

const run = (
  schedule: Schedule,
  gflops: number,
  name: string,
  over: Partial<GemmSpec> = {},
): Measurement => ({
  specKey: 'x',
  kernelKey: 'y',
  backend: 'cuda',
  outcome: 'correct',
  resolved: resolve({ problem, schedule, targets: ['cuda'], ...over }),
  device: { name, adapter: 'a', driver: '1', where: 'extension host' },
  verification: { reference: 'f64', maxError: 0, bound: 1, mismatches: 0, samples: 1 },
  timing: {
    timer: 'cuda-events',
    quantumNs: 32,
    warmUp: 1,
    samples: 1,
    medianMs: 1,
    iqrMs: 0,
    minMs: 1,
    gflops,
    errorPercent: 0,
    cache: 'cold',
    inputs: 'x',
  },
});

/** Problems of every type, with and without a schedule, for several devices and limits. */
const anySpec = integer({ min: 0, max: 2 ** 27 }).map((seed): GemmSpec => {
  const { problem, schedule = {}, device = 'h200', webgpuLimits = {} } = specOf(seed);
  return { problem, device, webgpuLimits, ...(seed % 3 === 0 ? {} : { schedule }) };
});

describe('explorer: presets', () => {
  it('apply distinct schedules exactly as named, for any problem, type and target', () => {
    check(
      property(anySpec, constantFrom(...TARGETS), (of, target) => {
        const resolved = resolve(of);
        const listed = presetsOf({ spec: of, resolved, target, runs: [], adapter: null });
        const applied = listed.map(({ schedule }) => resolve({ ...of, schedule }).schedule);
        for (const [index, { name, schedule, illegal, inUse, changes }] of listed.entries()) {
          const now = applied[index]!;
          const fields = new Map(leaves(now));
          for (const [path, value] of leaves(schedule)) {
            assert.equal(fields.get(path), value, `${name}: ${path}`);
          }
          const planned = plan({ ...resolved, schedule: now }, target);
          assert.equal(illegal === null, planned.ok, name);
          assert.equal(inUse, sameJson(now, resolved.schedule), name);
          assert.equal(inUse, changes.length === 0, name);
          const first = applied.findIndex(other => sameJson(other, now));
          assert.equal(first, index, `${name} is ${listed[first]?.name ?? ''} once more`);
        }
        const rungs = ladderOf(target, resolved).map(({ schedule }) => schedule);
        for (const schedule of rungs) {
          const itself = resolve({ ...of, schedule }).schedule;
          assert.ok(
            applied.some(now => sameJson(now, itself)),
            'every rung is listed',
          );
        }
      }),
      { ...runs(40), seed: 22 },
    );
  }).timeout(120_000);

  it('keep an illegal rung with its reason, and add default tiles under their own name', () => {
    const bf16 = { ...problem, a: { dtype: 'bf16' } } as const;
    for (const [over, target] of [
      [{}, 'wgsl'],
      [{ problem: bf16 }, 'cuda'],
      [{ problem: { ...problem, a: { dtype: 's8' } } }, 'cuda'],
    ] as const) {
      const listed = presets(over, target);
      const illegal = listed.filter(one => one.illegal !== null);
      assert.ok(illegal.length > 0);
      assert.ok(illegal.every(one => one.illegal !== '' && one.id.startsWith('rung ')));
      const algorithms = new Set(listed.map(({ schedule }) => schedule.algorithm));
      for (const algorithm of algorithms) {
        const resolved = resolve({ ...spec, ...over, schedule: { algorithm } });
        const own = listed.filter(({ schedule }) => schedule.algorithm === algorithm);
        const legal = own.filter(one => one.illegal === null);
        assert.equal(legal.length > 0, plan(resolved, target).ok, algorithm);
        const defaults = own.filter(({ id }) => id.startsWith('default '));
        const alone = legal.length === 1 && own.length > 1 && defaults.length === 1;
        assert.ok(defaults.length === 0 || alone, algorithm);
        assert.ok(defaults.every(({ name }) => name === `${algorithm}, default tiles`));
      }
    }
  });

  it('merge equal schedules and keep both names', () => {
    const schedule = { algorithm: 'shared-tile' } as const;
    const runs = [run(schedule, 900, 'NVIDIA H200'), run(schedule, 50, 'Some laptop GPU')];
    const listed = presets({}, 'cuda', runs).filter(({ id }) => id.startsWith('run '));
    assert.deepEqual(
      listed.map(({ name, measured, also }) => [name, measured, also]),
      [
        [
          'Fastest here',
          '900 GFLOP/s (interval unknown), the only run on NVIDIA H200, extension host',
          [
            {
              name: 'Fastest here',
              measured:
                '50 GFLOP/s (interval unknown), the only run on Some laptop GPU, extension host',
            },
          ],
        ],
      ],
    );
  });

  it('explain why a preset is not legal', () => {
    const tf32 = { ...problem, a: { dtype: 'tf32' } } as const;
    const all = presets({ problem: tf32 });
    const single = all.filter(({ schedule }) => schedule.algorithm?.endsWith('mma') !== true);
    assert.ok(single.length > 0 && single.length < all.length);
    assert.ok(single.every(({ illegal }) => illegal?.includes('tf32 requires tensor cores')));
    const warps = all.filter(({ schedule }) => schedule.algorithm === 'mma');
    assert.ok(warps.length > 0 && warps.every(({ illegal }) => illegal === null));
  });

  it('predict the rates of warp-tile and pipelined CUDA schedules as the verdict does', () => {
    const listed = presets({}, 'cuda');
    for (const { name, schedule, illegal, predicted } of listed) {
      const planned = plan(resolve({ ...spec, schedule }), 'cuda');
      assert.equal(planned.ok, illegal === null);
      const isModeled = ['warp-tile', 'pipelined'].includes(schedule.algorithm ?? '');
      assert.ok(predicted !== null || !isModeled || !planned.ok, name);
      if (predicted === null) continue;
      assert.ok(planned.ok, name);
      const { prediction } = analyze(emit(planned.plan), { device: 'h200' });
      assert.equal(predicted.toPrecision(3), prediction?.tflops.value.toPrecision(3), name);
    }
    assert.ok(presets({}, 'wgsl').every(({ predicted }) => predicted === null));
  });

  it('have one rate for exactly this problem: measured, or else predicted', () => {
    const schedule = { algorithm: 'shared-tile' } as const;
    const listed = presets({}, 'cuda', [run(schedule, 900, 'NVIDIA H200')]);
    const here = listed.find(({ id }) => id.startsWith('run '));
    assert.deepEqual(here?.rate, { gflops: 900, from: 'measured' });
    for (const { rate, predicted, illegal } of listed) {
      if (illegal !== null) assert.equal(rate, null);
      else if (rate?.from === 'derived') assert.equal(rate.gflops, (predicted ?? NaN) * 1000);
    }
    const odd = presets({ problem: { m: 1000, n: 1000, k: 1000 } });
    assert.ok(odd.every(({ rate }) => rate?.from !== 'measured'));
    assert.ok(odd.some(({ rate }) => rate?.from === 'derived'));
  });

  it('show the rate of the table with its measured size', () => {
    const table = presets().find(({ id }) => id === 'table');
    assert.match(
      table?.measured ?? '',
      /^Measured on NVIDIA H200 at 1024x1024x1024 rrr: \d+(\.\d)? TFLOP\/s\.$/,
    );
    const other = presets({ problem: { m: 1000, n: 1000, k: 1000 } }).find(
      ({ id }) => id === 'table',
    );
    assert.match(
      other?.measured ?? '',
      /^Fastest prediction of the time model: \d+(\.\d)? TFLOP\/s, with a typical error of \d+ %\./,
    );
    assert.equal(
      presets({ device: 'rtx-4090' }).find(({ id }) => id === 'table'),
      undefined,
    );
  });

  it('include the fastest run of exactly this problem per machine, the device first', () => {
    const slow = { algorithm: 'naive' } as const;
    const fast = { algorithm: 'shared-tile' } as const;
    const runs = [
      run({ algorithm: 'coalesced' }, 50, 'Some laptop GPU'),
      run(slow, 10, 'NVIDIA H200'),
      run(fast, 900, 'NVIDIA H200'),
      run(slow, 9999, 'NVIDIA H200', { problem: { m: 8, n: 8, k: 8 } }),
    ];
    const here = presets({}, 'cuda', runs).filter(({ id }) => id.startsWith('run '));
    assert.deepEqual(
      here.map(({ measured, schedule }) => [measured, schedule.algorithm]),
      [
        [
          '900 GFLOP/s (interval unknown), best of 2 runs on NVIDIA H200, extension host',
          'shared-tile',
        ],
        [
          '50 GFLOP/s (interval unknown), the only run on Some laptop GPU, extension host',
          'coalesced',
        ],
      ],
    );
    assert.equal(presets({}, 'wgsl', runs).filter(({ id }) => id.startsWith('run ')).length, 0);
  });

  it("offer the default of the page's adapter for WGSL without applying it", () => {
    const of = (target: Target, adapter: Measurement['device'] | null) =>
      presets({}, target, [], adapter).find(({ id }) => id === 'adapter');
    const apple = of('wgsl', adapterOf('apple', 'metal-3'));
    assert.deepEqual(
      [apple?.name, apple?.schedule.thread, apple?.illegal],
      ['Default for this adapter (Apple)', { m: 4, n: 8 }, null],
    );
    assert.match(apple?.measured ?? '', /^Published for Apple adapters, not measured by this/);
    assert.ok((apple?.changes.length ?? 0) > 0);
    const nvidia = of('wgsl', adapterOf('nvidia', 'ampere'));
    assert.match(nvidia?.measured ?? '', /^Measured on NVIDIA H200 at .* \(same adapter family/);
    assert.equal(of('cuda', adapterOf('apple', 'metal-3')), undefined);
    assert.equal(of('wgsl', null), undefined);
    assert.equal(of('wgsl', adapterOf('imagination', 'rogue')), undefined);
  });

  it('list at most one preset in use, without changes', () => {
    const inUse = presets().filter(one => one.inUse);
    assert.deepEqual(
      inUse.map(({ schedule, changes }) => [schedule.thread, changes]),
      [[{ m: 8, n: 8 }, []]],
    );
  });
});
