/** Fragments of `mma` on CUDA: the position of a lane, loads from shared memory, and MMAs. */
import { WARP_LANES } from '../../../hardware/warp';
import { add, constant, div, int, mod, mul, variable } from '../../ir/expr';
import type { Expr, RegisterElement, SharedArray, SharedElement, Statement } from '../../ir/ir';
import { termsPerWord, LANE_WORDS, loadedBlock } from '../../../plan/mma/fragmentPositions';
import { MATRIX_ROWS, MAX_MATRICES } from '../../../plan/mma/fragments';
import type { MmaPlan } from '../../../plan/plan';
import { DTYPE_BYTES } from '../../../types/dtype';
import { chunkOf, swizzleOf } from './fragmentStaging';
import { blockPosition } from '../simt/lanes';
import { BLANK, comment, declare, forLoop } from '../loops';
import { MATRICES, SCRATCH, SHAPE, SIDES } from './matrices';
import { copyStarts } from './matrixStaging';
import * as name from '../names';
import { assign, siteAt, type At } from '../staging';

type Operand = 'a' | 'b';
const OPERANDS = ['a', 'b'] as const;
const WARP_TILE = { m: constant('WM'), n: constant('WN') } as const;
export const [warp, lane] = [variable('warp'), variable('lane')];
export const FIRST = { a: variable('warpRow'), b: variable('warpCol') } as const;
/** Variables with this lane's position in the tile: along M or N, and along K. */
const START = {
  a: { side: 'laneRow', depth: 'laneKA' },
  b: { side: 'laneCol', depth: 'laneKB' },
} as const;

export function fragmentPosition(plan: MmaPlan): readonly Statement[] {
  const across = div(name.BN, WARP_TILE.n);
  const tid = { op: 'threadIdx', axis: 'x' } as const;
  return [
    ...blockPosition(plan),
    declare('warp', div(tid, int(WARP_LANES))),
    declare('lane', mod(tid, int(WARP_LANES))),
    declare('warpRow', mul(div(warp, across), WARP_TILE.m)),
    declare('warpCol', mul(mod(warp, across), WARP_TILE.n)),
    ...copyStarts(plan),
    comment(
      OPERANDS.every(operand => plan.fragments[operand].load !== 'words')
        ? 'ldmatrix: each lane supplies the address of one 16-byte row of an 8 x 8 matrix; lanes 8 j to 8 j + 7 address matrix j.'
        : 'ldmatrix: each lane supplies the address of one 16-byte row of an 8 x 8 matrix. Operands that ldmatrix cannot load are loaded element by element.',
    ),
    ...OPERANDS.flatMap(operand => lanePosition(plan, operand)),
  ];
}

/**
 * Returns the 8-row block and 16-byte block of matrix j of an ldmatrix; lane i + 8 j supplies the
 * address of its row i.
 */
function blockOf(plan: MmaPlan, operand: Operand): Readonly<Record<'side' | 'depth', Expr>> {
  const { fp32Emulation, ...fragments } = plan.fragments;
  const { words, together, loads } = fragments[operand];
  const [low, high] = [mod(div(lane, int(8)), int(2)), div(lane, int(16))];
  const count = (words * together) / loads;
  // With fewer than four matrices, the remaining lanes repeat the addresses of other lanes.
  const each = count === 4 ? div(lane, int(8)) : count === 2 ? low : int(0);
  if (operand === 'a') {
    if (words < 4) return { side: each, depth: int(0) };
    return termsPerWord(fp32Emulation) === 1
      ? { side: low, depth: high }
      : { side: high, depth: low };
  }
  if (words === 1) return { side: each, depth: int(0) };
  if (words === 4) return { side: int(0), depth: each };
  return { side: count === 4 ? high : int(0), depth: low };
}

/**
 * Returns this lane's position in the block of the tile that its warp loads with one instruction.
 */
function lanePlace(plan: MmaPlan, operand: Operand): Readonly<Record<'side' | 'depth', Expr>> {
  if (plan.fragments[operand].load === 'words')
    return { side: div(lane, int(4)), depth: mod(lane, int(4)) };
  const block = blockOf(plan, operand);
  const row = mod(lane, int(MATRIX_ROWS));
  const side = mul(block.side, int(MATRIX_ROWS));
  const k = mul(block.depth, int(chunkOf(plan, operand)));
  return plan.fragments[operand].load === 'rows'
    ? { side: add(side, row), depth: k }
    : { side, depth: add(k, row) };
}

