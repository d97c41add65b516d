/**
 * Epilogue of a problem: operations on alpha * A * B + beta * C in the accumulator type, in list
 * order, before the result is converted to the type of C. Their operands are the kernel arguments
 * `epilogue0`, `epilogue1`, ..., numbered in list order.
 */
import * as v from 'valibot';
import { ACTIVATIONS, type Activation } from '../types/activations';
import { DTYPES, type DType } from '../types/dtype';
import { count, describe, LAYOUTS, type Layout } from './schemaParts';

/** Dimension along which a bias or scale vector varies: rows (m) or columns (n) of C. */
export const ALONG = ['m', 'n'] as const;

/** Maximum number of operations, and so of operands. */
export const MAX_EPILOGUE_OPS = 8;

const along = v.pipe(
  v.picklist(ALONG),
  describe('Dimension along which the vector varies: rows (m) or columns (n) of C.'),
);
const dtype = v.optional(
  v.pipe(v.picklist(DTYPES), describe('Element type; default: the type of C.')),
);

export const epilogueSchema = v.pipe(
  v.array(
    v.variant('op', [
      v.pipe(
        v.strictObject({ op: v.literal('bias'), along, dtype }),
        describe('Adds a vector of M or N elements, shared by the batch.'),
      ),
      ...ACTIVATIONS.map(op =>
        v.pipe(v.strictObject({ op: v.literal(op) }), describe('Activation function.')),
      ),
      v.pipe(
        v.strictObject({ op: v.literal('scale'), along: v.optional(along) }),
        describe('Multiplies by an f32 value, or by a vector of f32 values.'),
      ),
      v.pipe(
        v.strictObject({
          op: v.literal('residual'),
          layout: v.optional(
            v.pipe(v.picklist(LAYOUTS), describe('Layout of the m x n matrix; default row.')),
          ),
          ld: v.optional(count('Leading dimension in elements; default packed.')),
          dtype,
        }),
        describe('Adds an m x n matrix, one per batch entry.'),
      ),
    ]),
  ),
  v.maxLength(MAX_EPILOGUE_OPS),
  v.readonly(),
  describe(
    'Operations applied in order to alpha * A * B + beta * C, in the accumulator type, before the conversion to the type of C.',
  ),
);

export type EpilogueOps = v.InferOutput<typeof epilogueSchema>;

/** One operation with all defaults applied. */
export type EpilogueOp =
  | { readonly op: Activation }
  | { readonly op: 'bias'; readonly along: 'm' | 'n'; readonly dtype: DType }
  | { readonly op: 'scale'; readonly along?: 'm' | 'n' }
  | {
      readonly op: 'residual';
      readonly layout: Layout;
      readonly ld: number;
      readonly dtype: DType;
    };

/** Names of the operands, in list order. */
export const EPILOGUE_OPERANDS = [
  'epilogue0',
  'epilogue1',
  'epilogue2',
  'epilogue3',
  'epilogue4',
  'epilogue5',
  'epilogue6',
  'epilogue7',
] as const;
export type EpilogueName = (typeof EPILOGUE_OPERANDS)[number];

export const isEpilogueName = (name: string): name is EpilogueName =>
  (EPILOGUE_OPERANDS as readonly string[]).includes(name);

/** An operation that reads an operand. */
export type OperandOp = Exclude<EpilogueOp, { readonly op: Activation }>;

/** An operation and the name of its operand; activations have none. */
export interface NamedOp {
  readonly op: EpilogueOp;
  readonly operand?: EpilogueName;
}

export const isActivation = (op: EpilogueOp): op is { readonly op: Activation } =>
  (ACTIVATIONS as readonly string[]).includes(op.op);

/** Numbers the operands of an epilogue in list order. */
export function namedOps(ops: readonly EpilogueOp[] = []): readonly NamedOp[] {
  let next = 0;
  return ops.map(op => {
    const operand = isActivation(op) ? undefined : EPILOGUE_OPERANDS[next++];
    return operand === undefined ? { op } : { op, operand };
  });
}

export interface EpilogueOperand {
  readonly name: EpilogueName;
  readonly op: OperandOp;
  readonly dtype: DType;
  readonly layout: Layout;
  /** Extents in elements: 1 x 1 for a scalar, 1 x n or m x 1 for a vector, m x n for a residual. */
  readonly rows: number;
  readonly columns: number;
  readonly ld: number;
  readonly batchStride: number;
}

