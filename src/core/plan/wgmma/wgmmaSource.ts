/**
 * Source of the `wgmma` epilogue: the matrix that TMA loads into the store boxes during the main
 * loop, and that the epilogue adds in place before TMA stores the boxes.
 */
import { DTYPE_BYTES } from '../../types/dtype';
import {
  epilogueOperands,
  isActivation,
  namedOps,
  type EpilogueName,
  type NamedOp,
} from '../../spec/epilogue';
import type { ResolvedProblem } from '../../spec/resolved';

/** C, which is added with beta, or a residual. */
export type SourceName = 'c' | EpilogueName;

/** Minimum number of buffers: the next box is loaded while the present box is stored. */
export const SOURCE_BUFFERS = 2;

/** Each box buffer has an mbarrier of 8 bytes. */
export const SOURCE_BARRIER_BYTES = 8;

/** Splits the operations of an epilogue at its source. */
export interface SplitOps {
  readonly before: readonly NamedOp[];
  readonly after: readonly NamedOp[];
}

export function splitAtSource(
  { epilogue }: Pick<ResolvedProblem, 'epilogue'>,
  source: SourceName,
): SplitOps {
  const ops = namedOps(epilogue);
  if (source === 'c') return { before: [], after: ops };
  const at = ops.findIndex(({ operand }) => operand === source);
  return { before: ops.slice(0, at), after: ops.slice(at + 1) };
}

/**
 * Returns the source that the boxes can hold: its elements have the type and the order of C, and
 * later operations have no operands. Undefined if the problem has none.
 */
export function sourceOf(problem: ResolvedProblem, strideBytes: number): SourceName | undefined {
  const { c, beta } = problem;
  const isLast = (name: SourceName): boolean =>
    splitAtSource(problem, name).after.every(({ op }) => isActivation(op));
  if (beta !== 0) return isLast('c') ? 'c' : undefined;
  return epilogueOperands(problem).find(
    ({ name, op, dtype, layout, ld }) =>
      op.op === 'residual' &&
      dtype === c.dtype &&
      layout === c.layout &&
      (ld * DTYPE_BYTES[dtype]) % strideBytes === 0 &&
      isLast(name),
  )?.name;
}
