/**
 * Maps the matrix elements of tensor-core fragments to lanes and registers. The map covers A, B and
 * C for `mma`, but only C for `wgmma`, which reads A and B from shared memory.
 */
import { WARP_LANES } from '../hardware/warp';
import { WORD_BYTES } from '../plan/mma/fragments';
import {
  termsPerWord,
  operandPosition,
  termPosition,
  accumulatorPosition,
} from '../plan/mma/fragmentPositions';
import type { Fp32Emulation, MatrixShape, Plan } from '../plan/plan';
import type { WgmmaPlan } from '../plan/wgmma/wgmmaPlan';
import { DTYPE_BYTES } from '../types/dtype';
import { accumulatorPlace } from '../kernel/wgmma/layouts';

export interface Holder {
  /** Warp index in the warp group; 0 for `mma`, which a single warp executes. */
  readonly warp: number;
  readonly lane: number;
  readonly register: number;
  /** Bit offset of the element in the register. */
  readonly bit: number;
}

export interface FragmentMap {
  readonly matrix: 'A' | 'B' | 'C';
  readonly rows: number;
  readonly columns: number;
  readonly bits: number;
  /** Registers per lane. */
  readonly registers: number;
  /**
   * Dimension of C that the four warps of a warp group divide, 16 rows or columns per warp. Omitted
   * for `mma`.
   */
  readonly warpsAlong?: 'rows' | 'columns';
  /** Indexed by row, then column. */
  readonly holders: readonly (readonly Holder[])[];
}

const WORD_BITS = 8 * WORD_BYTES;
const GROUP_THREADS = 4 * WARP_LANES;

/**
 * Returns the fragment maps of a plan. The result is empty for SIMT kernels and for WGSL
 * subgroup-matrix kernels, whose mapping the driver hides.
 */
export function fragmentMaps(plan: Plan): readonly FragmentMap[] {
  switch (plan.family) {
    case 'simt':
    case 'subgroup-matrix':
      return [];
    case 'mma':
      return warpMaps({
        ...plan,
        shape: plan.matrix.shape,
        fp32Emulation: plan.fragments.fp32Emulation,
      });
    case 'wgmma':
      return plan.wgmma.instruction === 'mma'
        ? tmaMmaMaps(plan, plan.wgmma)
        : [warpGroupMap(plan.wgmma)];
  }
}

function warpGroupMap({ shape: { m, n }, operandOrder }: WgmmaPlan): FragmentMap {
  if (operandOrder === 'ab') {
    return ofGroup('rows', mapOf(extentOf('C', m, n, WORD_BYTES, GROUP_THREADS), accumulatorPlace));
  }
  // With swapped operands, rows of the instruction's result are columns of C.
  const swappedMap = mapOf(extentOf('C', n, m, WORD_BYTES, GROUP_THREADS), (thread, register) => {
    const { row, column } = accumulatorPlace(thread, register);
    return { row: column, column: row };
  });
  return ofGroup('columns', swappedMap);
}

interface WarpInstruction extends Pick<Plan, 'dtypes' | 'accumulator'> {
  readonly shape: MatrixShape;
  readonly fp32Emulation: Fp32Emulation | undefined;
}

/** With swapped operands, B is the first operand of the instruction, transposed. */
function tmaMmaMaps(
  { dtypes, accumulator }: Plan,
  { shape, operandOrder }: WgmmaPlan,
): readonly FragmentMap[] {
  const instruction = { shape, dtypes, accumulator, fp32Emulation: undefined };
  if (operandOrder === 'ab') return warpMaps(instruction);
  const swapped = { ...instruction, dtypes: { ...dtypes, a: dtypes.b, b: dtypes.a } };
  const [a, b, c] = warpMaps(swapped).map(transposedMap);
  return a === undefined || b === undefined || c === undefined
    ? []
    : [{ ...b, matrix: 'A' }, { ...a, matrix: 'B' }, c];
}

const transposedMap = (map: FragmentMap): FragmentMap => ({
  ...map,
  rows: map.columns,
  columns: map.rows,
  holders: Array.from({ length: map.columns }, (_, row) =>
    map.holders.flatMap(line => line.slice(row, row + 1)),
  ),
});

function warpMaps({
  shape,
  fp32Emulation,
  dtypes,
  accumulator,
}: WarpInstruction): readonly FragmentMap[] {
  const { m, n, k } = shape;
  const factorBytes = (operand: 'a' | 'b'): number =>
    DTYPE_BYTES[fp32Emulation?.dtype ?? dtypes[operand]];
  const placeOf = (operand: 'a' | 'b', lane: number, i: number) =>
    fp32Emulation === undefined
      ? operandPosition(operand, factorBytes(operand), lane, i)
      : termPosition(operand, termsPerWord(fp32Emulation), lane, i);
  return [
    mapOf(extentOf('A', m, k, factorBytes('a')), (lane, i) => {
      const { side, depth } = placeOf('a', lane, i);
      return { row: side, column: depth };
    }),
    mapOf(extentOf('B', k, n, factorBytes('b')), (lane, i) => {
      const { side, depth } = placeOf('b', lane, i);
      return { row: depth, column: side };
    }),
    mapOf(extentOf('C', m, n, DTYPE_BYTES[accumulator]), accumulatorPosition),
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

/**
 * Builds the map of one fragment. `placeOf` returns the row and column of a thread's i-th element.
 */
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
