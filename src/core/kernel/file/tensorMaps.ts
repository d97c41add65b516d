/**
 * Tensor maps: what Hopper's tensor memory accelerator (TMA) is told of a matrix beside its sizes and strides, and which of
 * them a launch may name (CUDA driver API, "cuTensorMapEncodeTiled"). A runner makes them; what its device says is not here.
 */
import * as v from 'valibot';
import { DTYPE_BYTES, DTYPES } from '../../types/dtype';
import { extent, OPERANDS, type OperandName, type ResolvedProblem } from '../../spec/resolved';
import type { Target } from '../../spec/schema';
import { TENSOR_MAP_ROLES, type Launch } from '../kernel';

/** Bytes of memory that TMA moves in one piece, to which its addresses and strides are aligned. */
export const TENSOR_MAP_ALIGNMENT = 16;
const MOST_BOX = 256;
/** Widths of the swizzle patterns, in bytes; 0: rows lie in shared memory as they are. */
export const SWIZZLES = [0, 32, 64, 128] as const;

/** More than any split has. */
const MOST_PIECES = 8;

const side = v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(MOST_BOX));
const natural = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const tensorMapSchema = v.strictObject({
  /** Elements of a tile: along the contiguous axis of the matrix, and across it. */
  box: v.pipe(v.tuple([side, side]), v.readonly()),
  swizzleBytes: v.picklist(SWIZZLES),
  /** Byte of the workspace from which on a launch before has laid the matrix anew, in the same layout or transposed. */
  workspaceOffset: v.exactOptional(natural),
  turned: v.exactOptional(v.literal(true)),
  /** Of the matrix there, in elements; the second where the problem has a batch. */
  ld: v.exactOptional(natural),
  batchStride: v.exactOptional(natural),
  /** Of what the launch before made of it: pieces of a shorter type, a matrix of each after the other. */
  dtype: v.exactOptional(v.picklist(DTYPES)),
  pieces: v.exactOptional(
    v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(MOST_PIECES)),
  ),
});

/** By operand. */
export const tensorMapsSchema = v.pipe(
  v.strictObject({
    a: v.exactOptional(tensorMapSchema),
    b: v.exactOptional(tensorMapSchema),
    c: v.exactOptional(tensorMapSchema),
  }),
  v.readonly(),
);
export type TensorMaps = v.InferOutput<typeof tensorMapsSchema>;
export type TensorMap = v.InferOutput<typeof tensorMapSchema>;

export interface TensorMapProblem {
  /** Within the launch, such as `tensorMaps.a.box.0`. */
  readonly path: string;
  readonly reason: string;
}

export interface MapOwner {
  readonly problem: ResolvedProblem;
  readonly target: Target;
  readonly workspaceBytes?: number | undefined;
}

/** The first thing that keeps the tensor maps of a launch from being made; undefined where they can be. */
export function tensorMapProblem(
  launch: Pick<Launch, 'arguments' | 'tensorMaps'>,
  owner: MapOwner,
): TensorMapProblem | undefined {
  const maps: Readonly<Partial<Record<OperandName, TensorMap>>> = launch.tensorMaps ?? {};
  for (const name of OPERANDS) {
    const role = TENSOR_MAP_ROLES[name];
    const map = maps[name];
    const at = launch.arguments.findIndex(argument => [argument].flat().includes(role));
    if (at >= 0 && owner.target === 'wgsl') {
      return { path: `args.${at}`, reason: `${role} is a tensor map, which WGSL does not have.` };
    }
    if (at >= 0 && map === undefined) {
      return {
        path: `args.${at}`,
        reason: `${role} needs the box and the swizzle of tensorMaps.${name}.`,
      };
    }
    if (map === undefined) continue;
    const wrong =
      at < 0 ? { path: '', reason: `No argument is ${role}.` } : mapProblem(map, name, owner);
    if (wrong !== undefined) {
      const path = ['tensorMaps', name, wrong.path].filter(part => part !== '').join('.');
      return { path, reason: wrong.reason };
    }
  }
  return undefined;
}

function mapProblem(
  map: TensorMap,
  name: OperandName,
  { problem, workspaceBytes = 0 }: MapOwner,
): TensorMapProblem | undefined {
  const { box, swizzleBytes, workspaceOffset, turned = false, ld, batchStride, dtype } = map;
  const { pieces = 1 } = map;
  const [inner] = box;
  const elementBytes = DTYPE_BYTES[dtype ?? problem[name].dtype];
  const matrices = problem.batch * pieces;
  const rowBytes = inner * elementBytes;
  const no = (path: string, reason: string): TensorMapProblem => ({ path, reason });
  if (rowBytes % TENSOR_MAP_ALIGNMENT !== 0) {
    return no(
      'box.0',
      `Rows of the box have ${rowBytes} bytes, and TMA moves multiples of ${TENSOR_MAP_ALIGNMENT}.`,
    );
  }
  if (swizzleBytes > 0 && rowBytes > swizzleBytes) {
    return no(
      'box.0',
      `Rows of the box have ${rowBytes} bytes, and a swizzle of ${swizzleBytes} bytes takes rows of as many at most.`,
    );
  }
  if (workspaceOffset === undefined) {
    const given = (['ld', 'batchStride', 'dtype', 'turned'] as const).find(
      name => map[name] !== undefined,
    );
    return given === undefined
      ? undefined
      : no(
          given,
          `${given} is that of a matrix in the workspace: workspaceOffset says where it lies.`,
        );
  }
  if (ld === undefined)
    return no('workspaceOffset', 'A matrix in the workspace needs its leading dimension, ld.');
  if (matrices > 1 && batchStride === undefined) {
    return no('workspaceOffset', 'Matrices of a batch in the workspace need their batchStride.');
  }
  if (workspaceOffset % TENSOR_MAP_ALIGNMENT !== 0) {
    return no('workspaceOffset', `TMA reads from multiples of ${TENSOR_MAP_ALIGNMENT} bytes.`);
  }
  for (const [path, stride] of [
    ['ld', ld],
    ['batchStride', matrices > 1 ? batchStride : 0],
  ] as const) {
    if (((stride ?? 0) * elementBytes) % TENSOR_MAP_ALIGNMENT !== 0) {
      return no(
        path,
        `TMA needs strides of a multiple of ${TENSOR_MAP_ALIGNMENT} bytes, and these are ${stride} elements of ${elementBytes}.`,
      );
    }
  }
  const { rows, columns } = extent(problem, name);
  const isRow = (problem[name].layout === 'row') !== turned;
  const [along, across] = isRow ? [columns, rows] : [rows, columns];
  if (ld < along)
    return no('ld', `Rows of ${along} elements do not fit into a leading dimension of ${ld}.`);
  const elements = (matrices - 1) * (batchStride ?? 0) + (across - 1) * ld + along;
  const end = workspaceOffset + elements * elementBytes;
  return end > workspaceBytes
    ? no(
        'workspaceOffset',
        `The matrix ends at byte ${end} of a workspace of ${workspaceBytes} bytes.`,
      )
    : undefined;
}
