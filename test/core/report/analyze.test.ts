import assert from 'node:assert/strict';
import { analyze } from '../../../src/core/report/analyze';
import { emit } from '../../../src/core/kernel/emit';
import type { LoweredKernel } from '../../../src/core/kernel/kernel';
import type { Measurement } from '../../../src/core/measure/measurement';
import { NOT_VERIFIED } from '../../../src/core/measure/measurement';
import { plan } from '../../../src/core/plan/planner';
import { decodeSpec } from '../../../src/core/spec/decode';
import { resolve } from '../../../src/core/defaults/resolve';
import { loweredOf } from '../../helpers/kernels';

function kernelOf(spec: unknown, target: 'cuda' | 'wgsl' = 'cuda'): LoweredKernel {
  const decoded = decodeSpec(spec);
  assert.ok(decoded.ok, JSON.stringify(decoded));
  const planned = plan(resolve(decoded.spec), target);
  assert.ok(planned.ok, JSON.stringify(planned));
  return loweredOf(emit(planned.plan));
}
const cube = (size: number) => ({ m: size, n: size, k: size });
const near = (actual: number, expected: number, tolerance: number) => {
  assert.ok(
    Math.abs(actual - expected) <= tolerance,
    `${actual} is not ${expected} +- ${tolerance}`,
  );
};

describe("the seeds' figures", () => {
  const onRtx4090 = (schedule: object, size = 1024) =>
    analyze(kernelOf({ problem: cube(size), schedule }), { device: 'rtx-4090' }).roofline;

  it('seed 002: device ratio 81.3, problem ratio 128 at 1024 and 256 at 2048 FLOP/B', () => {
    const naive = { algorithm: 'coalesced', block: { m: 32, n: 32 } };
    near(onRtx4090(naive).deviceRatio.value, 81.3, 0.06);
    near(onRtx4090(naive).problemRatio.value, 128, 1e-9);
    near(onRtx4090(naive, 2048).problemRatio.value, 256, 1e-9);
    assert.equal(onRtx4090(naive).bound, 'compute');
  });

  it('seed 002: kernel ratios 0.25 naive, 7.76 block tile, 15.1 thread tile', () => {
    near(onRtx4090({ algorithm: 'naive', block: { m: 32, n: 32 } }).kernelRatio.value, 0.25, 0.001);
    const block = { algorithm: 'shared-tile', block: { m: 32, n: 32, k: 32 } };
    near(onRtx4090(block).kernelRatio.value, 7.76, 0.005);
    const thread = {
      algorithm: 'thread-tile-2d',
      block: { m: 64, n: 64, k: 16 },
      thread: { m: 4, n: 4 },
    };
    near(onRtx4090(thread).kernelRatio.value, 15.1, 0.06);
  });

  it('seed 003: 8 KiB of shared memory, 1,024 threads, 27 registers: one block, 32 of 48 warps, thread-limited', () => {
    const kernel = kernelOf({
      problem: cube(2048),
      schedule: { algorithm: 'shared-tile', block: { m: 32, n: 32, k: 32 } },
      device: 'rtx-3070-laptop',
    });
    assert.equal(kernel.sharedBytes, 8192);
    const resources = { registers: 27, sharedBytes: 8192 };
    const { occupancy, roofline, traffic } = analyze(kernel, {
      device: 'rtx-3070-laptop',
      resources,
    });
    assert.equal(occupancy?.blocksPerSm, 1);
    assert.equal(occupancy.activeWarps, 32);
    assert.equal(occupancy.maxWarps, 48);
    assert.deepEqual(occupancy.limiters, ['threads']);
    near(occupancy.occupancy, 0.667, 0.001);
    assert.equal(occupancy.registers.from, 'compiler');
    const flop = 2 * 2048 ** 3;
    near(flop / 1e9, 17.2, 0.05);
    near((flop / 16e12) * 1e3, 1.1, 0.05);
    // C read and written, as the seed counts.
    const bytes = flop / roofline.problemRatio.value;
    near(bytes / 1e6, 67, 0.2);
    near((bytes / 384e9) * 1e3, 0.17, 0.01);
    assert.equal(traffic.dram.value, 3 * 2048 * 2048 * 4);
  });

  it("seed 003's naive kernel and seed 004's loads are uncoalesced, and the analysis says why", () => {
    const naive = analyze(
      kernelOf({ problem: cube(1024), schedule: { algorithm: 'naive', block: { m: 32, n: 32 } } }),
      { device: 'h200' },
    );
    const site = (name: string) => naive.globalMemory.find(access => access.site === name);
    assert.deepEqual(
      [site('A load')?.sectorsPerRequest, site('B load')?.sectorsPerRequest],
      [32, 1],
    );
    assert.equal(site('C store')?.sectorsPerRequest, 32);
    assert.ok(
      naive.notes.some(({ text }) =>
        /A load: uncoalesced load, 32 sectors .* stride of one leading dimension/.test(text),
      ),
    );
    const coalesced = analyze(
      kernelOf({
        problem: cube(1024),
        schedule: { algorithm: 'coalesced', block: { m: 8, n: 32 } },
      }),
      { device: 'h200' },
    );
    assert.deepEqual(
      coalesced.globalMemory.map(({ site: name, sectorsPerRequest }) => [name, sectorsPerRequest]),
      [
        ['A load', 1],
        ['B load', 4],
        ['C store', 4],
      ],
    );
    const seed4 = {
      problem: { ...cube(1024), a: { dtype: 's32' } },
      schedule: { algorithm: 'shared-tile', variant: 'transposed', block: { m: 16, n: 16, k: 16 } },
    };
    const transposed = analyze(kernelOf(seed4), { device: 'h200' });
    const loads = transposed.globalMemory.filter(({ op }) => op === 'load');
    assert.deepEqual(
      loads.map(({ sectorsPerRequest }) => sectorsPerRequest),
      [16, 16],
    );
    assert.ok(transposed.notes.some(({ text }) => text.includes('A tile load: uncoalesced')));
  });
});

