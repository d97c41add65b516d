/** Reduces the problem of a spec to a size that the simulate backend runs in about a second. */
import type { GemmSpec } from '../spec/schema';

/** Maximum value of m, n and k that simulate runs in about a second. */
export const SMALL = 128;

export function smaller(spec: GemmSpec): GemmSpec {
  const { problem } = spec;
  const least = (size: number): number => Math.min(size, SMALL);
  const sizes = { m: least(problem.m), n: least(problem.n), k: least(problem.k) };
  // The leading dimensions are unchanged, and remain legal for smaller sizes.
  return { ...spec, problem: { ...problem, ...sizes } };
}
