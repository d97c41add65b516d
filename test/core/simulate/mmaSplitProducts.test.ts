/**
 * Products of pieces in `mma`: right for drawn specs, as exact as the split says, and wrong without
 * any of them.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { emit } from '../../../src/core/kernel/emit';
import type { LoweredKernel } from '../../../src/core/kernel/kernel';
import type { Statement } from '../../../src/core/kernel/ir/ir';
import { SPLITS } from '../../../src/core/plan/fp32Emulation';
import { plan } from '../../../src/core/plan/planner';
import { simulateBackend } from '../../../src/core/simulate/backend';
import { execute } from '../../../src/core/simulate/execute';
import { resolve } from '../../../src/core/defaults/resolve';
import { checkedOf } from '../../../src/core/verify/bound';
import { fillMatrix, poisonMatrix } from '../../../src/core/verify/inputs';
import { verifyResult } from '../../../src/core/verify/verify';
import { CONTEXT } from '../../helpers/context';
import { loweredOf } from '../../helpers/kernels';
import { kernelOf, SPLIT_NAMES, splitSpec, splitSpecs, type Split } from '../../helpers/splitSpecs';
import { isEnough, runs } from '../../helpers/depth';

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

describe('products of pieces', () => {
  const outcomeOf = async (runnable: LoweredKernel) =>
    (await simulateBackend.run({ runnable, mode: 'verify', seed: 5 }, CONTEXT)).outcome;

  it('are right for drawn specs of every split, layout, edge and pipeline', async function () {
    this.timeout(240_000);
    const legal = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(splitSpecs, async spec => {
        const planned = plan(resolve(spec), 'cuda');
        if (!planned.ok) return;
        const runnable = loweredOf(emit(planned.plan));
        const result = await simulateBackend.run({ runnable, mode: 'verify', seed: 3 }, CONTEXT);
        assert.equal(result.outcome, 'correct', `${runnable.specKey}: ${result.message ?? ''}`);
        const split = spec.schedule?.split ?? '';
        legal.set(split, 1 + (legal.get(split) ?? 0));
      }),
      { ...runs(240, 24), seed: 20261123 },
    );
    for (const split of SPLIT_NAMES)
      assert.ok(isEnough(legal.get(split) ?? 0, 15), JSON.stringify([...legal]));
  });

  /** The largest error of C, and what it may be. */
  function errorOf(split: Split, change: (statement: Statement) => Statement | null) {
    const kernel = changed(kernelOf(splitSpec(split, { m: 32, n: 64, k: 2 })), change);
    const { problem } = kernel;
    const c = poisonMatrix(problem);
    const matrices = { a: fillMatrix(problem, 'a', 5), b: fillMatrix(problem, 'b', 5), c };
    for (const { findings } of execute(kernel, matrices)) assert.deepEqual(findings, []);
    const { maxError, mismatches } = verifyResult(checkedOf(kernel), 5, c);
    return { error: maxError ?? Infinity, mismatches };
  }
  const asIs = (statement: Statement): Statement => statement;

  it('are the more exact the more pieces there are', () => {
    const {
      bf16x3: few,
      bf16x6: six,
      bf16x9: nine,
      tf32x3: tf32,
    } = Object.fromEntries(SPLIT_NAMES.map(split => [split, errorOf(split, asIs)])) as Record<
      Split,
      ReturnType<typeof errorOf>
    >;
    for (const { mismatches } of [few, six, nine, tf32]) assert.equal(mismatches, 0);
    assert.ok(few.error > 2 ** -17 && few.error < 2 ** -12, String(few.error));
    assert.ok(Math.max(six.error, nine.error, tf32.error) < 2 ** -19);
  });

  it('are wrong without any of them, and with pieces that are taken of the wrong rest', async () => {
    for (const split of ['tf32x3', 'bf16x6'] as const) {
      const { products } = SPLITS[split];
      const isOf = (statement: Statement, [a, b]: readonly [number, number]): boolean => {
        if (statement.op !== 'multiplyFragments') return false;
        const [left, right] = [statement.left.index[0], statement.right.index[1]];
        return left?.op === 'int' && right?.op === 'int' && left.value === a && right.value === b;
      };
      for (const pair of products) {
        const { mismatches } = errorOf(split, one => (isOf(one, pair) ? null : one));
        assert.ok(mismatches > 0, `${split} without ${pair.join(' x ')}`);
      }
    }
    const kernel = kernelOf(splitSpec('bf16x3'));
    assert.equal(await outcomeOf(kernel), 'correct');
    const beside = changed(kernel, statement =>
      statement.op === 'takePiece' && statement.rest.name === 'a'
        ? {
            ...statement,
            rest: {
              ...statement.rest,
              index: [...statement.rest.index.slice(0, -1), { op: 'int', value: 0 }],
            },
          }
        : statement,
    );
    assert.equal(await outcomeOf(beside), 'incorrect');
  });
});