function lanePosition(plan: MmaPlan, operand: Operand): readonly Statement[] {
  const { side, depth: k } = lanePlace(plan, operand);
  const rows = plan.fragments[operand].load === 'words' ? LANE_WORDS : MATRIX_ROWS;
  const turn = swizzleOf(plan, operand, mod(lane, int(rows)));
  return [
    declare(START[operand].side, add(FIRST[operand], side)),
    ...(isNothing(k) ? [] : [declare(START[operand].depth, k)]),
    ...(turn === undefined ? [] : [declare(swizzleName(operand), turn)]),
  ];
}

const isNothing = (expr: Expr): boolean => expr.op === 'int' && expr.value === 0;

const swizzleName = (operand: Operand): string => `swizzle${operand.toUpperCase()}`;

export function fragmentArrays(plan: MmaPlan): readonly SharedArray[] {
  const matrix = plan.matrix;
  const { stages } = plan.fragments;
  const staged = OPERANDS.map((operand): SharedArray => {
    const [rows, columns] = name.tileExtent(operand);
    const [outer, inner] = name.ordered(plan, operand, rows, columns);
    const padding = plan.shared[operand].padding;
    return {
      name: `${operand.toUpperCase()}s`,
      dtype: plan.dtypes[operand],
      vector: chunkOf(plan, operand),
      ...(stages === 1 ? {} : { stages: constant('STAGES') }),
      outer,
      inner: padding > 0 ? add(inner, constant(`PAD_${operand.toUpperCase()}`)) : inner,
    };
  });
  const { lines = 0 } = matrix.scratch ?? {};
  const along = plan.spec.problem.c.layout === 'row' ? WARP_TILE.n : WARP_TILE.m;
  return [
    ...staged,
    {
      name: SCRATCH,
      dtype: plan.accumulator,
      vector: 16 / DTYPE_BYTES[plan.accumulator],
      outer: mul(div(name.THREADS, int(WARP_LANES)), lines === matrix.shape.m ? SHAPE.m : SHAPE.n),
      inner: add(along, constant('PAD_C')),
    },
  ];
}

export const elementsPerLane = (plan: MmaPlan, operand: Operand): number =>
  (plan.fragments[operand].words * 4) / DTYPE_BYTES[plan.dtypes[operand]];

/** Number of accumulators per lane and MMA: two adjacent columns in each of two rows. */
export const ACCUMULATORS_PER_MMA = 4;

export function zeroFragments(plan: MmaPlan): readonly Statement[] {
  const { buffers, copies, fp32Emulation } = plan.fragments;
  const fragment = (operand: Operand): Statement => ({
    op: 'registers',
    name: name.FRAGMENT[operand],
    dtype: plan.dtypes[operand],
    shape: [
      ...(buffers === 1 ? [] : [int(buffers)]),
      MATRICES[SIDES[operand]],
      int(elementsPerLane(plan, operand)),
    ],
    zeroed: false,
    // Elements that are split into terms are stored unpacked.
    ...(fp32Emulation === undefined ? { packed: true as const } : {}),
  });
  const next = (operand: Operand): Statement => {
    const label = operand.toUpperCase();
    const { width } = plan.matrix[operand];
    return {
      op: 'registers',
      name: `next${label}`,
      dtype: plan.dtypes[operand],
      shape: [constant(`LOADS_${label}`), int(width)],
      zeroed: false,
      vector: width,
    };
  };
  return [
    comment(
      `Registers: ${ACCUMULATORS_PER_MMA} accumulators per MMA and lane, and ${buffers === 1 ? '' : 'double-buffered '}fragments of A and B.`,
    ),
    {
      op: 'registers',
      name: name.ACCUMULATOR,
      dtype: plan.accumulator,
      shape: [MATRICES.m, MATRICES.n, int(ACCUMULATORS_PER_MMA)],
      zeroed: true,
      vector: 2,
    },
    ...OPERANDS.map(fragment),
    ...(copies === 'registers' ? OPERANDS.map(next) : []),
    BLANK,
  ];
}

