/**
 * Tensor maps: box, swizzle and source matrix of TMA accesses (Hopper's tensor memory accelerator),
 * and their constraints (CUDA driver API, "cuTensorMapEncodeTiled"). The runner encodes them.
 */
import * as v from 'valibot';
import { DTYPE_BYTES, DTYPES, type DType } from '../../types/dtype';
import {
  EPILOGUE_OPERANDS,
  epilogueOperands,
  gateOf,
  type EpilogueName,
} from '../../spec/epilogue';
import { extent, OPERANDS, type OperandName, type ResolvedProblem } from '../../spec/resolved';
import type { Layout, Target } from '../../spec/schema';
import { MAPPED_OPERANDS, TENSOR_MAP_ROLES, type Launch, type TensorMapName } from '../kernel';

/** Alignment of TMA addresses and strides, in bytes. */
export const TENSOR_MAP_ALIGNMENT = 16;
const MOST_BOX = 256;
/** Swizzle widths in bytes; 0 means no swizzle. */
export const SWIZZLES = [0, 32, 64, 128] as const;

/** Maximum number of split terms in a copy. */
const MOST_TERMS = 8;

const side = v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(MOST_BOX));
const natural = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const termCount = v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(MOST_TERMS));

const fields = {
  /**
   * Box extents in elements: along the contiguous dimension of the matrix, and along the other
   * dimension.
   */
  box: v.pipe(v.tuple([side, side]), v.readonly()),
  swizzleBytes: v.picklist(SWIZZLES),
  /**
   * Byte offset in the workspace of the copy that a pre-pass kernel writes; absent if TMA accesses
   * the matrix itself.
   */
  workspaceOffset: v.exactOptional(natural),
  transposed: v.exactOptional(v.literal(true)),
  /** Leading dimension of the copy in elements. */
  ld: v.exactOptional(natural),
  batchStride: v.exactOptional(natural),
  /** Type and count of the split terms in the copy (FP32 emulation), one matrix per term. */
  dtype: v.exactOptional(v.picklist(DTYPES)),
  terms: v.exactOptional(termCount),
} as const;

/** Field names of older versions; files with these names are still accepted. */
const RENAMED = { turned: 'transposed', pieces: 'terms' } as const;

const bothNames = (old: keyof typeof RENAMED): string =>
  `Expected either "${RENAMED[old]}" or its old name "${old}", got both.`;

export type TensorMap = v.InferOutput<v.StrictObjectSchema<typeof fields, undefined>>;

const tensorMapSchema = v.pipe(
  v.strictObject({ ...fields, turned: fields.transposed, pieces: fields.terms }),
  v.forward(
    v.check(map => map.turned === undefined || map.transposed === undefined, bothNames('turned')),
    ['turned'],
  ),
  v.forward(
    v.check(map => map.pieces === undefined || map.terms === undefined, bothNames('pieces')),
    ['pieces'],
  ),
  v.transform(({ turned, pieces, ...map }): TensorMap => ({
    ...map,
    ...(turned === undefined ? {} : { transposed: turned }),
    ...(pieces === undefined ? {} : { terms: pieces }),
  })),
);

/** Map of a residual, which TMA loads into the boxes of C. */
const residualMapSchema = v.strictObject({
  operand: v.picklist(EPILOGUE_OPERANDS),
  box: fields.box,
  swizzleBytes: fields.swizzleBytes,
});

export const tensorMapsSchema = v.pipe(
  v.strictObject({
    a: v.exactOptional(tensorMapSchema),
    b: v.exactOptional(tensorMapSchema),
    c: v.exactOptional(tensorMapSchema),
    residual: v.exactOptional(residualMapSchema),
    /** Second B of a gate. */
    gate: v.exactOptional(tensorMapSchema),
  }),
  v.readonly(),
);
export type TensorMaps = v.InferOutput<typeof tensorMapsSchema>;

const TENSOR_MAP_NAMES = [...OPERANDS, 'residual'] as const;

export interface TensorMapProblem {
  /** Path of the invalid field in the launch, such as `tensorMaps.a.box.0`. */
  readonly path: string;
  readonly reason: string;
}

export interface MapOwner {
  readonly problem: ResolvedProblem;
  readonly target: Target;
  readonly workspaceBytes?: number | undefined;
}