/** Returns short names of the operations in list order, such as `bias (N)` and `gelu`. */
export const epilogueNames = (ops: readonly EpilogueOp[] = []): readonly string[] =>
  ops.map(op => {
    if (isActivation(op)) return op.op;
    const detail = op.op === 'residual' ? op.layout : (op.along?.toUpperCase() ?? 'scalar');
    return `${op.op} (${detail})`;
  });

interface Sizes {
  readonly m: number;
  readonly n: number;
  readonly epilogue?: readonly EpilogueOp[];
}

/** Returns the operands of the epilogue as matrices. Vectors are shared by all batch entries. */
export const epilogueOperands = ({ m, n, epilogue }: Sizes): readonly EpilogueOperand[] =>
  namedOps(epilogue).flatMap(({ op, operand: name }): readonly EpilogueOperand[] => {
    if (name === undefined || isActivation(op)) return [];
    if (op.op === 'residual') {
      const { layout, ld, dtype } = op;
      const batchStride = (layout === 'row' ? m : n) * ld;
      return [{ name, op, dtype, layout, rows: m, columns: n, ld, batchStride }];
    }
    const dtype = op.op === 'scale' ? 'f32' : op.dtype;
    const [rows, columns] = op.along === undefined ? [1, 1] : op.along === 'n' ? [1, n] : [m, 1];
    const layout = op.along === 'm' ? 'col' : 'row';
    const ld = Math.max(rows, columns);
    return [{ name, op, dtype, layout, rows, columns, ld, batchStride: 0 }];
  });

/** Applies the defaults of an epilogue. Returns undefined for an empty or absent list. */
export function resolveEpilogue(
  ops: EpilogueOps | undefined,
  { m, n, dtype: ofC }: { readonly m: number; readonly n: number; readonly dtype: DType },
): readonly EpilogueOp[] | undefined {
  if (ops === undefined || ops.length === 0) return undefined;
  return ops.map((given): EpilogueOp => {
    switch (given.op) {
      case 'bias':
        return { op: 'bias', along: given.along, dtype: given.dtype ?? ofC };
      case 'scale':
        return { op: 'scale', ...(given.along === undefined ? {} : { along: given.along }) };
      case 'residual': {
        const { layout = 'row', dtype = ofC } = given;
        return { op: 'residual', layout, ld: given.ld ?? (layout === 'row' ? n : m), dtype };
      }
      default:
        return { op: given.op };
    }
  });
}

/** Inverse of `resolveEpilogue`: omits defaults. */
export const epilogueSpec = (
  ops: readonly EpilogueOp[],
  { m, n, dtype: ofC }: { readonly m: number; readonly n: number; readonly dtype: DType },
): EpilogueOps =>
  ops.map(op => {
    if (op.op === 'bias')
      return { op: op.op, along: op.along, ...(op.dtype === ofC ? {} : { dtype: op.dtype }) };
    if (op.op !== 'residual') return op;
    return {
      op: op.op,
      layout: op.layout,
      ...(op.ld === (op.layout === 'row' ? n : m) ? {} : { ld: op.ld }),
      ...(op.dtype === ofC ? {} : { dtype: op.dtype }),
    };
  });

interface OfC {
  readonly m: number;
  readonly n: number;
}

/** Returns the epilogue for other extents of C. A residual keeps the padding of its rows. */
export const epilogueAt = (
  ops: readonly EpilogueOp[],
  before: OfC,
  after: OfC,
): readonly EpilogueOp[] =>
  ops.map(op => {
    if (op.op !== 'residual') return op;
    const side = op.layout === 'row' ? 'n' : 'm';
    return { ...op, ld: after[side] + op.ld - before[side] };
  });

const OTHER = { m: 'n', n: 'm', row: 'col', col: 'row' } as const;

/** Returns the epilogue of the transposed product: rows and columns of C change places. */
export const transposedEpilogue = (ops: readonly EpilogueOp[]): readonly EpilogueOp[] =>
  ops.map(op => {
    if (op.op === 'residual') return { ...op, layout: OTHER[op.layout] };
    if (op.op === 'bias') return { ...op, along: OTHER[op.along] };
    return op.op === 'scale' && op.along !== undefined ? { ...op, along: OTHER[op.along] } : op;
  });
