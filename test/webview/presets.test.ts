import assert from 'node:assert/strict';
import { describeAdapter } from '../../src/webgpu/adapter';
import type { Measurement } from '../../src/core/measure/measurement';
import { plan } from '../../src/core/plan/planner';
import { resolve } from '../../src/core/spec/resolve';
import type { GemmSpec, Schedule, Target } from '../../src/core/spec/schema';
import { presetsOf } from '../../webview/presets';

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
  ...{ specKey: 'x', kernelKey: 'y', backend: 'cuda', outcome: 'correct' },
  resolved: resolve({ problem, schedule, targets: ['cuda'], ...over }),
  device: { name, adapter: 'a', driver: '1', where: 'extension host' },
  verification: { reference: 'f64', maxError: 0, bound: 1, mismatches: 0, samples: 1 },
  timing: {
    ...{ timer: 'cuda-events', quantumNs: 32, warmUp: 1, samples: 1, medianMs: 1, iqrMs: 0 },
    ...{ minMs: 1, gflops, errorPercent: 0, cache: 'cold', inputs: 'x' },
  },
});

describe('explorer: presets', () => {
  it('are legal schedules of this problem, in both languages', () => {
    for (const target of ['cuda', 'wgsl'] as const) {
      for (const { name, schedule, illegal } of presets({}, target)) {
        assert.equal(illegal, null, name);
        assert.ok(plan(resolve({ ...spec, schedule }), target).ok, name);
      }
    }
  });

  it("take an algorithm's own tiles where those of its tutorial are too large", () => {
    const rung = (over: Partial<GemmSpec>) =>
      presets(over, 'wgsl').find(({ id }) => id === 'rung 0');
    const first = rung({});
    assert.deepEqual([first?.schedule, first?.measured], [{ algorithm: 'naive' }, null]);
    const wide = rung({ webgpuLimits: { invocations: 1024 } });
    assert.deepEqual(wide?.schedule.block, { m: 32, n: 32 });
  });

  it('say why one is not legal where nothing makes it so', () => {
    const tf32 = { ...problem, a: { dtype: 'tf32' } } as const;
    const all = presets({ problem: tf32 });
    const single = all.filter(({ schedule }) => schedule.algorithm?.endsWith('mma') !== true);
    assert.ok(single.length > 0 && single.length < all.length);
    assert.ok(single.every(({ illegal }) => illegal?.includes('multiply tf32')));
    const warps = all.filter(({ schedule }) => schedule.algorithm === 'mma');
    assert.ok(warps.length > 0 && warps.every(({ illegal }) => illegal === null));
  });

  it('name the rate of the table with the size it was measured at', () => {
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
      /^Expected by the wave model: .*; measured on NVIDIA H200 at 1009x1009x1009 rrr: .*\.$/,
    );
    assert.equal(
      presets({ device: 'rtx-4090' }).find(({ id }) => id === 'table'),
      undefined,
    );
  });

  it('hold the fastest run of this very problem, a machine each, that of the device first', () => {
    const slow = { algorithm: 'naive' } as const;
    const fast = { algorithm: 'shared-tile' } as const;
    const runs = [
      run(fast, 50, 'Some laptop GPU'),
      run(slow, 10, 'NVIDIA H200'),
      run(fast, 900, 'NVIDIA H200'),
      run(slow, 9999, 'NVIDIA H200', { problem: { m: 8, n: 8, k: 8 } }),
    ];
    const here = presets({}, 'cuda', runs).filter(({ id }) => id.startsWith('run '));
    assert.deepEqual(
      here.map(({ measured, schedule }) => [measured, schedule.algorithm]),
      [
        ['900 GFLOP/s, the best of 2 runs on NVIDIA H200, extension host', 'shared-tile'],
        ['50 GFLOP/s, the only run on Some laptop GPU, extension host', 'shared-tile'],
      ],
    );
    assert.equal(presets({}, 'wgsl', runs).filter(({ id }) => id.startsWith('run ')).length, 0);
  });

  it("offer the default of the page's adapter, for WGSL alone: what is shown stays", () => {
    const of = (target: Target, adapter: Measurement['device'] | null) =>
      presets({}, target, [], adapter).find(({ id }) => id === 'adapter');
    const apple = of('wgsl', adapterOf('apple', 'metal-3'));
    assert.deepEqual(
      [apple?.name, apple?.schedule.thread, apple?.illegal],
      ['Default of this adapter (Apple)', { m: 4, n: 8 }, null],
    );
    assert.match(apple?.measured ?? '', /^Published for Apple adapters, not measured by this/);
    assert.ok((apple?.changes.length ?? 0) > 0);
    const nvidia = of('wgsl', adapterOf('nvidia', 'ampere'));
    assert.match(nvidia?.measured ?? '', /^Measured on NVIDIA H200 at .* of the same family/);
    assert.equal(of('cuda', adapterOf('apple', 'metal-3')), undefined);
    assert.equal(of('wgsl', null), undefined);
    assert.equal(of('wgsl', adapterOf('imagination', 'rogue')), undefined);
  });

  it('that are in use change nothing', () => {
    const inUse = presets().filter(({ changes }) => changes.length === 0);
    assert.deepEqual(
      inUse.map(({ schedule }) => schedule.thread),
      [{ m: 8, n: 8 }],
    );
  });
});
