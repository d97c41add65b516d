/** simulate finds what a pipeline can do wrong: each mutation of the loop IR is caught. */
import assert from 'node:assert/strict';
import { emit } from '../../../src/core/kernel/emit';
import type { LoweredKernel } from '../../../src/core/kernel/kernel';
import type { Statement } from '../../../src/core/kernel/ir/ir';
import { plan } from '../../../src/core/plan/planner';
import { execute } from '../../../src/core/simulate/execute';
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { fillMatrix, poisonMatrix } from '../../../src/core/verify/inputs';
import { verifyResult } from '../../../src/core/verify/verify';
import { loweredOf } from '../../helpers/kernels';

type Rewrite = (statement: Statement) => readonly Statement[];

const rewritten = (body: readonly Statement[], rewrite: Rewrite): readonly Statement[] =>
  body.flatMap(statement => {
    const inner =
      statement.op === 'for'
        ? { ...statement, body: rewritten(statement.body, rewrite) }
        : statement.op === 'if'
          ? {
              ...statement,
              body: rewritten(statement.body, rewrite),
              ...(statement.otherwise === undefined
                ? {}
                : { otherwise: rewritten(statement.otherwise, rewrite) }),
            }
          : statement;
    return rewrite(inner);
  });

/** The n-th statement that matches is left out or replaced. */
function nth(matches: (statement: Statement) => boolean, n: number, by: Rewrite): Rewrite {
  let seen = 0;
  return statement => (matches(statement) && seen++ === n ? by(statement) : [statement]);
}
const nothing: Rewrite = () => [];

function kernelOf(spec: GemmSpec): LoweredKernel {
  const planned = plan(resolve(spec), 'cuda');
  assert.ok(planned.ok, JSON.stringify(planned));
  return loweredOf(emit(planned.plan));
}

/** What running it finds: kinds of findings, or a wrong result. */
function outcome(kernel: LoweredKernel, rewrite: Rewrite): string {
  const { problem } = kernel;
  const ir = { ...kernel.ir, body: rewritten(kernel.ir.body, rewrite) };
  const c = poisonMatrix(problem);
  const matrices = { a: fillMatrix(problem, 'a', 5), b: fillMatrix(problem, 'b', 5), c };
  for (const { findings } of execute({ ...kernel, ir }, matrices)) {
    const [first] = findings;
    if (first !== undefined) return first.kind;
  }
  return verifyResult(problem, 5, c).mismatches === 0 ? 'correct' : 'wrong';
}

const problem = { m: 40, n: 36, k: 44 };
const tiles = {
  block: { m: 32, n: 32, k: 8 },
  warp: { m: 16, n: 32 },
  thread: { m: 4, n: 4 },
} as const;
const asynchronous: GemmSpec = {
  problem,
  schedule: { algorithm: 'pipelined', ...tiles, stages: 3, swizzle: 'xor' },
};
const prefetched: GemmSpec = {
  problem,
  device: 't4',
  schedule: { algorithm: 'pipelined', ...tiles, stages: 2 },
};
const warpTile: GemmSpec = { problem, schedule: { algorithm: 'warp-tile', ...tiles } };

describe('simulate finds what a kernel with lanes and stages may do wrong', () => {
  const cases: readonly (readonly [string, GemmSpec, Rewrite, RegExp])[] = [
    ['nothing, asynchronous', asynchronous, s => [s], /^correct$/],
    ['nothing, prefetched', prefetched, s => [s], /^correct$/],
    ['nothing, warp tile', warpTile, s => [s], /^correct$/],
    ['no wait', asynchronous, nth(s => s.op === 'wait', 0, nothing), /^race$/],
    [
      'a wait for one group too few',
      asynchronous,
      nth(
        s => s.op === 'wait',
        0,
        () => [{ op: 'wait', pending: 2 }],
      ),
      /^race$/,
    ],
    ['no barrier after the wait', asynchronous, nth(s => s.op === 'barrier', 0, nothing), /^race$/],
    ['a group that is not closed', asynchronous, nth(s => s.op === 'commit', 1, nothing), /^race$/],
    ['no barrier before the loop', prefetched, nth(s => s.op === 'barrier', 0, nothing), /^race$/],
    [
      'no barrier at its end',
      prefetched,
      nth(s => s.op === 'barrier', 1, nothing),
      /^(race|uninitialized)$/,
    ],
    ...[0, 1, 2].map(
      i =>
        [
          `barrier ${i} of a warp tile left out`,
          warpTile,
          nth(s => s.op === 'barrier', i, nothing),
          /^race$/,
        ] as const,
    ),
    [
      'a column past the edge read',
      warpTile,
      s =>
        s.op === 'assign' && s.value.op === 'global' && s.value.inner.op === 'min'
          ? [{ ...s, value: { ...s.value, inner: s.value.inner.left } }]
          : [s],
      /^out-of-bounds$/,
    ],
    [
      'a row past the edge read',
      warpTile,
      s =>
        s.op === 'assign' && s.value.op === 'global' && s.value.outer.op === 'min'
          ? [{ ...s, value: { ...s.value, outer: s.value.outer.left } }]
          : [s],
      /^out-of-bounds$/,
    ],
    [
      'a store past the edge',
      warpTile,
      s => (s.op === 'if' && s.body.some(({ op }) => op === 'for') ? s.body : [s]),
      /^(out-of-bounds|uninitialized|race|wrong)$/,
    ],
    [
      'a swizzle of the fragments only',
      asynchronous,
      s =>
        s.op === 'assign' && s.asynchronous && s.place.op === 'shared' && s.place.inner.op === '^'
          ? [{ ...s, place: { ...s.place, inner: s.place.inner.left } }]
          : [s],
      /^(wrong|race|uninitialized)$/,
    ],
    [
      'a misaligned vector',
      warpTile,
      s =>
        s.op === 'assign' && s.width === 4 && s.value.op === 'shared'
          ? [
              {
                ...s,
                value: {
                  ...s.value,
                  inner: { op: '+', left: s.value.inner, right: { op: 'int', value: 1 } },
                },
              },
            ]
          : [s],
      /^(misaligned|out-of-bounds)$/,
    ],
  ];
  for (const [name, spec, rewrite, expected] of cases) {
    it(`${name}: ${String(expected)}`, () => {
      assert.match(outcome(kernelOf(spec), rewrite), expected);
    });
  }
});
