/** Epilogue of an exported function: its operations, and the operands that callers pass. */
import {
  elementOperands,
  namedOps,
  type EpilogueName,
  type ElementOperand,
} from '../spec/epilogue';
import type { ResolvedProblem } from '../spec/resolved';
import type { Layout } from '../spec/schema';
import type { Activation } from '../types/activations';
import { isInteger, type DType } from '../types/dtype';

export interface ExtraOperand {
  /** Argument of the kernel. */
  readonly role: EpilogueName;
  /** Argument of the exported function: the operation, with a number if there are several. */
  readonly name: string;
  readonly op: ElementOperand['op']['op'];
  readonly dtype: DType;
  readonly layout: Layout;
  /** Extents that the operand has; a value has none, a vector one, a residual both. */
  readonly sides: readonly ('m' | 'n')[];
  /** Leading dimension that is fixed in the kernel; absent for packed operands. */
  readonly ld?: number;
}

/** An activation, or an operation with its operand. */
export type Step =
  | { readonly op: Activation; readonly operand?: undefined }
  | { readonly op: ElementOperand['op']['op']; readonly operand: ExtraOperand };

/** Returns the operations in order; an empty list if the problem has no epilogue. */
export function stepsOf(problem: ResolvedProblem): readonly Step[] {
  const operands = elementOperands(problem);
  return namedOps(problem.epilogue).map(({ op }, i, all): Step => {
    const role = all[i]?.operand;
    const operand = operands.find(({ name }) => name === role);
    if (operand === undefined) return { op: op.op as Activation };
    return { op: operand.op.op, operand: extraOf(operand, operands) };
  });
}

function extraOf(operand: ElementOperand, all: readonly ElementOperand[]): ExtraOperand {
  const { name: role, op, dtype, layout, rows, columns, ld } = operand;
  const alike = all.filter(other => other.op.op === op.op);
  const name = alike.length === 1 ? op.op : `${op.op}${alike.indexOf(operand)}`;
  const common = { role, name, op: op.op, dtype, layout } as const;
  if (op.op !== 'residual') return { ...common, sides: op.along === undefined ? [] : [op.along] };
  const isPacked = ld === (layout === 'row' ? columns : rows);
  return { ...common, sides: ['m', 'n'], ...(isPacked ? {} : { ld }) };
}

interface WithSteps {
  readonly epilogue: readonly Step[];
}

/** Returns the operands in order. */
export const extrasOf = ({ epilogue }: WithSteps): readonly ExtraOperand[] =>
  epilogue.flatMap(({ operand }) => (operand === undefined ? [] : [operand]));

/** Returns the name of an argument in the exported function. */
export const nameOf = (type: WithSteps, role: string): string =>
  extrasOf(type).find(operand => operand.role === role)?.name ?? role;

/** Returns the extents of a residual in memory order: across and along its contiguous dimension. */
export const residualOrder = ({ layout }: ExtraOperand): readonly ['m' | 'n', 'm' | 'n'] =>
  layout === 'row' ? ['m', 'n'] : ['n', 'm'];

/** Returns the factors of the number of elements, with all batch entries and gaps. */
export function elementFactors(
  operand: ExtraOperand,
  { isBatched }: { readonly isBatched: boolean },
): readonly ('m' | 'n' | 'batch' | number)[] {
  if (operand.op !== 'residual') return operand.sides;
  const [across, along] = residualOrder(operand);
  return [...(isBatched ? (['batch'] as const) : []), across, operand.ld ?? along];
}

/** Describes an operand, such as `bias has n elements of type bf16`. */
export function operandText({ name, sides, dtype, layout, ld }: ExtraOperand): string {
  const [side, other] = sides;
  if (side === undefined) return `${name} is one ${dtype} value`;
  if (other === undefined) return `${name} has ${side} elements of type ${dtype}`;
  const order = layout === 'row' ? 'row-major' : 'column-major';
  return `${name} is m x n of type ${dtype}, ${order}, ${ld === undefined ? 'packed' : `with the leading dimension ${ld}`}`;
}

/** Describes the operations of a problem. Kernels of one export must have the same text. */
export function epilogueText(problem: ResolvedProblem): string {
  const steps = stepsOf(problem).map(({ op, operand }) =>
    operand === undefined ? op : operandText(operand),
  );
  return steps.length === 0 ? 'no epilogue' : `the epilogue "${steps.join('; ')}"`;
}

/** Returns whether gradients of the operands are defined: all are floating-point, not fp8. */
export const hasGradients = (type: WithSteps): boolean =>
  extrasOf(type).every(({ dtype }) => !isInteger(dtype) && dtype !== 'e4m3' && dtype !== 'e5m2');