export const matrixAt = (
  operand: Operand,
  index: Expr,
  buffer?: Expr,
  element: Expr = int(0),
): RegisterElement => ({
  op: 'register',
  name: name.FRAGMENT[operand],
  index: [...(buffer === undefined ? [] : [buffer]), index, element],
});

/** A k-step of a tile, and the index of its fragment buffer if fragments are double-buffered. */
export interface KStep {
  readonly at: At;
  readonly depth: Expr;
  readonly buffer?: Expr;
}

export function loadFragments(
  plan: MmaPlan,
  operand: Operand,
  loaded: KStep,
): readonly Statement[] {
  const { at, depth: k, buffer } = loaded;
  const { together, words, loads, load } = plan.fragments[operand];
  const { shape } = plan.matrix;
  const side = SIDES[operand];
  const index = variable(side);
  if (load === 'words') return loadWords(plan, operand, loaded);
  const count = (words * together) / loads;
  if (count !== 1 && count !== 2 && count !== 4)
    throw new Error(`ldmatrix cannot load ${count} matrices`);
  return [
    forLoop(
      side,
      MATRICES[side],
      Array.from({ length: loads }, (_, i) => ({
        op: 'loadRows',
        place: matrixAt(operand, index, buffer, int(MAX_MATRICES * i)),
        from: rowOf(plan, operand, { at, index, depth: add(k, int((i * shape.k) / loads)) }),
        matrices: count,
        transposed: load === 'columns',
      })),
      { step: int(together), unroll: true },
    ),
  ];
}

/**
 * Loads 32-bit elements that are not K-contiguous. ldmatrix cannot transpose them, so each lane
 * loads its elements.
 */
function loadWords(
  plan: MmaPlan,
  operand: Operand,
  { at, depth: k, buffer }: KStep,
): readonly Statement[] {
  const side = SIDES[operand];
  const index = variable(side);
  const { fp32Emulation, ...fragments } = plan.fragments;
  const words = Array.from({ length: fragments[operand].words }, (_, word) => {
    const block = loadedBlock(operand, termsPerWord(fp32Emulation), word);
    const value = rowOf(plan, operand, {
      at,
      index,
      beside: int(MATRIX_ROWS * block.side),
      depth: add(k, int(LANE_WORDS * block.depth)),
    });
    const place = matrixAt(operand, index, buffer, int(word));
    return assign(place, name.converted(value, 'f32', plan.dtypes[operand]));
  });
  return [forLoop(side, MATRICES[side], words, { unroll: true })];
}

interface Row {
  readonly at: At;
  readonly depth: Expr;
  readonly index: Expr;
  /** Offset along M or N. */
  readonly beside?: Expr;
}

function rowOf(
  plan: MmaPlan,
  operand: Operand,
  { at, depth: k, index, beside: offset = int(0) }: Row,
): SharedElement {
  const start = START[operand];
  const along = add(add(variable(start.side), mul(index, SHAPE[SIDES[operand]])), offset);
  const isFirst = isNothing(lanePlace(plan, operand).depth);
  const deep = isFirst ? k : add(variable(start.depth), k);
  const [row, column] = operand === 'a' ? [along, deep] : [deep, along];
  const site = siteAt(`${operand.toUpperCase()}s fragment load`, operand, at);
  const element = name.sharedElement(plan, { operand, row, column, site });
  const { swizzle } = plan.fragments[operand];
  return {
    ...element,
    ...(at.stage === undefined ? {} : { stage: at.stage }),
    ...(swizzle === undefined
      ? {}
      : { inner: { op: '^', left: element.inner, right: variable(swizzleName(operand)) } }),
  };
}

export function multiplyFragments(buffer?: Expr): readonly Statement[] {
  const [m, n] = [variable('m'), variable('n')];
  const multiply: Statement = {
    op: 'multiplyFragments',
    place: accumulatorAt(m, n, int(0)),
    left: matrixAt('a', m, buffer),
    right: matrixAt('b', n, buffer),
  };
  const unroll = true;
  return [forLoop('m', MATRICES.m, [forLoop('n', MATRICES.n, [multiply], { unroll })], { unroll })];
}

export const accumulatorAt = (m: Expr, n: Expr, i: Expr): RegisterElement => ({
  op: 'register',
  name: name.ACCUMULATOR,
  index: [m, n, i],
});
