/** Parts of task definitions. */
import type { LoopProblem } from '../../nests/nest';
import type { GemmSpec, Schedule } from '../../spec/schema';
import type { CodeHole, Mistake, Ranges } from '../task';

/** The teaching size: 16 x 16 x 8, which one can follow by hand. */
export const SMALL: LoopProblem = { m: 16, n: 16, k: 8, dtype: 'f32' };
/** A cube for the small cache. */
export const CUBE: LoopProblem = { m: 16, n: 16, k: 16, dtype: 'f32' };
/** Shape of the shared-memory and register tasks. */
export const LARGER: LoopProblem = { m: 64, n: 64, k: 16, dtype: 'f32' };

type Shape = Readonly<Record<'m' | 'n' | 'k', number>>;
type Element = 'f32' | 'f16';

/** Creates a spec with holes: the schedule has the string `___` at each hole. */
export const templateOf = (
  schedule: Readonly<Record<string, unknown>>,
  shape: Shape = SMALL,
  dtype: Element = 'f32',
) => ({ ...specOf({}, shape, dtype), schedule });

export const specOf = (
  schedule: Schedule,
  { m, n, k }: Shape = SMALL,
  dtype: Element = 'f32',
): GemmSpec => ({
  version: 1,
  problem: { m, n, k, ...(dtype === 'f32' ? {} : { a: { dtype }, b: { dtype } }) },
  schedule,
  targets: ['cuda'],
});

/** Creates one hole per expression; all of them have the same variables. */
export const expressions = (ranges: Ranges, ...names: readonly string[]): readonly CodeHole[] =>
  names.map(of => ({ kind: 'expression', of, ranges }));

export const mistake = (names: string, ...answers: readonly string[]): Mistake => ({
  answers,
  names,
});

export const upTo = (count: number, step = 1): readonly number[] =>
  Array.from({ length: count }, (_, i) => i * step);

/** Warp tiles with a swizzled tile of A. */
export const WARP_TILES = {
  spec: specOf(
    {
      algorithm: 'warp-tile',
      block: { m: 64, n: 64, k: 16 },
      warp: { m: 32, n: 32 },
      thread: { m: 8, n: 4 },
      vector: 4,
      swizzle: 'xor',
    },
    { m: 64, n: 64, k: 32 },
  ),
};
