/**
 * Tiles that wait in registers, depths that are written out, and vectors there and back: right, and
 * what the text promises.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { emit } from '../../../src/core/kernel/emit';
import type { Kernel } from '../../../src/core/kernel/kernel';
import { inVectors } from '../../../src/core/kernel/print/vectorIndex';
import { add, constant, int, mul, variable } from '../../../src/core/kernel/ir/expr';
import { OPERATIONS } from '../../../src/core/kernel/ir/affine';
import type { Expr } from '../../../src/core/kernel/ir/ir';
import { plan } from '../../../src/core/plan/planner';
import { simulateBackend } from '../../../src/core/simulate/backend';
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec, Target } from '../../../src/core/spec/schema';
import { CONTEXT } from '../../helpers/context';
import { runs } from '../../helpers/depth';

const planned = (spec: GemmSpec, target: Target) => plan(resolve(spec), target);

function kernelOf(spec: GemmSpec, target: Target): Kernel {
  const found = planned(spec, target);
  assert.ok(found.ok, JSON.stringify(found));
  return emit(found.plan);
}

const TILES = {
  algorithm: 'warp-tile',
  block: { m: 32, n: 64, k: 8 },
  warp: { m: 32, n: 64 },
  thread: { m: 8, n: 8 },
  vector: 4,
} as const;

describe('a tile that waits in registers', () => {
  const layout = fc.constantFrom('row' as const, 'col' as const);
  const cases = fc.record({
    target: fc.constantFrom('wgsl' as const, 'cuda' as const),
    m: fc.integer({ min: 1, max: 70 }),
    n: fc.integer({ min: 1, max: 70 }),
    k: fc.integer({ min: 1, max: 40 }),
    splitK: fc.constantFrom(1, 1, 2),
    a: layout,
    b: layout,
    c: layout,
    unroll: fc.constantFrom('none', 'full'),
    algorithm: fc.constantFrom('warp-tile', 'vectorized', 'pipelined'),
    traversal: fc.constantFrom('row', 'col'),
  });

  it('is multiplied once, whatever the sizes, layouts and parts of K', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ target, m, n, k, a, b, c, algorithm, ...rest }) => {
        const { splitK, ...fields } = rest;
        const { warp, ...tiles } = TILES;
        const spec = {
          problem: { m, n, k, a: { layout: a }, b: { layout: b }, c: { layout: c } },
          schedule: {
            ...tiles,
            ...fields,
            algorithm,
            ...(algorithm === 'vectorized' ? {} : { warp }),
            ...(algorithm === 'pipelined' ? { stages: 2 } : { prefetch: 'registers' }),
            ...(splitK > 1 && k > 8 ? { splitK } : {}),
          },
        } as GemmSpec;
        const found = planned(spec, target);
        fc.pre(found.ok);
        const runnable = emit(found.plan);
        const request = { runnable, mode: 'verify', seed: 3 } as const;
        const { outcome, message } = await simulateBackend.run(request, CONTEXT);
        assert.equal(outcome, 'correct', `${runnable.specKey}: ${message ?? ''}`);
      }),
      { ...runs(60) },
    );
  });

  it('needs one stage, and two barriers a tile', () => {
    const problem = { m: 64, n: 64, k: 64 };
    const waits = kernelOf({ problem, schedule: { ...TILES, prefetch: 'registers' } }, 'wgsl');
    const direct = kernelOf({ problem, schedule: TILES }, 'wgsl');
    assert.equal(waits.sharedBytes, direct.sharedBytes);
    assert.equal(waits.source.match(/workgroupBarrier/g)?.length, 3);
    assert.match(waits.source, /nextA0_3 = A\[fromA3\];/);
    assert.match(waits.source, /\n    fromA3 \+= BK;\n/);
    const cuda = kernelOf({ problem, schedule: { ...TILES, prefetch: 'registers' } }, 'cuda');
    assert.equal(cuda.source.match(/__syncthreads/g)?.length, 3);
  });
});

describe('depths that are written out', () => {
  const problem = { m: 64, n: 64, k: 64 };
  const vectors = (TILES.thread.m * TILES.thread.n) / 4;

  it('each have their multiply-adds, in WGSL; the text of CUDA stays as it is', () => {
    const count = (unroll: 'none' | 'full', more: object = {}) =>
      kernelOf({ problem, schedule: { ...TILES, unroll, ...more } }, 'wgsl').source.match(
        /= fma\(/g,
      )?.length;
    assert.equal(count('none'), vectors);
    assert.equal(count('full'), 8 * vectors);
    // The last tile stands after the loop.
    assert.equal(count('full', { prefetch: 'registers' }), 2 * 8 * vectors);
    const body = (unroll: 'none' | 'full') =>
      kernelOf({ problem, schedule: { ...TILES, unroll } }, 'cuda').source.replace(
        /^\/\/.*$/gm,
        '',
      );
    assert.equal(body('full'), body('none'));
  });

  it('are limited: 2,048 multiply-adds of vectors, not one more', () => {
    const of = (k: number) => {
      const schedule = { ...TILES, unroll: 'full', block: { ...TILES.block, k } } as const;
      const webgpuLimits = { invocations: 256, workgroupStorageBytes: 2 ** 20 };
      const found = planned({ problem: { ...problem, k: 512 }, schedule, webgpuLimits }, 'wgsl');
      return found.ok ? [] : found.violations;
    };
    assert.deepEqual(of(128), []);
    assert.deepEqual(
      of(129).map(({ rule, path, nearest }) => [rule, path, nearest]),
      [['unroll', 'schedule.unroll', 'none']],
    );
  });

  it('go there and back over the vectors of a row: each shares a factor with the one before', () => {
    const { source } = kernelOf({ problem, schedule: { ...TILES, traversal: 'row' } }, 'wgsl');
    const order = [...source.matchAll(/acc(\d+)_(\d) = fma/g)].map(([, row, at]) => `${row} ${at}`);
    assert.deepEqual(order.slice(0, 6), ['0 0', '0 1', '1 1', '1 0', '2 0', '2 1']);
    assert.equal(new Set(order).size, vectors);
  });
});

describe('an index in vectors', () => {
  const constants = new Map([
    ['VEC', 4],
    ['LANES', 8],
    ['ROW', 36],
  ]);
  const known = (expr: Expr): number => valueOf(expr, new Map(constants));
  function valueOf(expr: Expr, values: ReadonlyMap<string, number>): number {
    if (expr.op === 'int') return expr.value;
    if (expr.op === 'constant' || expr.op === 'variable') return values.get(expr.name) ?? NaN;
    if (!('left' in expr)) return NaN;
    return OPERATIONS[expr.op](valueOf(expr.left, values), valueOf(expr.right, values));
  }

  it('is the quotient, whatever the sum is of', () => {
    const addend = fc.oneof(
      fc.constantFrom<Expr>(variable('four'), mul(variable('four'), int(3)), constant('ROW')),
      fc.nat(9).map(i => mul(int(4 * i), constant('LANES'))),
      fc.nat(9).map(i => mul(constant('LANES'), mul(int(i), constant('VEC')))),
      fc.constantFrom<Expr>(add(variable('one'), variable('three'))),
    );
    fc.assert(
      fc.property(fc.array(addend, { minLength: 1, maxLength: 5 }), fc.nat(100), (addends, x) => {
        const sum = addends.reduce(add);
        const values = new Map([
          ...constants,
          ['four', 4 * x],
          ['one', x + 1],
          ['three', 3 * x + 3],
        ]);
        assert.equal(valueOf(inVectors(sum, 4, known), values), valueOf(sum, values) / 4);
      }),
    );
  });

  it('leaves what is not known in one quotient', () => {
    const sum = add(add(variable('a'), mul(int(8), constant('LANES'))), variable('b'));
    assert.deepEqual(
      inVectors(sum, 4, known),
      add(
        { op: '/', left: add(variable('a'), variable('b')), right: int(4) },
        mul(int(2), constant('LANES')),
      ),
    );
    assert.deepEqual(inVectors(sum, 1, known), sum);
  });
});
