/** The numerics contract, checked bit for bit on the simulator. */
import assert from 'node:assert/strict';
import { resolve } from '../../../src/core/defaults/resolve';
import { emit } from '../../../src/core/kernel/emit';
import type { Kernel } from '../../../src/core/kernel/kernel';
import { numericsOf, numericsText } from '../../../src/core/plan/numerics';
import { plan } from '../../../src/core/plan/planner';
import { execute } from '../../../src/core/simulate/execute';
import type { ResolvedProblem } from '../../../src/core/spec/resolved';
import type { GemmSpec, Schedule } from '../../../src/core/spec/schema';
import { fillMatrix, poisonMatrix, type MatrixData } from '../../../src/core/verify/inputs';

interface Case {
  readonly name: string;
  readonly problem: GemmSpec['problem'];
  readonly schedule: Schedule;
  /** Rows of the larger problem in front, if not `SHIFT.m`. */
  readonly rows?: number;
}

const bf16 = { dtype: 'bf16' as const };
const small = { m: 21, n: 18, k: 43 };
const warp = { block: { m: 32, n: 32, k: 8 }, warp: { m: 32, n: 16 }, thread: { m: 4, n: 4 } };
const CASES: readonly Case[] = [
  { name: 'naive', problem: small, schedule: { algorithm: 'naive' } },
  { name: 'warp-tile', problem: small, schedule: { algorithm: 'warp-tile', ...warp } },
  {
    name: 'pipelined with double-buffered fragments',
    problem: { ...small, b: { layout: 'col' } },
    schedule: { algorithm: 'pipelined', ...warp, stages: 3, fragments: 2 },
  },
  {
    name: 'pipelined with split-K',
    problem: small,
    schedule: { algorithm: 'pipelined', ...warp, stages: 2, splitK: 3 },
  },
  {
    name: 'gemv with shuffles, strides that are no multiples of a vector, and a K remainder',
    problem: {
      m: 2,
      n: 18,
      k: 1000,
      batch: 2,
      a: { ld: 1001 },
      b: { layout: 'col', batchStride: 18_001 },
    },
    schedule: { algorithm: 'gemv', block: { m: 2, n: 8, k: 256 }, thread: { m: 2, n: 2, k: 8 } },
    rows: 2,
  },
  {
    name: 'gemv with partial results in shared memory and split-K',
    problem: { m: 1, n: 18, k: 515 },
    schedule: {
      algorithm: 'gemv',
      block: { m: 1, n: 16, k: 32 },
      thread: { m: 1, n: 4, k: 2 },
      splitK: 3,
    },
    rows: 3,
  },
  {
    name: 'mma',
    problem: { ...small, a: bf16 },
    schedule: { algorithm: 'mma', block: { m: 32, n: 32, k: 32 }, warp: { m: 32, n: 16 } },
  },
  {
    name: 'wgmma with split-K',
    problem: { m: 64, n: 72, k: 384, a: bf16, b: { layout: 'col' } },
    schedule: { algorithm: 'wgmma', block: { m: 64, n: 96, k: 64 }, consumers: 1, splitK: 3 },
  },
  {
    name: 'wgmma with split-K and swap-AB',
    problem: { m: 72, n: 64, k: 384, a: bf16, b: { layout: 'col' } },
    schedule: {
      algorithm: 'wgmma',
      block: { m: 96, n: 64, k: 64 },
      consumers: 1,
      splitK: 3,
      operandOrder: 'ba',
    },
  },
  {
    name: 'wgmma with two-pass split-K and swap-AB',
    problem: { m: 72, n: 64, k: 450, a: bf16, b: { layout: 'col' } },
    schedule: {
      algorithm: 'wgmma',
      block: { m: 96, n: 64, k: 64 },
      consumers: 1,
      splitK: 4,
      splitKReduction: 'two-pass',
      operandOrder: 'ba',
    },
  },
];

function kernelOf(problem: GemmSpec['problem'], schedule: Schedule): Kernel {
  const planned = plan(resolve({ version: 1, problem, schedule, targets: ['cuda'] }), 'cuda');
  assert.ok(planned.ok, JSON.stringify(planned));
  return emit(planned.plan);
}

interface Inputs {
  readonly a: MatrixData;
  readonly b: MatrixData;
}

