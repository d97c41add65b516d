/** Epilogue of an exported function: its operations, and the operands that callers pass. */
import {
  epilogueOperands,
  namedOps,
  type EpilogueName,
  type EpilogueOperand,
  type OperandOp,
} from '../spec/epilogue';
import type { ResolvedProblem } from '../spec/resolved';
import type { Layout } from '../spec/schema';
import type { Activation } from '../types/activations';
import { isInteger, type DType } from '../types/dtype';

export type ExtraSide = 'm' | 'n' | 'k';

export interface ExtraOperand {
  /** Argument of the kernel. */
  readonly role: EpilogueName;
  /** Argument of the exported function: the operation, with a number if there are several. */
  readonly name: string;
  readonly op: OperandOp['op'];
  readonly dtype: DType;
  readonly layout: Layout;
  /** Extents that the operand has: none for a value, one for a vector, two for a matrix. */
  readonly sides: readonly ExtraSide[];
  /** Leading dimension that is fixed in the kernel; absent for packed operands. */
  readonly ld?: number;
}

/** An activation, or an operation with its operand. A gate has both. */
export type Step =
  | { readonly op: Activation; readonly operand?: undefined }
  | { readonly op: Exclude<OperandOp['op'], 'gate'>; readonly operand: ExtraOperand }
  | { readonly op: 'gate'; readonly act: Activation; readonly operand: ExtraOperand };

/** Returns the operations in order; an empty list if the problem has no epilogue. */
export function stepsOf(problem: ResolvedProblem): readonly Step[] {
  const operands = epilogueOperands(problem);
  return namedOps(problem.epilogue).map(({ op }, i, all): Step => {
    const role = all[i]?.operand;
    const operand = operands.find(({ name }) => name === role);
    if (operand === undefined) return { op: op.op as Activation };
    const extra = extraOf(operand, operands);
    return op.op === 'gate'
      ? { op: op.op, act: op.act, operand: extra }
      : { op: operand.op.op as Exclude<OperandOp['op'], 'gate'>, operand: extra };
  });
}

function extraOf(operand: EpilogueOperand, all: readonly EpilogueOperand[]): ExtraOperand {
  const { name: role, op, dtype, layout, rows, columns, ld } = operand;
  const alike = all.filter(other => other.op.op === op.op);
  const name =
    op.op === 'gate' ? 'b2' : alike.length === 1 ? op.op : `${op.op}${alike.indexOf(operand)}`;
  const common = { role, name, op: op.op, dtype, layout } as const;
  if (op.op !== 'residual' && op.op !== 'gate')
    return { ...common, sides: op.along === undefined ? [] : [op.along] };
  const isPacked = ld === (layout === 'row' ? columns : rows);
  const sides = op.op === 'gate' ? (['k', 'n'] as const) : (['m', 'n'] as const);
  return { ...common, sides, ...(isPacked ? {} : { ld }) };
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

/** Returns whether an operand is a matrix: a residual, or the second B of a gate. */
export const isMatrix = ({ sides }: Pick<ExtraOperand, 'sides'>): boolean => sides.length > 1;

/** Returns the extents of a matrix in memory order: across and along its contiguous dimension. */
export function matrixOrder({ layout, sides }: ExtraOperand): readonly [ExtraSide, ExtraSide] {
  const [rows = 'm', columns = 'n'] = sides;
  return layout === 'row' ? [rows, columns] : [columns, rows];
}

/** Returns the second B of a gate; undefined if there is no gate. */
export const gateOperand = (type: WithSteps): ExtraOperand | undefined =>
  extrasOf(type).find(({ op }) => op === 'gate');

/** Returns the factors of the number of elements, with all batch entries and gaps. */
export function elementFactors(
  operand: ExtraOperand,
  { isBatched }: { readonly isBatched: boolean },
): readonly (ExtraSide | 'batch' | number)[] {
  if (!isMatrix(operand)) return operand.sides;
  const [across, along] = matrixOrder(operand);
  return [...(isBatched ? (['batch'] as const) : []), across, operand.ld ?? along];
}

/** Describes an operand, such as `bias has n elements of type bf16`. */
export function operandText({ name, sides, dtype, layout, ld }: ExtraOperand): string {
  const [side, other] = sides;
  if (side === undefined) return `${name} is one ${dtype} value`;
  if (other === undefined) return `${name} has ${side} elements of type ${dtype}`;
  const order = layout === 'row' ? 'row-major' : 'column-major';
  return `${name} is ${side} x ${other} of type ${dtype}, ${order}, ${ld === undefined ? 'packed' : `with the leading dimension ${ld}`}`;
}

/** Describes the operations of a problem. Kernels of one export must have the same text. */
export function epilogueText(problem: ResolvedProblem): string {
  const steps = stepsOf(problem).map(step => {
    if (step.operand === undefined) return step.op;
    const text = operandText(step.operand);
    return step.op === 'gate' ? `gate with ${step.act}, ${text}` : text;
  });
  return steps.length === 0 ? 'no epilogue' : `the epilogue "${steps.join('; ')}"`;
}

/** Returns whether gradients of the operands are defined: all are floating-point, not fp8. */
export const hasGradients = (type: WithSteps): boolean =>
  extrasOf(type).every(({ dtype }) => !isInteger(dtype) && dtype !== 'e4m3' && dtype !== 'e5m2');
