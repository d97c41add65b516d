/**
 * `mma` of CUDA: defaults, both sides of its limits, its text, its analysis, and what the simulator
 * finds in wrong fragments.
 */
import assert from 'node:assert/strict';
import { analyze } from '../../../src/core/report/analyze';
import { rooflineOfLevels } from '../../../src/core/roofline/levelRoofline';
import { deviceOf } from '../../../src/core/hardware/devices';
import { emit } from '../../../src/core/kernel/emit';
import type { LoweredKernel } from '../../../src/core/kernel/kernel';
import { add, int } from '../../../src/core/kernel/ir/expr';
import type { RegisterElement, Statement } from '../../../src/core/kernel/ir/ir';
import type { MmaPlan, Violation } from '../../../src/core/plan/plan';
import { plan } from '../../../src/core/plan/planner';
import { simulateBackend } from '../../../src/core/simulate/backend';
import { check } from '../../../src/core/defaults/check';
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { CONTEXT } from '../../helpers/context';
import type { Schedule } from '../../helpers/matrixSpecs';
import { loweredOf } from '../../helpers/kernels';

type Problem = GemmSpec['problem'];
const SMALL = { block: { m: 32, n: 64, k: 32 }, warp: { m: 32, n: 32 } } as const;

const specOf = (
  problem: Partial<Problem> = {},
  schedule: Partial<Schedule> = {},
  device?: string,
): GemmSpec => ({
  problem: { m: 64, n: 64, k: 96, a: { dtype: 'f16' }, ...problem },
  schedule: { algorithm: 'mma', ...SMALL, ...schedule },
  ...(device === undefined ? {} : { device }),
});

function planOf(spec: GemmSpec): MmaPlan {
  const found = plan(resolve(spec), 'cuda');
  assert.ok(found.ok && found.plan.family === 'mma', JSON.stringify(found));
  return found.plan;
}

const kernelOf = (spec: GemmSpec): LoweredKernel => loweredOf(emit(planOf(spec)));

function broken(spec: GemmSpec): readonly unknown[] {
  const found = plan(resolve(spec), 'cuda');
  assert.ok(!found.ok && found.violations.length === 1, JSON.stringify(found));
  const [{ rule, path, nearest }] = found.violations as readonly [Violation];
  return [rule, path, nearest];
}

const run = (runnable: LoweredKernel) =>
  simulateBackend.run({ runnable, mode: 'verify', seed: 5 }, CONTEXT);

/** The kernel with every statement of its body changed or left out. */
function changed(
  kernel: LoweredKernel,
  change: (statement: Statement) => Statement | null,
): LoweredKernel {
  const one = (statement: Statement): readonly Statement[] => {
    const other = change(statement);
    if (other === null) return [];
    return other.op === 'for' || other.op === 'if'
      ? [{ ...other, body: other.body.flatMap(one) }]
      : [other];
  };
  return { ...kernel, ir: { ...kernel.ir, body: kernel.ir.body.flatMap(one) } };
}

