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

/** Activation of a gate without `act`, as in SwiGLU. */
export const DEFAULT_ACT: Activation = 'silu';

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
      v.pipe(
        v.strictObject({
          op: v.literal('gate'),
          act: v.optional(
            v.pipe(v.picklist(ACTIVATIONS), describe('Activation of A * B; default silu.')),
          ),
          layout: v.optional(
            v.pipe(v.picklist(LAYOUTS), describe('Layout of the second B; default that of B.')),
          ),
          ld: v.optional(count('Leading dimension in elements; default packed.')),
        }),
        describe(
          'Gated pair act(A * B) * (A * B2), first in the list. B2 has the shape, type and layout of B, one per batch entry.',
        ),
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
    }
  | GateOp;

/** Gated pair act(A * B) * (A * B2). Its operand B2 has the shape and type of B. */
export interface GateOp {
  readonly op: 'gate';
  readonly act: Activation;
  readonly layout: Layout;
  readonly ld: number;
  readonly dtype: DType;
}

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
  /**
   * Extents in elements: 1 x 1 for a scalar, 1 x n or m x 1 for a vector, m x n for a residual, and
   * k x n for the second B of a gate.
   */
  readonly rows: number;
  readonly columns: number;
  readonly ld: number;
  readonly batchStride: number;
}

/** Returns short names of the operations in list order, such as `bias (N)` and `gelu`. */
export const epilogueNames = (ops: readonly EpilogueOp[] = []): readonly string[] =>
  ops.map(op => {
    if (isActivation(op)) return op.op;
    if (op.op === 'gate') return `gate (${op.act})`;
    const detail = op.op === 'residual' ? op.layout : (op.along?.toUpperCase() ?? 'scalar');
    return `${op.op} (${detail})`;
  });

interface Sizes {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly epilogue?: readonly EpilogueOp[];
}

/** Returns the operands of the epilogue as matrices. Vectors are shared by all batch entries. */
export const epilogueOperands = ({ m, n, k, epilogue }: Sizes): readonly EpilogueOperand[] =>
  namedOps(epilogue).flatMap(({ op, operand: name }): readonly EpilogueOperand[] => {
    if (name === undefined || isActivation(op)) return [];
    if (op.op === 'residual' || op.op === 'gate') {
      const { layout, ld, dtype } = op;
      const rows = op.op === 'gate' ? k : m;
      const batchStride = (layout === 'row' ? rows : n) * ld;
      return [{ name, op, dtype, layout, rows, columns: n, ld, batchStride }];
    }
    const dtype = op.op === 'scale' ? 'f32' : op.dtype;
    const [rows, columns] = op.along === undefined ? [1, 1] : op.along === 'n' ? [1, n] : [m, 1];
    const layout = op.along === 'm' ? 'col' : 'row';
    const ld = Math.max(rows, columns);
    return [{ name, op, dtype, layout, rows, columns, ld, batchStride: 0 }];
  });

/** A gate and the second B that it reads. */
export interface Gate extends EpilogueOperand {
  readonly op: GateOp;
}

/** Returns the gate of a problem and its second B; undefined if the problem has none. */
export const gateOf = (problem: Sizes): Gate | undefined =>
  problem.epilogue?.[0]?.op === 'gate'
    ? epilogueOperands(problem).find((operand): operand is Gate => operand.op.op === 'gate')
    : undefined;

/** An operand that is read per element of C. */
export interface ElementOperand extends EpilogueOperand {
  readonly op: Exclude<OperandOp, GateOp>;
}

/** Returns the operands that are read per element of C: all except the second B of a gate. */
export const elementOperands = (problem: Sizes): readonly ElementOperand[] =>
  epilogueOperands(problem).filter(
    (operand): operand is ElementOperand => operand.op.op !== 'gate',
  );

/** Returns the number of products per element of C: A * B, and A * B2 with a gate. */
export const productsOf = ({ epilogue }: Pick<Sizes, 'epilogue'>): 1 | 2 =>
  epilogue?.[0]?.op === 'gate' ? 2 : 1;

/** Sizes and operands that the defaults of an epilogue depend on. */
interface Defaults {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly b: { readonly dtype: DType; readonly layout: Layout };
  readonly c: { readonly dtype: DType };
}

const packedGate = (
  layout: Layout,
  { n, k }: { readonly n: number; readonly k: number },
): number => (layout === 'row' ? n : k);

/** Applies the defaults of an epilogue. Returns undefined for an empty or absent list. */
export function resolveEpilogue(
  ops: EpilogueOps | undefined,
  { m, n, k, b, c: { dtype: ofC } }: Defaults,
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
      case 'gate': {
        const { act = DEFAULT_ACT, layout = b.layout } = given;
        const ld = given.ld ?? packedGate(layout, { n, k });
        return { op: 'gate', act, layout, ld, dtype: b.dtype };
      }
      default:
        return { op: given.op };
    }
  });
}

/** Inverse of `resolveEpilogue`: omits defaults. */
export const epilogueSpec = (
  ops: readonly EpilogueOp[],
  { m, n, k, b, c: { dtype: ofC } }: Defaults,
): EpilogueOps =>
  ops.map(op => {
    if (op.op === 'gate')
      return {
        op: op.op,
        ...(op.act === DEFAULT_ACT ? {} : { act: op.act }),
        ...(op.layout === b.layout ? {} : { layout: op.layout }),
        ...(op.ld === packedGate(op.layout, { n, k }) ? {} : { ld: op.ld }),
      };
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

interface Extents {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

/** Returns the epilogue for other sizes. Matrices keep the padding of their rows. */
export const epilogueAt = (
  ops: readonly EpilogueOp[],
  before: Extents,
  after: Extents,
): readonly EpilogueOp[] =>
  ops.map(op => {
    if (op.op !== 'residual' && op.op !== 'gate') return op;
    const side = op.layout === 'row' ? 'n' : op.op === 'gate' ? 'k' : 'm';
    return { ...op, ld: after[side] + op.ld - before[side] };
  });

const OTHER = { m: 'n', n: 'm', row: 'col', col: 'row' } as const;

/** Returns the epilogue of the transposed product: rows and columns of C change places. */
export const transposedEpilogue = (ops: readonly EpilogueOp[]): readonly EpilogueOp[] =>
  ops.map(op => {
    if (op.op === 'residual' || op.op === 'gate') return { ...op, layout: OTHER[op.layout] };
    if (op.op === 'bias') return { ...op, along: OTHER[op.along] };
    return op.op === 'scale' && op.along !== undefined ? { ...op, along: OTHER[op.along] } : op;
  });