describe('shared memory', () => {
  const tile = (padding?: object) =>
    analyze(
      kernelOf({
        problem: cube(1024),
        schedule: {
          algorithm: 'thread-tile-2d',
          block: { m: 128, n: 128, k: 8 },
          thread: { m: 8, n: 8 },
          ...(padding === undefined ? {} : { padding }),
        },
      }),
      { device: 'h200' },
    );
  const wavefronts = (analysis: ReturnType<typeof tile>, name: string) =>
    analysis.sharedMemory.find(({ site }) => site === name)?.wavefrontsPerRequest;

  it('reports conflicts of unpadded fragments, and the padding that removes them', () => {
    assert.equal(wavefronts(tile(), 'As fragment load'), 2);
    assert.equal(wavefronts(tile({ a: 1 }), 'As fragment load'), 1);
    assert.equal(wavefronts(tile(), 'Bs fragment load'), 4);
    const said = tile().notes.map(({ text }) => text);
    assert.ok(
      said.some(text =>
        /^As fragment load: shared-memory bank conflicts.*Set padding\.a = 1 to remove/.test(text),
      ),
      said.join(),
    );
    assert.ok(
      said.some(text =>
        /^Bs fragment load: shared-memory bank conflicts.*Row padding cannot help/.test(text),
      ),
      said.join(),
    );
  });
});

describe('rooflines of machines', () => {
  const measured = (name: string, where: string): Measurement => ({
    specKey: 'k',
    kernelKey: 'x',
    resolved: null,
    backend: 'webgpu',
    outcome: 'correct',
    verification: NOT_VERIFIED,
    device: { name, adapter: name, driver: '', where },
    timing: {
      timer: 'timestamp-query',
      quantumNs: 1,
      warmUp: 1,
      samples: 10,
      medianMs: 1,
      iqrMs: 0,
      minMs: 1,
      gflops: 1.5,
      errorPercent: 0.1,
      cache: 'warm',
      inputs: 'uniform [-1, 1)',
    },
    ceilings: { gflops: 20, bandwidthGBps: 10, how: 'FMA chains; copy' },
  });
  const kernel = kernelOf({ problem: cube(256) }, 'wgsl');

  it('keeps a point on the roofline of the machine that made it', () => {
    const runs = [measured('google swiftshader', 'webview'), measured('NVIDIA H200', 'cli')];
    const { roofline, machineRooflines } = analyze(kernel, { device: 'h200', measurements: runs });
    const points = (all: typeof roofline) =>
      all.points.filter(({ kind }) => kind === 'measured').length;
    assert.equal(points(roofline), 1);
    assert.equal(machineRooflines.length, 1);
    assert.equal(machineRooflines[0]?.machine, 'google swiftshader, webview');
    assert.equal(machineRooflines[0].ceilings.find(({ kind }) => kind === 'compute')?.value, 0.02);
    assert.equal(machineRooflines[0].deviceRatio.value, 2);
  });
});

describe('staging of column-major operands', () => {
  for (const algorithm of ['shared-tile', 'thread-tile-2d'] as const) {
    it(`${algorithm} is coalesced and free of store conflicts for every layout`, () => {
      for (const a of ['row', 'col'] as const) {
        for (const b of ['row', 'col'] as const) {
          const tiles =
            algorithm === 'shared-tile'
              ? { block: { m: 32, n: 32, k: 32 } }
              : { block: { m: 64, n: 64, k: 32 }, thread: { m: 4, n: 4 } };
          const problem = { ...cube(1024), a: { layout: a }, b: { layout: b } };
          const { globalMemory, sharedMemory } = analyze(
            kernelOf({ problem, schedule: { algorithm, ...tiles } }),
            { device: 'h200' },
          );
          const loads = globalMemory.filter(({ op }) => op === 'load');
          assert.deepEqual(
            loads.map(({ sectorsPerRequest }) => sectorsPerRequest),
            [4, 4],
            `${a} ${b}`,
          );
          const stores = sharedMemory.filter(({ op }) => op === 'store');
          assert.deepEqual(
            stores.map(({ wavefrontsPerRequest }) => wavefrontsPerRequest),
            [1, 1],
          );
        }
      }
    });
  }
});

describe('unknown results', () => {
  it('reports no traffic and no access sites for edited text, with a note', () => {
    const kernel = kernelOf({ problem: cube(256) });
    const { ir, plan: itsPlan, ...runnable } = kernel;
    assert.ok(ir.entry !== '' && itsPlan.threads > 0);
    const edited = { ...runnable, source: runnable.source.replace('BK = 8', 'BK = 4') };
    const analysis = analyze(edited, { device: 'h200' });
    assert.deepEqual([analysis.globalMemory, analysis.occupancy], [[], null]);
    assert.ok(analysis.notes.some(({ text }) => text.startsWith('The kernel source was edited')));
    assert.ok(analyze(runnable, { device: 'h200' }).globalMemory.length > 0);
  });

  it('reports no ceiling and no bound for a machine without a ceiling for the type', () => {
    const { roofline } = analyze(kernelOf({ problem: { ...cube(256), a: { dtype: 'f64' } } }), {
      device: 'apple-m4',
    });
    assert.equal(roofline.bound, 'unknown');
    assert.ok(Number.isNaN(roofline.attainable.value) && roofline.points.length === 0);
  });
});
