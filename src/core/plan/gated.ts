/**
 * Schedules of problems with a gate. Its two products cost as much as one product with a B of twice
 * as many columns. Schedules are chosen for that problem, and their tiles then have half as many
 * columns. Registers and shared memory per block do not change.
 */
import { productsOf } from '../spec/epilogue';
import type { ResolvedOperand, ResolvedProblem } from '../spec/resolved';
import type { Schedule } from '../spec/schema';
import { hasWarpGroups } from './wgmma/tmaMma';

/** Returns the problem with all columns of both B in one B; other problems are unchanged. */
export function withoutGate(problem: ResolvedProblem): ResolvedProblem {
  const { epilogue, ...others } = problem;
  if (epilogue === undefined || productsOf(problem) === 1) return problem;
  const { n, b, c } = others;
  const rest = epilogue.slice(1);
  return {
    ...others,
    n: 2 * n,
    b: widened(b),
    c: widened(c),
    ...(rest.length === 0 ? {} : { epilogue: rest }),
  };
}

const widened = ({ ld, batchStride, ...others }: ResolvedOperand): ResolvedOperand => ({
  ...others,
  ld: others.layout === 'row' ? 2 * ld : ld,
  batchStride: 2 * batchStride,
});

/** Returns a schedule of the problem without its gate as a schedule of the problem. */
export const gatedSchedule = <S extends Schedule>(schedule: S, problem: ResolvedProblem): S =>
  productsOf(problem) === 1 ? schedule : halvedN(schedule, problem);

/** Halves the columns of the tiles if all of them are even. */
function halvedN<S extends Schedule>(schedule: S, { b }: ResolvedProblem): S {
  const { block, warp, thread, mma, threadLayout } = schedule;
  const unit = mma?.n ?? 1;
  const tiles = [block?.n, warp?.n].flatMap(n => (n === undefined ? [] : [n / unit]));
  const held = mma === undefined ? [thread?.n ?? 1] : [];
  // Warp groups compute multiples of 8 columns; TMA loads an N-major B in boxes of 32 columns.
  const isEven = hasWarpGroups(schedule)
    ? (block?.n ?? 0) % (b.layout === 'col' ? 16 : 64) === 0
    : [...tiles, ...held].every(n => n % 2 === 0);
  if (threadLayout !== undefined || !isEven) return schedule;
  const half = <T extends { readonly n?: number | undefined }>(
    tile: T | undefined,
  ): T | undefined => (tile?.n === undefined ? tile : { ...tile, n: tile.n / 2 });
  return {
    ...schedule,
    ...(block === undefined ? {} : { block: half(block) }),
    ...(warp === undefined ? {} : { warp: half(warp) }),
    ...(thread === undefined ? {} : { thread: half(thread) }),
  };
}
