/**
 * `mma` on tensor cores of CUDA: what each lane of a warp holds of a matrix, and how it comes by it. All instructions deal
 * 32-bit words alike (PTX ISA, "Matrix Fragments for mma"): a word is elements of one row of A or column of B, a lane's row
 * is lane / 4 and its word along the depth lane % 4, in blocks of 8 rows and 4 words.
 */
import { DTYPE_BYTES } from '../../types/dtype';
import type { ResolvedSpec } from '../../spec/resolved';
import { NARROWEST_COPY_BYTES, WIDEST_BYTES } from '../simt/lanes';
import { hasAsynchronousCopies } from '../limits';
import { piecesOf } from '../pieces';
import type { FragmentOperand, FragmentPlan, MatrixPlan, Plan, Swizzle } from '../plan';

type Operand = 'a' | 'b';

export const WORD_BYTES = 4;
/** Rows of the matrices that one load takes together; of 16 bytes each. */
export const MATRIX_ROWS = 8;
/** Matrices that one load moves at most (PTX ISA, "ldmatrix"). */
export const MOST_MATRICES = 4;

interface Given {
  readonly spec: ResolvedSpec;
  readonly tile: Plan['tile'];
  readonly matrix: MatrixPlan;
}

export function fragmentPlan(given: Given): FragmentPlan {
  const { spec, matrix } = given;
  const { problem, schedule } = spec;
  const narrow = (['a', 'b'] as const)
    .map(operand => ({
      operand,
      bytes: matrix[operand].width * DTYPE_BYTES[problem[operand].dtype],
    }))
    .find(({ bytes }) => bytes < NARROWEST_COPY_BYTES);
  const able = hasAsynchronousCopies(spec);
  const pieces = piecesOf(schedule);
  return {
    stages: schedule.stages ?? 1,
    buffers: schedule.fragments ?? 1,
    copies: able && narrow === undefined ? 'asynchronous' : 'registers',
    ...(able && narrow !== undefined ? { tooNarrow: narrow } : {}),
    ...(pieces === undefined ? {} : { pieces }),
    a: operandOf(given, 'a'),
    b: operandOf(given, 'b'),
  };
}

function operandOf({ spec, tile, matrix }: Given, operand: Operand): FragmentOperand {
  const { problem, schedule } = spec;
  const { warp, shape } = matrix;
  const { layout, dtype } = problem[operand];
  const bytes = DTYPE_BYTES[dtype];
  const deep = (operand === 'a') === (layout === 'row');
  const blocks = (operand === 'a' ? shape.m : shape.n) / MATRIX_ROWS;
  const words = (blocks * shape.k * bytes) / WIDEST_BYTES;
  const along = operand === 'a' ? warp.m / shape.m : warp.n / shape.n;
  const row = (deep ? tile.k : operand === 'a' ? tile.m : tile.n) * bytes;
  const load = deep ? 'rows' : bytes === WORD_BYTES ? 'words' : 'columns';
  const swizzle = schedule.swizzle === 'xor' ? swizzleOf(row, turnedBytes(load)) : undefined;
  return {
    words,
    load,
    together: togetherOf(words, along),
    loads: Math.ceil(words / MOST_MATRICES),
    ...(swizzle === undefined ? {} : { swizzle }),
  };
}

/** Fragments that one load fills: as many as it has matrices for, and as divide those of a warp. */
function togetherOf(words: number, along: number): number {
  let count = Math.max(1, Math.floor(MOST_MATRICES / words));
  while (count > 1 && along % count !== 0) count /= 2;
  return count;
}

/** What rows exchange: chunks as loads of matrices read them, or what 8 lanes read of a row word by word. */
export const turnedBytes = (load: FragmentOperand['load']): number =>
  load === 'words' ? MATRIX_ROWS * WORD_BYTES : WIDEST_BYTES;

const BANK_BYTES = 128;

/** So that rows that follow each other have the same chunk of a row in different banks; none where they have anyway. */
function swizzleOf(rowBytes: number, chunkBytes: number): Swizzle | undefined {
  const most = BANK_BYTES / chunkBytes;
  const chunks = rowBytes / chunkBytes;
  let ways = most;
  while (ways > 1 && chunks % ways !== 0) ways /= 2;
  return ways === 1 ? undefined : { rows: most / ways, ways };
}
