/**
 * Specs of `mma` that split f32 into pieces: small ones as a test names them, and drawn ones, most
 * of them legal.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { emit } from '../../src/core/kernel/emit';
import type { LoweredKernel } from '../../src/core/kernel/kernel';
import { SPLITS } from '../../src/core/plan/fp32Emulation';
import type { Plan } from '../../src/core/plan/plan';
import { plan } from '../../src/core/plan/planner';
import { resolve } from '../../src/core/defaults/resolve';
import type { GemmSpec, Schedule } from '../../src/core/spec/schema';
import { loweredOf } from './kernels';
import { specsOf } from './specs';

export type Split = NonNullable<Schedule['split']>;
export const SPLIT_NAMES = Object.keys(SPLITS) as Split[];

const SMALL = { block: { m: 32, n: 64, k: 32 }, warp: { m: 32, n: 32 } } as const;

export const splitSpec = (
  split: Split,
  problem: Partial<GemmSpec['problem']> = {},
  schedule: Partial<Schedule> = {},
  device?: string,
): GemmSpec => ({
  problem: { m: 64, n: 64, k: 96, ...problem },
  schedule: { algorithm: 'mma', ...SMALL, split, ...schedule },
  ...(device === undefined ? {} : { device }),
});

export function planOf(spec: GemmSpec): Plan {
  const found = plan(resolve(spec), 'cuda');
  assert.ok(found.ok, JSON.stringify(found));
  return found.plan;
}

export const kernelOf = (spec: GemmSpec): LoweredKernel => loweredOf(emit(planOf(spec)));

const times = fc.constantFrom(1, 1, 2, 3);

/** Every split, with the instructions of its type, pipelines, layouts, edges and parts of K. */
export const splitSpecs: fc.Arbitrary<GemmSpec> = specsOf(
  fc
    .record({
      split: fc.constantFrom(...SPLIT_NAMES),
      shallow: fc.boolean(),
      warpM: times,
      warpN: fc.constantFrom(1, 2, 4),
      timesM: times,
      timesN: times,
      timesK: fc.constantFrom(1, 2, 2, 4),
      stages: fc.constantFrom(undefined, undefined, 2, 2, 4),
      fragments: fc.constantFrom(undefined, 1, 2),
      vector: fc.constantFrom(undefined, 1, 2, 4),
      padding: fc.constantFrom(undefined, undefined, { a: 4, b: 0 }, { a: 0, b: 8 }),
    })
    .map(({ split, shallow, warpM, warpN, timesM, timesN, timesK, ...rest }): Schedule => {
      const deep = SPLITS[split].dtype === 'tf32' ? 8 : 16;
      const mma = { m: 16, n: 8, k: shallow ? deep / 2 : deep };
      const warp = { m: mma.m * warpM, n: mma.n * warpN };
      return {
        algorithm: 'mma',
        split,
        mma,
        warp,
        block: { m: warp.m * timesM, n: warp.n * timesN, k: Math.max(8, mma.k) * timesK },
        ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
      };
    }),
  fc.constantFrom(['f32'], ['f32'], ['f32', 'f32', 'f16'], ['f32', 'f32', 'bf16']),
).map(spec => ({ ...spec, device: 'h200', targets: ['cuda'] }));
