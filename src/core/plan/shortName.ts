/** Short name of a resolved spec, for files and tabs. Different specs may share a name. */
import type { ResolvedSpec } from '../spec/resolved';
import { defaultAccumulator, defaultOutput } from '../types/dtype';

/**
 * Returns a name such as `warp-tile-256` or `wgmma-bf16-1024x512x64`: the algorithm, the element
 * types unless all are f32, and the problem shape.
 */
export function shortName({ problem, schedule }: ResolvedSpec): string {
  const { m, n, k, a, b, c, accumulator } = problem;
  const usual =
    b.dtype === a.dtype &&
    c.dtype === defaultOutput(a.dtype) &&
    accumulator === defaultAccumulator(a.dtype);
  const types = usual ? a.dtype : [a.dtype, b.dtype, c.dtype, accumulator].join('');
  return [
    schedule.algorithm,
    ...(schedule.variant === undefined ? [] : [schedule.variant]),
    ...(types === 'f32' ? [] : [types]),
    m === n && n === k ? m : `${m}x${n}x${k}`,
  ].join('-');
}