/** Returns the first violated constraint of a launch's tensor maps, or undefined. */
export function tensorMapProblem(
  launch: Pick<Launch, 'arguments' | 'tensorMaps'>,
  owner: MapOwner,
): TensorMapProblem | undefined {
  const { residual, ...maps } = launch.tensorMaps ?? {};
  const given: Readonly<Partial<Record<TensorMapName, MapOf>>> = {
    ...Object.fromEntries(
      MAPPED_OPERANDS.flatMap(name => {
        const map = maps[name];
        return map === undefined ? [] : [[name, { map, matrix: matrixOf(owner.problem, name) }]];
      }),
    ),
    ...(residual === undefined
      ? {}
      : { residual: { map: residual, matrix: matrixOf(owner.problem, residual.operand) } }),
  };
  for (const name of TENSOR_MAP_NAMES) {
    const role = TENSOR_MAP_ROLES[name];
    const map = given[name];
    const at = launch.arguments.findIndex(argument => [argument].flat().includes(role));
    if (at >= 0 && owner.target === 'wgsl') {
      return {
        path: `args.${at}`,
        reason: `${role} is a tensor map, which WGSL does not support.`,
      };
    }
    if (at >= 0 && map === undefined) {
      return {
        path: `args.${at}`,
        reason: `${role} requires tensorMaps.${name} with a box and a swizzle.`,
      };
    }
    if (map === undefined) continue;
    const wrong =
      at < 0
        ? { path: '', reason: `tensorMaps.${name} requires ${role} in args.` }
        : mapProblem(map, owner);
    if (wrong !== undefined) {
      const path = ['tensorMaps', name, wrong.path].filter(part => part !== '').join('.');
      return { path, reason: wrong.reason };
    }
  }
  return undefined;
}

/** A tensor map and the matrix that it describes; undefined if the problem lacks the operand. */
interface MapOf {
  readonly map: TensorMap;
  readonly matrix: MappedMatrix | undefined;
}

interface MappedMatrix {
  readonly dtype: DType;
  readonly layout: Layout;
  readonly rows: number;
  readonly columns: number;
}

const isOperandName = (name: OperandName | EpilogueName): name is OperandName =>
  (OPERANDS as readonly string[]).includes(name);

/** Returns a matrix that TMA accesses; undefined if the problem lacks the operand. */
export const matrixOf = (
  problem: ResolvedProblem,
  name: OperandName | EpilogueName | 'gate',
): MappedMatrix | undefined =>
  name === 'gate'
    ? gateOf(problem)
    : isOperandName(name)
      ? { ...problem[name], ...extent(problem, name) }
      : epilogueOperands(problem).find(each => each.name === name);

function mapProblem(
  { map, matrix }: MapOf,
  { problem, workspaceBytes = 0 }: MapOwner,
): TensorMapProblem | undefined {
  if (matrix === undefined)
    return { path: 'operand', reason: 'Expected an operand of problem.epilogue.' };
  const { box, swizzleBytes, workspaceOffset, transposed = false, ld, batchStride, dtype } = map;
  const { terms = 1 } = map;
  const [inner] = box;
  const elementBytes = DTYPE_BYTES[dtype ?? matrix.dtype];
  const matrices = problem.batch * terms;
  const rowBytes = inner * elementBytes;
  const no = (path: string, reason: string): TensorMapProblem => ({ path, reason });
  if (rowBytes % TENSOR_MAP_ALIGNMENT !== 0) {
    return no(
      'box.0',
      `Expected the row length of the box to be a multiple of ${TENSOR_MAP_ALIGNMENT} bytes, got ${rowBytes}.`,
    );
  }
  if (swizzleBytes > 0 && rowBytes > swizzleBytes) {
    return no(
      'box.0',
      `Expected a row length of at most ${swizzleBytes} bytes (the swizzle width), got ${rowBytes}.`,
    );
  }
  if (workspaceOffset === undefined) {
    const given = (['ld', 'batchStride', 'dtype', 'transposed'] as const).find(
      name => map[name] !== undefined,
    );
    return given === undefined
      ? undefined
      : no(given, `${given} describes a copy in the workspace and requires workspaceOffset.`);
  }
  if (ld === undefined)
    return no('workspaceOffset', 'A matrix in the workspace requires its leading dimension ld.');
  if (matrices > 1 && batchStride === undefined) {
    return no('workspaceOffset', 'A batch or several terms in the workspace require batchStride.');
  }
  if (workspaceOffset % TENSOR_MAP_ALIGNMENT !== 0) {
    return no(
      'workspaceOffset',
      `Expected a multiple of ${TENSOR_MAP_ALIGNMENT} bytes (TMA alignment), got ${workspaceOffset}.`,
    );
  }
  for (const [path, stride] of [
    ['ld', ld],
    ['batchStride', matrices > 1 ? batchStride : 0],
  ] as const) {
    if (((stride ?? 0) * elementBytes) % TENSOR_MAP_ALIGNMENT !== 0) {
      return no(
        path,
        `Expected a stride that is a multiple of ${TENSOR_MAP_ALIGNMENT} bytes, got ${stride} elements of ${elementBytes} bytes.`,
      );
    }
  }
  const { rows, columns } = matrix;
  const isRow = (matrix.layout === 'row') !== transposed;
  const [along, across] = isRow ? [columns, rows] : [rows, columns];
  if (ld < along)
    return no(
      'ld',
      `Expected ld to be at least ${along} elements (the length of a row), got ${ld}.`,
    );
  const elements = (matrices - 1) * (batchStride ?? 0) + (across - 1) * ld + along;
  const end = workspaceOffset + elements * elementBytes;
  return end > workspaceBytes
    ? no(
        'workspaceOffset',
        `The matrix ends at byte ${end}, beyond the workspace of ${workspaceBytes} bytes. Fix: increase workspaceBytes.`,
      )
    : undefined;
}
