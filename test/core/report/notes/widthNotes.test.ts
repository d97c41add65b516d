/** Notes about accesses that the problem keeps narrow: which, why, and what would widen them. */
import assert from 'node:assert/strict';
import { analyze } from '../../../../src/core/report/analyze';
import { emit } from '../../../../src/core/kernel/emit';
import { plan } from '../../../../src/core/plan/planner';
import { resolve } from '../../../../src/core/defaults/resolve';
import type { GemmSpec, Target } from '../../../../src/core/spec/schema';

const SCHEDULE = {
  algorithm: 'vectorized',
  vector: 4,
  block: { m: 64, n: 64, k: 16 },
  thread: { m: 8, n: 8 },
} as const;

function notes(
  problem: Partial<GemmSpec['problem']>,
  schedule: GemmSpec['schedule'] = SCHEDULE,
  target: Target = 'cuda',
) {
  const spec = { problem: { m: 1000, n: 1000, k: 1000, ...problem }, schedule };
  const planned = plan(resolve(spec), target);
  assert.ok(planned.ok, JSON.stringify(planned));
  return analyze(emit(planned.plan), { device: 'h200' })
    .notes.filter(({ text }) => text.startsWith('Narrow '))
    .map(({ level, text }) => `${level}: ${text}`);
}

describe('notes about narrow accesses', () => {
  for (const target of ['cuda', 'wgsl'] as const) {
    it(`${target}: reports width and required multiple for ld 1023, and nothing for 1024`, () => {
      for (const operand of ['a', 'b', 'c'] as const) {
        const label = operand.toUpperCase();
        const op = operand === 'c' ? 'stores' : 'loads';
        assert.deepEqual(notes({ [operand]: { ld: 1024 } }, SCHEDULE, target), []);
        assert.deepEqual(notes({ [operand]: { ld: 1023 } }, SCHEDULE, target), [
          `advice: Narrow ${op} of ${label}: 1 instead of 4 elements per access. Use multiples of 4: ld${operand} 1023 → 1024.`,
        ]);
      }
    });
  }

  it('reports a batch stride that is not a multiple of the vector, only with a batch', () => {
    const strided = { a: { batchStride: 1_000_002 } };
    assert.deepEqual(notes({ ...strided, batch: 1 }), []);
    assert.deepEqual(notes({ a: { batchStride: 1_000_004 }, batch: 2 }), []);
    assert.deepEqual(notes({ ...strided, batch: 2 }), [
      'advice: Narrow loads of A: 2 instead of 4 elements per access. Use multiples of 4: strideA 1000002 → 1000004.',
    ]);
  });

  it('reports an odd size together with the packed leading dimension', () => {
    assert.match(notes({ k: 1023 }).join(), /: lda 1023 → 1024, K 1023 → 1024\.$/);
  });

  it('reports nothing for accesses that the schedule limits', () => {
    assert.deepEqual(notes({ a: { ld: 1023 } }, { ...SCHEDULE, vector: 1 }), []);
    const narrow = { ...SCHEDULE, vector: 2 } as const;
    assert.match(
      notes({ a: { ld: 1023 } }, narrow).join(),
      /1 instead of 2 elements.*lda 1023 → 1024/,
    );
    assert.deepEqual(notes({ a: { ld: 1022 } }, narrow), []);
    const atomic = { ...SCHEDULE, splitK: 2, splitKReduction: 'atomic' } as const;
    assert.deepEqual(notes({ c: { ld: 1023 } }, atomic), []);
    assert.equal(notes({ n: 1023 }, { ...atomic, splitKReduction: 'two-pass' }).length, 2);
  });
});