describe('mma on tensor cores', () => {
  it('is what a spec gets that names mma alone, with tiles as large as the problem fills a GPU with', () => {
    const of = (size: number, device?: string) =>
      planOf({
        problem: { m: size, n: size, k: size, a: { dtype: 'f16' } },
        schedule: { algorithm: 'mma' },
        ...(device === undefined ? {} : { device }),
      });
    const large = of(4096);
    assert.deepEqual(large.tile, { m: 256, n: 128, k: 64 });
    assert.deepEqual([large.threads, large.dynamicShared], [256, true]);
    const { stages, buffers, copies } = large.fragments;
    assert.deepEqual([stages, buffers, copies], [3, 2, 'asynchronous']);
    // Three stages of (256 + 128) x 64 elements, and 16 rows of 64 + 8 sums a warp.
    assert.equal(large.sharedBytes, 3 * 384 * 64 * 2 + 8 * 16 * 72 * 4);
    assert.deepEqual(of(1024).tile, { m: 128, n: 128, k: 32 });
    assert.deepEqual(of(4096, 'rtx-4090').tile, { m: 128, n: 128, k: 32 });
    const turing = of(4096, 't4');
    assert.deepEqual(turing.matrix.shape, { m: 16, n: 8, k: 8 });
    assert.deepEqual(turing.fragments.copies, 'registers');
    assert.deepEqual(check(specOf()).legal, ['cuda']);
  });

  it('leaves registers for every thread of its default blocks', () => {
    for (const size of [256, 4096])
      for (const device of ['h200', 'a100-sxm-80gb', 'rtx-4090', 't4'])
        assert.equal(
          planOf({
            problem: { m: size, n: size, k: size, a: { dtype: 'f16' } },
            schedule: { algorithm: 'mma' },
            device,
          }).spilledEstimate.inner,
          0,
        );
  });

  it('multiplies types and shapes that a GPU has, and says which', () => {
    assert.deepEqual(
      broken(
        specOf({ a: { dtype: 'f64' } }, { mma: { m: 16, n: 8, k: 16 }, stages: 3, vector: 2 }),
      ),
      ['matrix-type', 'problem.a.dtype', 'f16'],
    );
    assert.deepEqual(broken(specOf({ b: { dtype: 'bf16' } })), [
      'matrix-type',
      'problem.b.dtype',
      'f16',
    ]);
    const turing = {
      ...specOf({ a: { dtype: 'bf16' } }),
      device: 't4',
      targets: ['cuda' as const],
    };
    const of = plan(resolve(turing), 'cuda');
    assert.ok(
      !of.ok &&
        of.violations.some(({ message }) => message.includes('requires compute capability 8.0')),
    );
    const tf32 = plan(
      resolve({ ...turing, ...specOf({ a: { dtype: 'tf32' } }, {}, 't4') }),
      'cuda',
    );
    assert.ok(!tf32.ok && tf32.violations.some(({ rule }) => rule === 'matrix-type'));
    const volta = plan(resolve({ ...specOf(), device: 'v100-sxm2-16gb' }), 'cuda');
    assert.ok(!volta.ok && volta.violations.some(({ path }) => path === 'device'));
    assert.deepEqual(
      broken(specOf({}, { mma: { m: 16, n: 16, k: 16 }, stages: 3, swizzle: 'none' })),
      ['matrix-shape', 'schedule.mma', { m: 16, n: 8, k: 16 }],
    );
    assert.deepEqual(planOf(specOf({}, { mma: { m: 16, n: 8, k: 8 } })).matrix.shape.k, 8);
  });

  it('turns over elements of 16 bits alone', () => {
    const of = (a: 'row' | 'col', b: 'row' | 'col') =>
      specOf(
        { a: { dtype: 's8', layout: a }, b: { layout: b } },
        { block: { m: 32, n: 64, k: 64 } },
      );
    assert.deepEqual(broken(of('col', 'col')), ['matrix-layout', 'problem.a.layout', 'row']);
    assert.deepEqual(broken(of('row', 'row')), ['matrix-layout', 'problem.b.layout', 'col']);
  });

  it('has as many stages and buffers as its copies ask for', () => {
    assert.deepEqual(broken(specOf({}, { stages: 1 })), ['stages', 'schedule.stages', 2]);
    assert.deepEqual(broken(specOf({}, { stages: 6 })), ['stages', 'schedule.stages', 5]);
    assert.deepEqual(broken(specOf({}, { stages: 3 }, 't4')), ['stages', 'schedule.stages', 2]);
    // A depth of 97 leaves single elements to copy.
    assert.deepEqual(broken(specOf({ k: 97 }, { stages: 3 })), ['stages', 'schedule.stages', 2]);
    assert.deepEqual(broken(specOf({}, { block: { m: 32, n: 64, k: 16 }, fragments: 2 })), [
      'fragments',
      'schedule.fragments',
      1,
    ]);
    assert.deepEqual(broken(specOf({}, { fragments: 2 }, 't4')), [
      'fragments',
      'schedule.fragments',
      1,
    ]);
  });

  it('swizzles or pads the rows of its tiles', () => {
    const swizzle = (k: number) => {
      const { a, b } = planOf(specOf({}, { block: { m: 32, n: 64, k } })).fragments;
      return [a.swizzle, b.swizzle];
    };
    assert.deepEqual(swizzle(16), [
      { rows: 4, ways: 2 },
      { rows: 1, ways: 8 },
    ]);
    assert.deepEqual(swizzle(32), [
      { rows: 2, ways: 4 },
      { rows: 1, ways: 8 },
    ]);
    assert.deepEqual(swizzle(64), [
      { rows: 1, ways: 8 },
      { rows: 1, ways: 8 },
    ]);
    assert.deepEqual(broken(specOf({}, { swizzle: 'xor', padding: { a: 8, b: 0 } })), [
      'swizzle',
      'schedule.swizzle',
      'none',
    ]);
    assert.deepEqual(broken(specOf({}, { padding: { a: 4, b: 8 } })), [
      'matrix-row',
      'schedule.padding.a',
      8,
    ]);
  });

  it('takes no more registers than its block leaves a thread', () => {
    const wide = { block: { m: 256, n: 256, k: 32 }, warp: { m: 64, n: 64 } } as const;
    assert.equal(broken(specOf({ m: 256, n: 256 }, wide))[0], 'registers');
  });

  it('has no bank conflict in copies and loads of matrices, whatever the layouts', () => {
    for (const a of ['row', 'col'] as const)
      for (const b of ['row', 'col'] as const)
        for (const k of [16, 32, 64]) {
          const problem = { a: { dtype: 'bf16', layout: a }, b: { layout: b } } as const;
          const kernel = kernelOf(
            specOf({ ...problem, m: 128, n: 128, k: 128 }, { block: { m: 64, n: 64, k } }),
          );
          const { sharedMemory } = analyze(kernel, { device: 'h200' });
          const staged = sharedMemory.filter(({ operand }) => operand !== 'c');
          assert.ok(staged.length >= 4);
          for (const site of staged)
            assert.equal(site.conflictsPerRequest, 0, `${a} ${b} ${k} ${site.site}`);
        }
  });

  it('loads rows as they lie, and turns those that lie across the depth', () => {
    const loads = (a: 'row' | 'col', b: 'row' | 'col') =>
      ['a', 'b'].map(name => {
        const { source } = kernelOf(specOf({ a: { dtype: 'f16', layout: a }, b: { layout: b } }));
        return new RegExp(`(ldmatrix4\\w*)\\(${name}\\[`).exec(source)?.[1];
      });
    assert.deepEqual(loads('row', 'col'), ['ldmatrix4', 'ldmatrix4']);
    assert.deepEqual(loads('col', 'row'), ['ldmatrix4Trans', 'ldmatrix4Trans']);
  });

  it('prints the instruction of its types', () => {
    const instruction = (problem: Partial<Problem>, device?: string): string | undefined =>
      /mma\.sync\.aligned\.(\S+)/.exec(kernelOf(specOf(problem, {}, device)).source)?.[1];
    assert.equal(instruction({}), 'm16n8k16.row.col.f32.f16.f16.f32');
    assert.equal(instruction({ a: { dtype: 'bf16' } }), 'm16n8k16.row.col.f32.bf16.bf16.f32');
    assert.equal(instruction({ accumulator: 'f16' }), 'm16n8k16.row.col.f16.f16.f16.f16');
    assert.equal(instruction({}, 't4'), 'm16n8k8.row.col.f32.f16.f16.f32');
    assert.equal(instruction({ a: { dtype: 'tf32' } }), 'm16n8k8.row.col.f32.tf32.tf32.f32');
    const bytes = { a: { dtype: 's8' }, b: { layout: 'col' } } as const;
    const deep = specOf(bytes, { block: { m: 32, n: 64, k: 64 } });
    assert.match(kernelOf(deep).source, /m16n8k32\.row\.col\.s32\.s8\.s8\.s32/);
  });

  it('is bounded by tensor cores', () => {
    const kernel = kernelOf(specOf());
    const analysis = analyze(kernel, { device: 'h200' });
    const { roofline, prediction, notes } = analysis;
    assert.deepEqual(
      roofline.ceilings.filter(({ kind }) => kind === 'compute').map(({ name }) => name),
      ['f16 tensor-core peak'],
    );
    assert.ok(prediction?.fitted === false && prediction.tflops.value < roofline.attainable.value);
    assert.ok(!notes.some(({ text }) => text.includes('The driver chooses')));
    const levels = rooflineOfLevels(kernel, deviceOf('h200'), analysis);
    assert.deepEqual(
      levels?.units.map(({ unit, used }) => [unit, used]),
      [
        ['fma', false],
        ['tensor', true],
      ],
    );
  });
});

