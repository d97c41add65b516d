/**
 * Swapped operands (swap-AB): computes Ct = Bt At. The rows of the computed GEMM are the columns of
 * C, and its A is B. The contiguous dimension of each matrix does not change, so a column-major C
 * becomes row-major. `wgmma` swaps operands if `operandOrder` is `ba`.
 */
import { transposedEpilogue } from '../spec/epilogue';
import type { ResolvedOperand, ResolvedProblem, ResolvedSpec } from '../spec/resolved';
import type { Schedule } from '../spec/schema';

const OTHER = { row: 'col', col: 'row' } as const;

const transposed = (operand: ResolvedOperand): ResolvedOperand => ({
  ...operand,
  layout: OTHER[operand.layout],
});

export const swappedProblem = (problem: ResolvedProblem): ResolvedProblem => ({
  ...problem,
  m: problem.n,
  n: problem.m,
  a: transposed(problem.b),
  b: transposed(problem.a),
  c: transposed(problem.c),
  ...(problem.epilogue === undefined ? {} : { epilogue: transposedEpilogue(problem.epilogue) }),
});

/** Swaps M and N. Do not apply it to `mma`, which is the shape of the hardware instruction. */
export const swapMN = <Side>(sides: {
  readonly m: Side;
  readonly n: Side;
}): { readonly m: Side; readonly n: Side } => ({ m: sides.n, n: sides.m });

export function swappedSchedule<S extends Schedule>(schedule: S): S {
  const { block, cluster, raster, operandOrder, ...others } = schedule;
  const { m, n, ...depth } = block ?? {};
  const sides = { ...(n === undefined ? {} : { m: n }), ...(m === undefined ? {} : { n: m }) };
  return {
    ...others,
    ...(block === undefined ? {} : { block: { ...sides, ...depth } }),
    ...(cluster === undefined ? {} : { cluster: swapMN(cluster) }),
    ...(raster === undefined ? {} : { raster: { ...raster, order: OTHER[raster.order ?? 'row'] } }),
    ...(operandOrder === 'ba' ? {} : { operandOrder: 'ba' }),
  } as unknown as S;
}

export const swappedSpec = <S extends Pick<ResolvedSpec, 'problem' | 'schedule'>>(spec: S): S => ({
  ...spec,
  problem: swappedProblem(spec.problem),
  schedule: swappedSchedule(spec.schedule),
});

/** Returns whether the rows of the instruction are taken from B. */
export const isSwapped = ({ operandOrder }: Schedule): boolean => operandOrder === 'ba';

const PLACES: readonly (readonly [RegExp, string])[] = [
  [/^problem\.a\b/, 'problem.b'],
  [/^problem\.b\b/, 'problem.a'],
  [/^schedule\.(block|cluster)\.m$/, 'schedule.$1.n'],
  [/^schedule\.(block|cluster)\.n$/, 'schedule.$1.m'],
];

export function swappedPath(path: string): string {
  const [pattern, other] = PLACES.find(([known]) => known.test(path)) ?? [];
  return pattern === undefined || other === undefined ? path : path.replace(pattern, other);
}

/**
 * Maps the value of a field to its value after swapping operands. Changes matrix layouts and
 * cluster dimensions.
 */
export function swappedValue(path: string, value: unknown): unknown {
  if (path.endsWith('.layout') && (value === 'row' || value === 'col')) return OTHER[value];
  const isSides = typeof value === 'object' && value !== null && 'm' in value && 'n' in value;
  return path === 'schedule.cluster' && isSides ? swapMN(value) : value;
}
