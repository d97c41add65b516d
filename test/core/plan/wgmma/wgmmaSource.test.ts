/** Sources of `wgmma` epilogues: matrices that TMA loads into the store boxes. */
import assert from 'node:assert/strict';
import type { Schedule } from '../../../../src/core/spec/schema';
import { planOf, specOf, type Problem } from '../../../helpers/warpGroupPlans';

describe('the source of a wgmma epilogue', () => {
  const outputOf = (problem: Problem, schedule: Schedule = {}) =>
    planOf(specOf(schedule, problem)).wgmma.output;
  const sourceOf = (problem: Problem, schedule: Schedule = {}) => {
    const output = outputOf(problem, schedule);
    return output.by === 'tma' ? output.source : output.by;
  };
  const residual = { op: 'residual' } as const;

  it('is C if beta is not 0, otherwise the residual', () => {
    assert.equal(sourceOf({}), undefined);
    assert.equal(sourceOf({ beta: 1 }), 'c');
    assert.equal(sourceOf({ epilogue: [residual] }), 'epilogue0');
    assert.equal(sourceOf({ epilogue: [{ op: 'scale' }, residual] }), 'epilogue1');
  });

  it('has the type, the order and the alignment of C', () => {
    assert.equal(sourceOf({ epilogue: [{ ...residual, dtype: 'f32' }] }), undefined);
    assert.equal(sourceOf({ epilogue: [{ ...residual, layout: 'col' }] }), undefined);
    assert.equal(sourceOf({ epilogue: [{ ...residual, ld: 1032 }] }), 'epilogue0');
    assert.equal(sourceOf({ epilogue: [{ ...residual, ld: 1028 }] }), undefined);
  });

  it('precedes only operations without operands', () => {
    assert.equal(sourceOf({ epilogue: [residual, { op: 'silu' }] }), 'epilogue0');
    assert.equal(sourceOf({ epilogue: [residual, { op: 'scale' }] }), undefined);
    assert.equal(sourceOf({ epilogue: [residual, residual] }), 'epilogue1');
    assert.equal(sourceOf({ beta: 1, epilogue: [{ op: 'relu' }] }), 'c');
    // Without a source, threads load C and store from registers.
    assert.equal(sourceOf({ beta: 1, epilogue: [residual] }), 'registers');
  });

  it('requires two buffers, a producer and one product', () => {
    const block = { m: 128, n: 256 };
    assert.equal(sourceOf({ beta: 1 }, { block, stages: 4 }), 'c');
    const wide = {
      block: { m: 256, n: 160 },
      consumers: 2,
      kernelSchedule: 'cooperative',
    } as const;
    assert.equal(sourceOf({ beta: 1 }, { ...wide, stages: 4 }), 'registers');
    assert.equal(sourceOf({ beta: 1 }, { ...wide, stages: 3 }), 'c');
    assert.equal(planOf(specOf(wide, { beta: 1 })).wgmma.stages, 3);
    assert.equal(planOf(specOf(wide)).wgmma.stages, 4);
    assert.equal(sourceOf({ beta: 1 }, { kernelSchedule: 'tma' }), 'registers');
  });

  it('has an mbarrier per buffer and warp', () => {
    const [without, output] = [outputOf({}), outputOf({ beta: 1 })];
    assert.ok(without.by === 'tma' && output.by === 'tma');
    assert.equal(output.bytes / output.buffers - without.bytes / without.buffers, 2 * 4 * 8);
  });
});

describe('the boxes of C in shared memory', () => {
  it('start at a multiple of 1,024 bytes, from which TMA derives the 128-byte swizzle', () => {
    // Stages of 64-byte rows: 64 rows of A and 72 rows of B.
    const schedule = { block: { m: 64, n: 72, k: 64 }, consumers: 1 } as const;
    const problem: Problem = { m: 64, n: 256, a: { dtype: 'e4m3' }, c: { dtype: 'bf16' } };
    for (const beta of [0, 1]) {
      for (const stages of [2, 3]) {
        const { a, b, output } = planOf(
          specOf({ ...schedule, stages }, { ...problem, beta }),
        ).wgmma;
        assert.ok(output.by === 'tma');
        const start = stages * (a.bytes + b.bytes) + (output.paddingBytes ?? 0);
        assert.equal(start % 1024, 0);
        assert.equal(output.paddingBytes, stages === 2 ? undefined : 512);
      }
    }
  });
});
