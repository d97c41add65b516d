/**
 * Which lane holds which element of the matrices that tensor cores multiply, and in which of its registers: of `mma` the A, B and
 * C of an instruction, of `wgmma` C alone, whose A and B are read from shared memory.
 */
import { WARP_LANES } from '../hardware/warp';
import { WORD_BYTES } from '../plan/mma/fragments';
import { inWordOf, operandPlace, piecePlace, warpSumPlace } from '../plan/mma/fragmentPlaces';
import type { MmaPlan, Plan, WgmmaPlan } from '../plan/plan';
import { DTYPE_BYTES } from '../types/dtype';
import { sumPlace } from '../kernel/wgmma/layouts';

export interface Holder {
  /** Of the warp group; 0 of `mma`, whose instruction is a warp's. */
  readonly warp: number;
  readonly lane: number;
  /** Of 32 bits, of those that hold the matrix. */
  readonly register: number;
  /** The first bit of the element in it. */
  readonly bit: number;
}

export interface FragmentMap {
  readonly matrix: 'A' | 'B' | 'C';
  readonly rows: number;
  readonly columns: number;
  /** Of an element. */
  readonly bits: number;
  /** That each lane has of the matrix. */
  readonly registers: number;
  /** Of a warp group: along which side of C its warps share it out, 16 lines each; absent: it is one warp's. */
  readonly warpsAlong?: 'rows' | 'columns';
  /** Of each element, by row and column. */
  readonly holders: readonly (readonly Holder[])[];
}

const WORD_BITS = 8 * WORD_BYTES;
/** Of a warp group, whose four warps have an instruction of `wgmma` together. */
const GROUP_THREADS = 4 * WARP_LANES;

/** None where the driver keeps to itself who holds what (WGSL), or nothing is multiplied by matrices. */
export function fragmentMaps(plan: Plan): readonly FragmentMap[] {
  switch (plan.family) {
    case 'simt':
    case 'subgroup-matrix':
      return [];
    case 'mma':
      return warpMaps(plan);
    case 'wgmma':
      return [warpGroupMap(plan.wgmma)];
  }
}

function warpGroupMap({ shape: { m, n }, operandOrder }: WgmmaPlan): FragmentMap {
  if (operandOrder === 'ab') {
    return ofGroup('rows', mapOf(extentOf('C', m, n, WORD_BYTES, GROUP_THREADS), sumPlace));
  }
  // Rows of the instruction are columns of C.
  const turned = mapOf(extentOf('C', n, m, WORD_BYTES, GROUP_THREADS), (thread, register) => {
    const { row, column } = sumPlace(thread, register);
    return { row: column, column: row };
  });
  return ofGroup('columns', turned);
}

function warpMaps({ matrix, fragments, dtypes, accumulator }: MmaPlan): readonly FragmentMap[] {
  const { pieces } = fragments;
  const { m, n, k } = matrix.shape;
  const factorBytes = (operand: 'a' | 'b'): number => DTYPE_BYTES[pieces?.dtype ?? dtypes[operand]];
  const placeOf = (operand: 'a' | 'b', lane: number, i: number) =>
    pieces === undefined
      ? operandPlace(operand, factorBytes(operand), lane, i)
      : piecePlace(operand, inWordOf(pieces), lane, i);
  return [
    mapOf(extentOf('A', m, k, factorBytes('a')), (lane, i) => {
      const { side, depth } = placeOf('a', lane, i);
      return { row: side, column: depth };
    }),
    mapOf(extentOf('B', k, n, factorBytes('b')), (lane, i) => {
      const { side, depth } = placeOf('b', lane, i);
      return { row: depth, column: side };
    }),
    mapOf(extentOf('C', m, n, DTYPE_BYTES[accumulator]), warpSumPlace),
  ];
}

const ofGroup = (warpsAlong: 'rows' | 'columns', map: FragmentMap): FragmentMap => ({
  ...map,
  warpsAlong,
});

const extentOf = (
  matrix: FragmentMap['matrix'],
  rows: number,
  columns: number,
  bytes: number,
  threads: number = WARP_LANES,
): Extent => ({ matrix, rows, columns, bits: 8 * bytes, threads });

interface Extent extends Pick<FragmentMap, 'matrix' | 'rows' | 'columns' | 'bits'> {
  readonly threads: number;
}

/** `placeOf` the i-th element of a thread. */
function mapOf(
  { threads, ...extent }: Extent,
  placeOf: (thread: number, i: number) => { readonly row: number; readonly column: number },
): FragmentMap {
  const { rows, columns, bits } = extent;
  const each = (rows * columns) / threads;
  const holders = Array.from({ length: rows }, () => new Array<Holder>(columns));
  for (let thread = 0; thread < threads; thread++) {
    for (let i = 0; i < each; i++) {
      const { row, column } = placeOf(thread, i);
      const holder: Holder = {
        warp: Math.floor(thread / WARP_LANES),
        lane: thread % WARP_LANES,
        register: Math.floor((i * bits) / WORD_BITS),
        bit: (i * bits) % WORD_BITS,
      };
      holders[row]?.splice(column, 1, holder);
    }
  }
  return { ...extent, registers: (each * bits) / WORD_BITS, holders };
}