function resultOf(kernel: Kernel, inputs: Inputs): MatrixData {
  const c = poisonMatrix(kernel.problem);
  for (const { findings } of execute(kernel, { ...inputs, c })) assert.deepEqual(findings, []);
  return c;
}

const placeOf =
  ({ layout, ld }: ResolvedProblem['a']) =>
  (row: number, column: number): number =>
    layout === 'row' ? row * ld + column : column * ld + row;

/** Returns a problem of one batch entry with packed matrices. */
const largerOf = (problem: GemmSpec['problem']): GemmSpec['problem'] => ({
  ...problem,
  a: { ...problem.a, ld: undefined, batchStride: undefined },
  b: { ...problem.b, ld: undefined, batchStride: undefined },
});

const SHIFT = { m: 37, n: 29 } as const;

/** Copies A and B into the last rows of a larger A and the last columns of a larger B. */
function embedded(
  { problem }: Kernel,
  { a, b }: Inputs,
  { larger, rows }: { readonly larger: ResolvedProblem; readonly rows: number },
): Inputs {
  const filled = { a: fillMatrix(larger, 'a', 3), b: fillMatrix(larger, 'b', 4) };
  const from = { a: placeOf(problem.a), b: placeOf(problem.b) };
  const to = { a: placeOf(larger.a), b: placeOf(larger.b) };
  for (let k = 0; k < problem.k; k++) {
    for (let m = 0; m < problem.m; m++)
      filled.a[to.a(m + rows, k)] = a[from.a(m, k)] ?? assert.fail();
    for (let n = 0; n < problem.n; n++)
      filled.b[to.b(k, n + SHIFT.n)] = b[from.b(k, n)] ?? assert.fail();
  }
  return filled;
}

describe('the numerics contract', () => {
  for (const { name, problem, schedule, rows = SHIFT.m } of CASES)
    it(`keeps the bits of C between runs, and among other rows and columns: ${name}`, () => {
      const kernel = kernelOf(problem, schedule);
      const { deterministic, batchInvariant } = numericsOf(kernel.plan);
      assert.ok(deterministic && batchInvariant);
      const inputs = {
        a: fillMatrix(kernel.problem, 'a', 1),
        b: fillMatrix(kernel.problem, 'b', 2),
      };
      const c = resultOf(kernel, inputs);
      assert.deepEqual(resultOf(kernel, inputs), c);
      const { m, n } = problem;
      const wide = kernelOf(
        largerOf({ ...problem, batch: 1, m: m + rows, n: n + SHIFT.n }),
        schedule,
      );
      const among = resultOf(wide, embedded(kernel, inputs, { larger: wide.problem, rows }));
      const [from, to] = [placeOf(kernel.problem.c), placeOf(wide.problem.c)];
      for (let row = 0; row < m; row++)
        for (let column = 0; column < n; column++)
          assert.equal(among[to(row + rows, column + SHIFT.n)], c[from(row, column)]);
    }).timeout(60_000);

  it('states the order of slices and instructions', () => {
    const textOf = (at: number): string => {
      const { problem, schedule } = CASES[at] ?? assert.fail();
      return numericsText(kernelOf(problem, schedule).plan);
    };
    assert.equal(
      textOf(0),
      'Results are bitwise reproducible and batch-invariant. Each element of C adds its products in ascending order of k.',
    );
    assert.match(textOf(3), /its products in ascending order of k within a K slice, then adds the/);
    assert.match(
      textOf(4),
      /Each thread along K adds .* of k\. The partial results of 32 lanes are added in pairs\.$/,
    );
    assert.match(
      textOf(5),
      /of 8 lanes .* in pairs\. Then 2 partial results per .* order\. The slices are added in asc/,
    );
    assert.match(textOf(7), /the results of its K = 16 instructions in .* then adds the slices in/);
    assert.match(textOf(9), /the results of its K = 16 .* then adds the slices in ascending order/);
  });

  it('promises nothing for atomic additions', () => {
    const schedule: Schedule = {
      algorithm: 'pipelined',
      ...warp,
      stages: 2,
      splitK: 3,
      splitKReduction: 'atomic',
    };
    const { plan: atomic } = kernelOf(small, schedule);
    const { order, ...promised } = numericsOf(atomic);
    assert.deepEqual(promised, { deterministic: false, batchInvariant: false });
    assert.match(order, /atomicAdd adds the slices in no fixed order\.$/);
    assert.match(numericsText(atomic), /^Results are not bitwise reproducible/);
  });
});
