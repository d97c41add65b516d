/** Applies the epilogue of a problem in f64, with a bound of the error of each operation. */
import { elementOperands, isActivation, namedOps } from '../spec/epilogue';
import type { ResolvedProblem } from '../spec/resolved';
import { activate, usesTanh, type Activation } from '../types/activations';
import { DTYPE_BYTES, UNIT_ROUNDOFF } from '../types/dtype';
import type { MatrixData } from './inputs';

/** A value and the bound of its absolute error. */
export interface Bounded {
  readonly value: number;
  readonly error: number;
}

const NO_PRODUCT: Bounded = { value: NaN, error: 0 };

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

/** Applies an activation to a value, whose error it scales by at most the slope. */
const activated = (of: Activation, { value, error }: Bounded, own: number): Bounded => ({
  value: activate(of, value),
  error: SLOPE[of] * error + own * Math.max(1, Math.abs(value)),
});

/** Multiplies two rounded values; the product is rounded once. */
function multiplied(left: Bounded, right: Bounded, unit: number): Bounded {
  const value = left.value * right.value;
  const carried =
    left.error * Math.abs(right.value) + (Math.abs(left.value) + left.error) * right.error;
  return { value, error: carried + unit * (Math.abs(value) + carried) };
}

/**
 * Returns a function that applies the epilogue to element (row, column) of C; undefined if the
 * problem has none. `data` holds the operands of one batch entry. With a gate, the function also
 * requires the element of the second product.
 */
export function epilogueCheck(
  problem: ResolvedProblem,
  data: Data,
): ((row: number, column: number, of: Bounded, second?: Bounded) => Bounded) | undefined {
  const { epilogue } = problem;
  if (epilogue === undefined) return undefined;
  const operands = elementOperands(problem);
  const unit = UNIT_ROUNDOFF[problem.accumulator];
  const steps = namedOps(epilogue).map(({ op, operand: name }) => {
    if (isActivation(op)) {
      const own = activationError(op.op, problem);
      return (_row: number, _column: number, of: Bounded): Bounded => activated(op.op, of, own);
    }
    if (op.op === 'gate') {
      const own = activationError(op.act, problem);
      return (_row: number, _column: number, of: Bounded, second: Bounded): Bounded =>
        multiplied(activated(op.act, of, own), second, unit);
    }
    const operand = operands.find(each => each.name === name);
    if (operand === undefined) throw new Error(`The epilogue has no operand for ${op.op}`);
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
  return (row, column, of, second = NO_PRODUCT) =>
    steps.reduce((value, step) => step(row, column, value, second), of);
}