describe('simulated fragments', () => {
  const kernel = kernelOf(specOf());

  it('are right, and find each barrier and wait that is missing', async () => {
    assert.equal((await run(kernel)).outcome, 'correct');
    const needed: Statement[] = [];
    changed(kernel, statement => {
      const isWait = statement.op === 'wait' && statement.pending > 0;
      if (statement.op === 'barrier' || isWait) needed.push(statement);
      return statement;
    });
    assert.equal(needed.length, 6);
    for (const missing of needed) {
      const { outcome, findings } = await run(
        changed(kernel, statement => (statement === missing ? null : statement)),
      );
      assert.equal(outcome, 'incorrect', JSON.stringify(missing));
      assert.ok(findings?.[0]?.id === 'race' || findings?.[0]?.id === 'uninitialized');
    }
  });

  it('find rows that begin between two chunks, fragments of another matrix, and rows that are not turned', async () => {
    const misaligned = await run(
      changed(kernel, statement =>
        statement.op === 'loadRows'
          ? { ...statement, from: { ...statement.from, inner: add(statement.from.inner, int(4)) } }
          : statement,
      ),
    );
    assert.equal(misaligned.findings?.[0]?.id, 'misaligned');
    const last = ({ index }: RegisterElement) => index.at(-1) ?? int(0);
    const shifted = (of: RegisterElement): RegisterElement => ({
      ...of,
      index: [...of.index.slice(0, -1), add(last(of), int(2))],
    });
    for (const wrong of [
      (statement: Statement): Statement =>
        statement.op === 'multiplyFragments'
          ? { ...statement, left: shifted(statement.left) }
          : statement,
      (statement: Statement): Statement =>
        statement.op === 'loadRows'
          ? { ...statement, transposed: !statement.transposed }
          : statement,
    ]) {
      const { outcome } = await run(changed(kernel, wrong));
      assert.equal(outcome, 'incorrect');
    }
  });
});
