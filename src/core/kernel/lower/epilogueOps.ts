/** Lowers the operations of an epilogue (`problem.epilogue`) on one or several elements of C. */
import {
  elementOperands,
  epilogueOperands,
  gateOf,
  isActivation,
  namedOps,
  type ElementOperand,
  type EpilogueName,
  type EpilogueOp,
  type EpilogueOperand,
} from '../../spec/epilogue';
import type { Plan } from '../../plan/plan';
import { add, constant, int, mul, variable } from '../ir/expr';
import type { Expr, GlobalElement, NamedConstant, Statement, Value } from '../ir/ir';
import * as name from './names';

/** Adjacent elements of C along its contiguous dimension. */
export interface ElementsOfC {
  readonly row: Expr;
  readonly column: Expr;
  /** Distance of the first element from (row, column); default 0. */
  readonly offset?: Expr;
  /** Number of elements of a vector operation; default 1. */
  readonly width?: number;
}

export const hasEpilogue = ({ spec }: Plan): boolean => spec.problem.epilogue !== undefined;

/** Applies the operations in list order to values of the accumulator type. */
export function applyEpilogue(plan: Plan, of: Value, at: ElementsOfC): Value {
  const { problem } = plan.spec;
  const operands = elementOperands(problem);
  return namedOps(problem.epilogue).reduce((value: Value, { op, operand: named }): Value => {
    const operand = operands.find(each => each.name === named);
    // The gate is part of the product (epilogue.ts).
    if (operand === undefined)
      return isActivation(op) ? { op: 'activation', of: op.op, value } : value;
    const right = operandValues(plan, operand, at);
    return { op: op.op === 'scale' ? 'mul' : 'add', left: value, right };
  }, of);
}

/** Returns the element of an operand for each element of C, in the accumulator type. */
function operandValues(plan: Plan, operand: ElementOperand, at: ElementsOfC): Value {
  const { width = 1, offset = int(0) } = at;
  const isRow = plan.spec.problem.c.layout === 'row';
  const element = (lane: number): Value => {
    const distance = add(offset, int(lane));
    const row = isRow ? at.row : add(at.row, distance);
    const column = isRow ? add(at.column, distance) : at.column;
    return operandElement(plan, operand, row, column);
  };
  const { along } = { along: undefined, ...operand.op };
  const isShared =
    operand.op.op !== 'residual' && (along === undefined || (along === 'n') !== isRow);
  const values: Value =
    width === 1 || isVector(plan, operand, width)
      ? element(0)
      : isShared
        ? { op: 'broadcast', value: element(0) }
        : { op: 'lanes', values: Array.from({ length: width }, (_, lane) => element(lane)) };
  return name.converted(values, operand.dtype, plan.accumulator);
}

/**
 * Returns whether WGSL reads an operand in vectors of `width` elements: adjacent elements of C need
 * adjacent elements of the operand, at multiples of the width.
 */
function isVector({ target, spec }: Plan, operand: ElementOperand, width: number): boolean {
  if (target !== 'wgsl' || width === 1) return false;
  const { c, m, n } = spec.problem;
  const { op, layout, ld, batchStride } = operand;
  const isRow = c.layout === 'row';
  if ((isRow ? n : m) % width !== 0) return false;
  if (op.op === 'residual')
    return layout === c.layout && ld % width === 0 && batchStride % width === 0;
  return op.along === (isRow ? 'n' : 'm');
}

/** Returns the vector widths of the operands that WGSL reads in vectors. */
export const epilogueVectors = (
  plan: Plan,
  width: number,
): Readonly<Partial<Record<EpilogueName, number>>> =>
  plan.split === undefined
    ? Object.fromEntries(
        elementOperands(plan.spec.problem)
          .filter(operand => isVector(plan, operand, width))
          .map(({ name: operand }) => [operand, width]),
      )
    : {};

const SITES = { bias: 'Bias load', scale: 'Scale load', residual: 'Residual load' } as const;

function operandElement(
  plan: Plan,
  operand: ElementOperand,
  row: Expr,
  column: Expr,
): GlobalElement {
  const { op } = operand;
  const site = { name: SITES[op.op], operand: operand.name, once: true as const };
  if (op.op === 'residual') {
    const [outer, inner] = op.layout === 'row' ? [row, column] : [column, row];
    const offset = name.isBatched(plan) ? { offset: variable(offsetName(operand)) } : {};
    return { op: 'global', site, outer, stride: leading(operand), inner, ...offset };
  }
  const inner = op.along === undefined ? int(0) : op.along === 'n' ? column : row;
  return { op: 'global', site, outer: int(0), stride: int(0), inner };
}

