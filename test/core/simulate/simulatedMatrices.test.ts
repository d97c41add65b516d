/** What the simulator finds in matrices that are moved wrongly. */
import assert from 'node:assert/strict';
import type { LoweredKernel } from '../../../src/core/kernel/kernel';
import { add, int, LANE } from '../../../src/core/kernel/ir/expr';
import type { Statement } from '../../../src/core/kernel/ir/ir';
import { simulateBackend } from '../../../src/core/simulate/backend';
import { CONTEXT } from '../../helpers/context';
import { kernelOf, specOf } from '../../helpers/matrixSpecs';

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

describe('simulated matrices', () => {
  const kernel = kernelOf(specOf());

  it('find each barrier that is missing', async () => {
    assert.equal((await run(kernel)).outcome, 'correct');
    const barriers: Statement[] = [];
    changed(kernel, statement => {
      if (statement.op === 'barrier') barriers.push(statement);
      return statement;
    });
    assert.equal(barriers.length, 3);
    for (const missing of barriers) {
      const { outcome, findings } = await run(
        changed(kernel, statement => (statement === missing ? null : statement)),
      );
      assert.deepEqual([outcome, findings?.[0]?.id], ['incorrect', 'race']);
    }
  });

  it('find lanes that do not agree, rows that matrices may not begin at, and the end of C', async () => {
    const moved = async (by: ReturnType<typeof int>, op: 'loadMatrix' | 'storeMatrix') => {
      const { findings = [] } = await run(
        changed(kernel, statement => {
          if (statement.op !== op) return statement;
          if (statement.op === 'loadMatrix') {
            const { from } = statement;
            return { ...statement, from: { ...from, inner: add(from.inner, by) } };
          }
          const { place } = statement;
          return { ...statement, place: { ...place, inner: add(place.inner, by) } };
        }),
      );
      return findings[0];
    };
    assert.equal((await moved(LANE, 'loadMatrix'))?.id, 'deadlock');
    const misaligned = await moved(int(4), 'loadMatrix');
    assert.equal(misaligned?.id, 'misaligned');
    assert.match(misaligned.message, /8 elements at element 4/);
    assert.equal((await moved(int(8), 'storeMatrix'))?.id, 'out-of-bounds');
  });

  it('sum in the type of the sum', async () => {
    const deep = { m: 32, n: 64, k: 96, a: { dtype: 'f16' } } as const;
    for (const accumulator of ['f16', 'f32'] as const) {
      const { outcome, verification } = await run(
        kernelOf(specOf({ ...deep, c: { dtype: accumulator }, accumulator })),
      );
      assert.equal(outcome, 'correct');
      const { maxError } = verification;
      assert.ok(maxError !== null);
      assert.equal(maxError > 1e-4, accumulator === 'f16', `${maxError}`);
    }
  });
});
