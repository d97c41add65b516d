/** `mma`: both sides of its limits, its text and its analysis. */
import assert from 'node:assert/strict';
import { analyze } from '../../../src/core/report/analyze';
import { uncachedBytes } from '../../../src/core/plan/traffic';
import type { Violation } from '../../../src/core/plan/plan';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { kernelOf, planOf, specOf, type Schedule } from '../../helpers/matrixSpecs';

function violation(spec: GemmSpec): Violation {
  const found = plan(resolve(spec), 'wgsl');
  assert.ok(!found.ok && found.violations.length === 1, JSON.stringify(found));
  return found.violations[0]!;
}

const broken = (spec: GemmSpec): readonly unknown[] => {
  const { rule, path, nearest } = violation(spec);
  return [rule, path, nearest];
};

describe('mma', () => {
  it("has tiles within WebGPU's default limits, and deeper ones above them", () => {
    const problem = { m: 1024, n: 1024, k: 1024, a: { dtype: 'f16' } } as const;
    const of = (webgpuLimits?: GemmSpec['webgpuLimits'], sides = {}) =>
      planOf({
        problem: { ...problem, ...sides },
        schedule: { algorithm: 'mma' },
        targets: ['wgsl'],
        ...(webgpuLimits && { webgpuLimits }),
      });
    const { tile, matrix, threads, shared, sharedBytes } = of();
    assert.deepEqual(
      [tile, matrix.warp],
      [
        { m: 128, n: 128, k: 16 },
        { m: 64, n: 64 },
      ],
    );
    assert.deepEqual([threads, shared.a.padding, shared.b.padding], [128, 8, 8]);
    // (128 x 24 + 16 x 136) elements, and a matrix of sums a warp.
    assert.equal(sharedBytes, 10_496 + 4 * 16 * 16 * 4);
    assert.equal(of({ workgroupStorageBytes: 32_767 }).tile.k, 16);
    assert.equal(of({ workgroupStorageBytes: 32_768 }).tile.k, 32);
    const wide = (workgroupStorageBytes: number, n: number) =>
      of({ workgroupStorageBytes }, { m: 2048, n }).tile;
    assert.deepEqual(wide(49_152, 2048), { m: 128, n: 256, k: 32 });
    assert.deepEqual(wide(49_151, 2048), { m: 128, n: 128, k: 32 });
    assert.deepEqual(wide(49_152, 2047), { m: 128, n: 128, k: 32 });
    const single = planOf({
      problem: { m: 64, n: 64, k: 64 },
      schedule: { algorithm: 'mma' },
      targets: ['wgsl'],
    });
    assert.deepEqual(single.matrix.shape, { m: 8, n: 8, k: 8 });
  });

  it('supports the types of subgroup matrices', () => {
    assert.deepEqual(broken(specOf({ a: { dtype: 's32' }, c: { dtype: 's32' } })), [
      'matrix-type',
      'problem.a.dtype',
      'f16',
    ]);
    const mixed = specOf({ b: { dtype: 'f32' } });
    assert.deepEqual(broken(mixed), ['matrix-type', 'problem.b.dtype', 'f16']);
    for (const accumulator of ['f16', 'f32'] as const)
      assert.equal(planOf(specOf({ accumulator })).accumulator, accumulator);
    const bf16 = plan(resolve(specOf({ a: { dtype: 'bf16' } })), 'wgsl');
    assert.ok(!bf16.ok && bf16.violations.some(({ message }) => message.includes('bfloat16')));
  });

  it('supports the shapes of known adapters', () => {
    const mma = (m: number, n: number, k: number) => specOf({}, { mma: { m, n, k } });
    for (const [m, n, k] of [
      [16, 8, 16],
      [16, 8, 8],
      [8, 8, 8],
      [8, 16, 16],
    ] as const)
      assert.deepEqual(planOf(mma(m, n, k)).matrix.shape, { m, n, k });
    assert.deepEqual(broken(mma(16, 16, 8)), [
      'matrix-shape',
      'schedule.mma',
      { m: 16, n: 16, k: 16 },
    ]);
    const f32 = { a: { dtype: 'f32' } } as const;
    assert.deepEqual(broken(specOf(f32, { mma: { m: 16, n: 16, k: 16 } })).slice(0, 2), [
      'matrix-shape',
      'schedule.mma',
    ]);
  });

  it('requires blocks of full warp tiles, warp tiles of full matrices, and full k-steps', () => {
    assert.equal(violation(specOf({}, { block: { m: 48, n: 64, k: 32 } })).rule, 'matrix-tile');
    assert.deepEqual(broken(specOf({}, { block: { m: 32, n: 64, k: 40 } })), [
      'matrix-tile',
      'schedule.block.k',
      48,
    ]);
    const warp = specOf({}, { block: { m: 24, n: 64, k: 32 }, warp: { m: 24, n: 32 } });
    assert.equal(violation(warp).rule, 'matrix-tile');
    assert.equal(planOf(specOf({}, { block: { m: 96, n: 64, k: 16 } })).threads, 6 * 32);
  });

  it('aligns rows for matrix loads, and limits accesses to 16 bytes', () => {
    assert.deepEqual(broken(specOf({}, { padding: { a: 4, b: 8 } })), [
      'matrix-row',
      'schedule.padding.a',
      8,
    ]);
    assert.equal(planOf(specOf({}, { padding: { a: 16, b: 0 } })).shared.a.padding, 16);
    const f32 = { a: { dtype: 'f32' } } as const;
    assert.equal(planOf(specOf(f32, { padding: { a: 4, b: 4 } })).matrix.vector, 4);
    assert.deepEqual(broken(specOf(f32, { vector: 8 })), ['vector', 'schedule.vector', 4]);
  });

  it('rejects fields of single threads as unused', () => {
    for (const [path, given] of [
      ['thread.m', { thread: { m: 8 } }],
      ['stages', { stages: 2 }],
      ['fragments', { fragments: 2 }],
    ] as const)
      assert.deepEqual(broken(specOf({}, given)), ['unused-field', `schedule.${path}`, null]);
  });

  it('checks registers, workgroup storage and invocations, with staged accumulators', () => {
    const large = { block: { m: 128, n: 128, k: 16 }, warp: { m: 128, n: 64 } } as const;
    const registers = violation(specOf({}, large));
    assert.equal(registers.rule, 'registers');
    assert.match(registers.message, /A 128 x 64 warp tile .* needs about 3\d\d registers/);
    const deep = { block: { m: 128, n: 128, k: 32 }, warp: { m: 64, n: 64 } } as const;
    const scaled = specOf({ alpha: 2 }, deep);
    const { rule, message } = violation(scaled);
    assert.equal(rule, 'shared-memory');
    assert.match(message, /\+ 4,096 B for accumulators = 23,040 B of shared memory > 16,384 B/);
    assert.equal(
      planOf({ ...scaled, webgpuLimits: { workgroupStorageBytes: 23_040 } }).sharedBytes,
      23_040,
    );
    const many = { block: { m: 96, n: 96, k: 16 }, warp: { m: 32, n: 32 } } as const;
    assert.equal(violation(specOf({ m: 96, n: 96 }, many)).rule, 'threads-per-block');
  });

  it('stores matrices directly without scaling or conversion and with aligned rows', () => {
    const direct = (problem: Partial<GemmSpec['problem']>, schedule: Partial<Schedule> = {}) =>
      planOf(specOf(problem, schedule)).matrix.direct;
    const f32 = { dtype: 'f32' } as const;
    assert.equal(direct({}), true);
    assert.equal(direct({ c: { ...f32, ld: 68 } }), true);
    assert.equal(direct({ c: { ...f32, layout: 'col' } }), true);
    assert.equal(direct({ accumulator: 'f16', c: { dtype: 'f16' } }), true);
    for (const other of [
      { m: 65 },
      { n: 63 },
      { alpha: 2 },
      { beta: 1 },
      { c: { dtype: 'f16' } },
      { c: { ...f32, ld: 66 } },
      { batch: 2, c: { ...f32, batchStride: 4097 } },
    ] as const)
      assert.equal(direct(other), false, JSON.stringify(other));
    // Partial sums lie packed, in the type of the sum.
    assert.equal(direct({ alpha: 2, c: { dtype: 'f16' } }, { splitK: 3 }), true);
    assert.equal(direct({ m: 65 }, { splitK: 3 }), false);
  });

  it('uses the widest accesses that leading dimensions allow, one type per array', () => {
    const words = (ld: number): readonly (string | undefined)[] => {
      const { source } = kernelOf(specOf({ a: { dtype: 'f16', ld } }));
      return ['A: array<(.*)>;', 'As: array<(.*), .*>;'].map(
        pattern => new RegExp(pattern).exec(source)?.[1],
      );
    };
    assert.deepEqual(words(96), ['vec4<u32>', 'vec4<u32>']);
    assert.deepEqual(words(100), ['vec4<f16>', 'vec4<f16>']);
    assert.deepEqual(words(98), ['vec2<f16>', 'vec2<f16>']);
    assert.deepEqual(words(97), ['f16', 'f16']);
  });

  it('loads each layout without a transpose, and declares its extensions', () => {
    for (const [a, b] of [
      ['row', 'col'],
      ['col', 'row'],
    ] as const) {
      const { source } = kernelOf(specOf({ a: { dtype: 'f16', layout: a }, b: { layout: b } }));
      assert.match(source, new RegExp(`subgroupMatrixLoad<Left, ${a}_major>\\(&As, `));
      assert.match(source, new RegExp(`subgroupMatrixLoad<Right, ${b}_major>\\(&Bs, `));
      assert.match(
        source,
        /^enable f16;\nenable subgroups;\nenable chromium_experimental_subgroup_matrix;$/m,
      );
      assert.doesNotMatch(source, /diagnostic|\blane\b/);
    }
  });

  it('is bounded by tensor cores, or has no bound if their peak is not published', () => {
    const kernel = kernelOf(specOf());
    const computes = (device: 'h200' | 'apple-m4') =>
      analyze(kernel, { device }).roofline.ceilings.filter(({ kind }) => kind === 'compute');
    assert.deepEqual(
      computes('h200').map(({ name }) => name),
      ['f16 tensor-core peak'],
    );
    assert.deepEqual(computes('apple-m4'), []);
    const { notes, prediction, globalMemory } = analyze(kernel, { device: 'h200' });
    assert.equal(prediction, null);
    assert.ok(notes.some(({ text }) => text.includes('The driver chooses how warps load')));
    assert.deepEqual(
      globalMemory.map(({ site }) => site),
      ['A tile load', 'B tile load'],
    );
    // A once per tile column, B once per tile row, C read and written.
    assert.equal(uncachedBytes(kernel.plan), 2 * 64 * 96 * (1 + 2) + 2 * 64 * 64 * 4);
  });
});