const offsetName = ({ name: of }: EpilogueOperand): string => `${of}Offset`;
const leadingName = ({ name: of }: EpilogueOperand): string => `LD_${of.toUpperCase()}`;

const isPacked = ({ layout, ld, rows, columns }: EpilogueOperand): boolean =>
  ld === (layout === 'row' ? columns : rows);

/** Returns the leading dimension of a residual: N or M if it is packed, otherwise a constant. */
const leading = (operand: EpilogueOperand): Expr =>
  isPacked(operand) ? (operand.layout === 'row' ? name.N : name.M) : constant(leadingName(operand));

const leadingConstant = (operand: EpilogueOperand): readonly NamedConstant[] =>
  isPacked(operand)
    ? []
    : [
        {
          name: leadingName(operand),
          value: operand.ld,
          comment: `leading dimension of ${operand.name} in elements`,
        },
      ];

/** Returns the leading dimensions of residuals that are not packed. */
export const epilogueConstants = (plan: Plan): readonly NamedConstant[] =>
  elementOperands(plan.spec.problem)
    .filter(operand => operand.op.op === 'residual')
    .flatMap(leadingConstant);

/** Returns the leading dimension of the second B of a gate if it is not packed. */
export function gateConstants(plan: Plan): readonly NamedConstant[] {
  const gate = gateOf(plan.spec.problem);
  return gate === undefined ? [] : leadingConstant(gate);
}

/** Declares the offset of the batch entry in each residual. */
export const epilogueOffsets = (plan: Plan, product: Expr): readonly Statement[] =>
  name.isBatched(plan)
    ? epilogueOperands(plan.spec.problem)
        .filter(({ op }) => op.op === 'residual')
        .map(operand => ({
          op: 'let',
          name: offsetName(operand),
          value: mul(product, mul(operand.layout === 'row' ? name.M : name.N, leading(operand))),
          ...(plan.wideOffsets.includes(operand.name) ? { wide: true as const } : {}),
        }))
    : [];

/** Describes the operands in the head of a kernel file, one sentence per operand. */
export const epilogueLines = (plan: Plan): readonly string[] =>
  epilogueOperands(plan.spec.problem).map(({ name: operand, op, dtype, layout }) => {
    switch (op.op) {
      case 'bias':
        return `${operand} is the bias, ${op.along === 'n' ? 'N' : 'M'} elements of type ${dtype}.`;
      case 'scale':
        return op.along === undefined
          ? `${operand} is the scale, one f32 value.`
          : `${operand} is the scale, ${op.along === 'n' ? 'N' : 'M'} f32 values.`;
      case 'gate':
        return `${operand} is B2, K x N elements of type ${dtype}, ${layout === 'row' ? 'row-major' : 'column-major'}: the gate multiplies by A * B2, whose variables end in Up.`;
      case 'residual':
        return `${operand} is the residual, M x N elements of type ${dtype}, ${layout === 'row' ? 'row-major' : 'column-major'}.`;
    }
  });

/** Returns the formula of the result, such as `relu(A * B + bias)`. */
export const epilogueFormula = (plan: Plan, product: string): string =>
  appliedFormula(
    (plan.spec.problem.epilogue ?? []).map(op =>
      op.op === 'gate'
        ? { op: op.op, name: op.act, second: product.replace(/B$/, 'B2') }
        : { op: op.op, name: op.op },
    ),
    product,
  );

/** Applies operations to a formula; `name` is the operand, or the function of an activation. */
export const appliedFormula = (
  steps: readonly {
    readonly op: EpilogueOp['op'];
    readonly name: string;
    /** Second product of a gate, whose name is the function of its activation. */
    readonly second?: string;
  }[],
  product: string,
): string =>
  steps.reduce(
    ({ text, isSum }, { op, name: named, second }) => {
      if (op === 'gate')
        return { text: `${named}(${text}) * ${factorText(second ?? '')}`, isSum: false };
      if (op === 'scale')
        return { text: isSum ? `(${text}) * ${named}` : `${text} * ${named}`, isSum: false };
      return op === 'bias' || op === 'residual'
        ? { text: `${text} + ${named}`, isSum: true }
        : { text: `${named}(${text})`, isSum: false };
    },
    { text: product, isSum: product.includes(' + ') },
  ).text;

const factorText = (text: string): string => (text.includes(' ') ? `(${text})` : text);
