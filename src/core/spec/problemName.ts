/** Display name of a problem. */
import { epilogueNames } from './epilogue';
import type { ResolvedProblem } from './resolved';

/**
 * Returns the problem as `1024 x 512 x 64 f32`, followed by non-default settings and
 * the operations of the epilogue.
 */
export function problemName(problem: ResolvedProblem): string {
  const { m, n, k, batch, a, b, c, alpha, beta, epilogue } = problem;
  const layouts = [a, b, c].map(({ layout }) => layout[0]).join('');
  return [
    `${m} x ${n} x ${k}`,
    [...new Set([a.dtype, b.dtype, c.dtype])].join('/'),
    ...(layouts === 'rrr' ? [] : [layouts]),
    ...(batch === 1 ? [] : [`batch ${batch}`]),
    ...(alpha === 1 ? [] : [`alpha ${alpha}`]),
    ...(beta === 0 ? [] : [`beta ${beta}`]),
    ...epilogueNames(epilogue).map(name => `+ ${name}`),
  ].join(' ');
}
