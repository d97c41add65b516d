/**
 * `mma` of CUDA on tf32: elements of 32 bits, which no load turns over, rounded where they are
 * loaded.
 */
import assert from 'node:assert/strict';
import { analyze } from '../../../src/core/report/analyze';
import { emit } from '../../../src/core/kernel/emit';
import { plan } from '../../../src/core/plan/planner';
import { simulateBackend } from '../../../src/core/simulate/backend';
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { CONTEXT } from '../../helpers/context';
import type { Schedule } from '../../helpers/matrixSpecs';

function kernelOf(problem: Partial<GemmSpec['problem']>, schedule: Partial<Schedule>) {
  const found = plan(
    resolve({
      problem: { m: 64, n: 64, k: 96, ...problem },
      schedule: {
        algorithm: 'mma',
        block: { m: 32, n: 64, k: 32 },
        warp: { m: 32, n: 32 },
        ...schedule,
      },
    }),
    'cuda',
  );
  assert.ok(found.ok, JSON.stringify(found));
  return emit(found.plan);
}

describe('mma of tf32', () => {
  it('loads what lies across the depth one by one, rounded, and meets in no bank either', () => {
    for (const a of ['row', 'col'] as const)
      for (const b of ['row', 'col'] as const)
        for (const k of [16, 32]) {
          const problem = { a: { dtype: 'tf32', layout: a }, b: { layout: b } } as const;
          const kernel = kernelOf(
            { ...problem, m: 128, n: 128, k: 128 },
            { block: { m: 64, n: 64, k } },
          );
          const single = (name: string): boolean =>
            new RegExp(`\\b${name}\\[.*= toTf32\\(`).test(kernel.source);
          assert.deepEqual([single('a'), single('b')], [a === 'col', b === 'row']);
          const { sharedMemory } = analyze(kernel, { device: 'h200' });
          for (const { operand, site, conflictsPerRequest } of sharedMemory)
            if (operand !== 'c') assert.equal(conflictsPerRequest, 0, `${a} ${b} ${k} ${site}`);
        }
  });

  it('deals fragments as the PTX ISA does, by rows and one by one, 8 and 4 deep', async () => {
    for (const a of ['row', 'col'] as const)
      for (const b of ['row', 'col'] as const)
        for (const k of [4, 8]) {
          const problem = { a: { dtype: 'tf32', layout: a }, b: { layout: b } } as const;
          const runnable = kernelOf({ ...problem, m: 33, k: 40 }, { mma: { m: 16, n: 8, k } });
          const { outcome } = await simulateBackend.run(
            { runnable, mode: 'verify', seed: 5 },
            CONTEXT,
          );
          assert.equal(outcome, 'correct', `${a} ${b} ${k}`);
        }
  });
});
