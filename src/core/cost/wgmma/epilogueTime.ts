/**
 * Time of the epilogue operations of a `wgmma` kernel, per element of a tile and SM. The constants
 * are differences between benchmarked kernels with and without the operation on an H200
 * (bench/h200-epilogue-fit.jsonl). That of an activation is half of the recorded difference,
 * because activations had two special functions there and have one now.
 */
import { isActivation, namedOps } from '../../spec/epilogue';
import type { ResolvedProblem } from '../../spec/resolved';
import type { SourceName } from '../../plan/wgmma/wgmmaSource';

/**
 * Nanoseconds per element. A matrix is loaded by TMA into the store boxes (`source`), or by threads
 * along its rows or its columns; without boxes, threads also load C themselves (`direct`).
 */
const NANOSECONDS = {
  activation: 0.034,
  source: 0.055,
  rows: 0.12,
  columns: 0.2,
  direct: 0.5,
} as const;

/**
 * Factor of these times for ping-pong, whose tiles are finished by one warp group. It minimizes the
 * error of the order of the candidates in the record.
 */
const PINGPONG_FACTOR = 1.3;

/**
 * Returns the nanoseconds per element of C. `problem` is that of the computed GEMM, after swapping
 * operands, and TMA loads `source`.
 */
export function epilogueNanoseconds(
  { epilogue, beta }: Pick<ResolvedProblem, 'epilogue' | 'beta'>,
  { source, isPingpong }: { readonly source: SourceName | undefined; readonly isPingpong: boolean },
): number {
  const ofC = beta === 0 ? 0 : NANOSECONDS[source === 'c' ? 'source' : 'direct'];
  const each = namedOps(epilogue).reduce((sum, { op, operand }) => {
    if (isActivation(op)) return sum + (op.op === 'relu' ? 0 : NANOSECONDS.activation);
    if (op.op !== 'residual') return sum;
    const loaded = op.layout === 'row' ? 'rows' : 'columns';
    return sum + NANOSECONDS[operand === source ? 'source' : loaded];
  }, ofC);
  return each * (isPingpong ? PINGPONG_FACTOR : 1);
}
