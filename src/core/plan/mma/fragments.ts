/**
 * Fragments of `mma` on CUDA tensor cores, and how lanes load them. All instructions distribute
 * 32-bit words in the same way (PTX ISA, "Matrix Fragments for mma"). A word contains adjacent
 * elements along K of one row of A or column of B. In each block of 8 rows and 4 words, a lane
 * holds row lane / 4 and word lane % 4.
 */
import { DTYPE_BYTES } from '../../types/dtype';
import type { ResolvedSpec } from '../../spec/resolved';
import { NARROWEST_COPY_BYTES, WIDEST_BYTES } from '../simt/lanes';
import { hasAsynchronousCopies } from '../limits';
import { fp32EmulationOf } from '../fp32Emulation';
import type { FragmentOperand, FragmentPlan, MatrixPlan, Plan, Swizzle } from '../plan';

type Operand = 'a' | 'b';

export const WORD_BYTES = 4;
/** Number of rows in a matrix that ldmatrix loads (8 rows of 16 bytes). */
export const MATRIX_ROWS = 8;
/** Maximum number of matrices per ldmatrix instruction (PTX ISA, "ldmatrix"). */
export const MAX_MATRICES = 4;

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
  const emulation = fp32EmulationOf(schedule);
  return {
    stages: schedule.stages ?? 1,
    buffers: schedule.fragments ?? 1,
    copies: able && narrow === undefined ? 'asynchronous' : 'registers',
    ...(able && narrow !== undefined ? { tooNarrow: narrow } : {}),
    ...(emulation === undefined ? {} : { fp32Emulation: emulation }),
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
  const swizzle = schedule.swizzle === 'xor' ? swizzleOf(row, swizzleChunkBytes(load)) : undefined;
  return {
    words,
    load,
    together: fragmentsPerLoadOf(words, along),
    loads: Math.ceil(words / MAX_MATRICES),
    ...(swizzle === undefined ? {} : { swizzle }),
  };
}

/**
 * Returns the number of fragments that one load fills. It is limited by the number of matrices per
 * load and divides the number of fragments of the warp.
 */
function fragmentsPerLoadOf(words: number, along: number): number {
  let count = Math.max(1, Math.floor(MAX_MATRICES / words));
  while (count > 1 && along % count !== 0) count /= 2;
  return count;
}

/**
 * Returns the swizzle granularity in bytes: the row of an ldmatrix matrix, or the 8 words that
 * lanes read from one row.
 */
export const swizzleChunkBytes = (load: FragmentOperand['load']): number =>
  load === 'words' ? MATRIX_ROWS * WORD_BYTES : WIDEST_BYTES;

const BANK_BYTES = 128;

/**
 * Returns the swizzle that places equal chunks of consecutive rows in different banks; undefined if
 * no swizzle is possible.
 */
function swizzleOf(rowBytes: number, chunkBytes: number): Swizzle | undefined {
  const most = BANK_BYTES / chunkBytes;
  const chunks = rowBytes / chunkBytes;
  let ways = most;
  while (ways > 1 && chunks % ways !== 0) ways /= 2;
  return ways === 1 ? undefined : { rows: most / ways, ways };
}
