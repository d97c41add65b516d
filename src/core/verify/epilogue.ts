/** Applies the epilogue of a problem in f64, with a bound of the error of each operation. */
import { epilogueOperands, namedOps } from '../spec/epilogue';
import type { ResolvedProblem } from '../spec/resolved';
import { activate, usesTanh, type Activation } from '../types/activations';
import { DTYPE_BYTES, UNIT_ROUNDOFF } from '../types/dtype';
import type { MatrixData } from './inputs';

/** A value and the bound of its absolute error. */
export interface Bounded {
  readonly value: number;
  readonly error: number;
}

type Data = Readonly<Partial<Record<string, MatrixData>>>;

/** Largest magnitudes of the derivatives. */
export const SLOPE: Readonly<Record<Activation, number>> = {
  relu: 1,
  gelu: 1.13,
  'gelu-tanh': 1.13,
  silu: 1.1,
};

/**
 * Returns the largest error of an emitted activation, relative to max(|x|, 1): functions of the
 * math library, of WGSL, or approximations for narrow outputs (kernel/print/activations.ts).
 */
export function activationError(of: Activation, { accumulator, c }: ResolvedProblem): number {
  if (of === 'relu') return 0;
  if (accumulator === 'f64') return 1e-14;
  if (usesTanh(accumulator, c.dtype)) return 3e-4;
  return DTYPE_BYTES[c.dtype] <= 2 ? 5e-5 : 5e-6;
}

/**
 * Returns a function that applies the epilogue to element (row, column) of C; undefined if the
 * problem has none. `data` holds the operands of one batch entry.
 */
export function epilogueCheck(
  problem: ResolvedProblem,
  data: Data,
): ((row: number, column: number, of: Bounded) => Bounded) | undefined {
  const { epilogue } = problem;
  if (epilogue === undefined) return undefined;
  const operands = epilogueOperands(problem);
  const unit = UNIT_ROUNDOFF[problem.accumulator];
  const steps = namedOps(epilogue).map(({ op, operand: name }) => {
    const operand = operands.find(each => each.name === name);
    if (operand === undefined) {
      const of = op.op as Activation;
      const own = activationError(of, problem);
      return (_row: number, _column: number, { value, error }: Bounded): Bounded => ({
        value: activate(of, value),
        error: SLOPE[of] * error + own * Math.max(1, Math.abs(value)),
      });
    }
    const { layout, ld, rows, columns } = operand;
    const values = data[operand.name] ?? [];
    const at = (row: number, column: number): number => {
      const [i, j] = [rows === 1 ? 0 : row, columns === 1 ? 0 : column];
      return values[layout === 'row' ? i * ld + j : j * ld + i] ?? NaN;
    };
    return (row: number, column: number, { value, error }: Bounded): Bounded => {
      const right = at(row, column);
      const result = op.op === 'scale' ? value * right : value + right;
      const carried = op.op === 'scale' ? error * Math.abs(right) : error;
      // An addition may be fused with the preceding multiplication, so both round at most once.
      return { value: result, error: carried + 2 * unit * (Math.abs(result) + carried) };
    };
  });
  return (row, column, of) => steps.reduce((value, step) => step(row, column, value), of);
}
