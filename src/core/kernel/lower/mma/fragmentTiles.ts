/** `mma` of CUDA: what each lane of a warp holds of its matrices, how it loads it, and their products. */
import { WARP_LANES } from '../../../hardware/warp';
import { add, constant, div, int, mod, mul, variable } from '../../ir/expr';
import type { Expr, RegisterElement, SharedArray, SharedElement, Statement } from '../../ir/ir';
import { inWordOf, LANE_WORDS, loadedBlock } from '../../../plan/mma/fragmentPlaces';
import { MATRIX_ROWS, MOST_MATRICES } from '../../../plan/mma/fragments';
import type { MmaPlan } from '../../../plan/plan';
import { DTYPE_BYTES } from '../../../types/dtype';
import { chunkOf, turnOf } from './fragmentStaging';
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
/** Where this lane's row of a matrix begins: along the tile's side, and along its depth. */
const START = {
  a: { side: 'laneRow', depth: 'laneDepthA' },
  b: { side: 'laneCol', depth: 'laneDepthB' },
} as const;

/** Declarations at the top of the kernel. */
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
        ? 'The row of 16 bytes that this lane names when its warp loads matrices of 8 rows.'
        : 'The row of 16 bytes that this lane names, or its own element, when its warp loads matrices of 8 rows.',
    ),
    ...OPERANDS.flatMap(operand => lanePosition(plan, operand)),
  ];
}

/** Which block of 8 along the side, and of 16 bytes along the depth, matrix j is: lane i + 8 j names its row i. */
function blockOf(plan: MmaPlan, operand: Operand): Readonly<Record<'side' | 'depth', Expr>> {
  const { pieces, ...fragments } = plan.fragments;
  const { words, together, loads } = fragments[operand];
  const [low, high] = [mod(div(lane, int(8)), int(2)), div(lane, int(16))];
  const count = (words * together) / loads;
  // The second half of the lanes names what the first does where there is nothing else.
  const each = count === 4 ? div(lane, int(8)) : count === 2 ? low : int(0);
  if (operand === 'a') {
    if (words < 4) return { side: each, depth: int(0) };
    return inWordOf(pieces) === 1 ? { side: low, depth: high } : { side: high, depth: low };
  }
  if (words === 1) return { side: each, depth: int(0) };
  if (words === 4) return { side: int(0), depth: each };
  return { side: count === 4 ? high : int(0), depth: low };
}

/** Where the row of this lane lies in the part of a tile that its warp multiplies at a time. */
function lanePlace(plan: MmaPlan, operand: Operand): Readonly<Record<'side' | 'depth', Expr>> {
  if (plan.fragments[operand].load === 'words')
    return { side: div(lane, int(4)), depth: mod(lane, int(4)) };
  const block = blockOf(plan, operand);
  const row = mod(lane, int(MATRIX_ROWS));
  const side = mul(block.side, int(MATRIX_ROWS));
  const depth = mul(block.depth, int(chunkOf(plan, operand)));
  return plan.fragments[operand].load === 'rows'
    ? { side: add(side, row), depth }
    : { side, depth: add(depth, row) };
}

function lanePosition(plan: MmaPlan, operand: Operand): readonly Statement[] {
  const { side, depth } = lanePlace(plan, operand);
  const rows = plan.fragments[operand].load === 'words' ? LANE_WORDS : MATRIX_ROWS;
  const turn = turnOf(plan, operand, mod(lane, int(rows)));
  return [
    declare(START[operand].side, add(FIRST[operand], side)),
    ...(isNothing(depth) ? [] : [declare(START[operand].depth, depth)]),
    ...(turn === undefined ? [] : [declare(turned(operand), turn)]),
  ];
}

const isNothing = (expr: Expr): boolean => expr.op === 'int' && expr.value === 0;

const turned = (operand: Operand): string => `turn${operand.toUpperCase()}`;

/** The tiles of each stage as they lie in global memory, row after row, and what sums go through. */
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

/** Elements that a lane holds of a matrix. */
export const held = (plan: MmaPlan, operand: Operand): number =>
  (plan.fragments[operand].words * 4) / DTYPE_BYTES[plan.dtypes[operand]];

/** Sums of two neighbours in each of two rows. */
export const SUMS = 4;

/** Sums, the fragments of a depth or of two, and registers for the next tile where it waits in them. */
export function zeroFragments(plan: MmaPlan): readonly Statement[] {
  const { buffers, copies, pieces } = plan.fragments;
  const fragment = (operand: Operand): Statement => ({
    op: 'registers',
    name: name.FRAGMENT[operand],
    dtype: plan.dtypes[operand],
    shape: [
      ...(buffers === 1 ? [] : [int(buffers)]),
      MATRICES[SIDES[operand]],
      int(held(plan, operand)),
    ],
    zeroed: false,
    // Numbers that pieces are made of stay numbers.
    ...(pieces === undefined ? { packed: true as const } : {}),
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
    {
      op: 'registers',
      name: name.ACCUMULATOR,
      dtype: plan.accumulator,
      shape: [MATRICES.m, MATRICES.n, int(SUMS)],
      zeroed: true,
      vector: 2,
    },
    ...OPERANDS.map(fragment),
    ...(copies === 'registers' ? OPERANDS.map(next) : []),
    BLANK,
  ];
}

/** One of the matrices of a depth: the first, or another element that this lane holds. */
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

/** Of a tile, a depth and, where there are two, a buffer of fragments. */
export interface Depth {
  readonly at: At;
  readonly depth: Expr;
  readonly buffer?: Expr;
}

/** The matrices of a depth, along the warp's side. */
export function loadFragments(
  plan: MmaPlan,
  operand: Operand,
  loaded: Depth,
): readonly Statement[] {
  const { at, depth, buffer } = loaded;
  const { together, words, loads, load } = plan.fragments[operand];
  const { shape } = plan.matrix;
  const side = SIDES[operand];
  const index = variable(side);
  if (load === 'words') return loadWords(plan, operand, loaded);
  const count = (words * together) / loads;
  if (count !== 1 && count !== 2 && count !== 4) throw new Error(`no load of ${count} matrices`);
  return [
    forLoop(
      side,
      MATRICES[side],
      Array.from({ length: loads }, (_, i) => ({
        op: 'loadRows',
        place: matrixAt(operand, index, buffer, int(MOST_MATRICES * i)),
        from: rowOf(plan, operand, { at, index, depth: add(depth, int((i * shape.k) / loads)) }),
        matrices: count,
        turned: load === 'columns',
      })),
      { step: int(together), unroll: true },
    ),
  ];
}

/** Elements of 32 bits across the depth, which no load turns over: each lane its own, rounded on the way. */
function loadWords(
  plan: MmaPlan,
  operand: Operand,
  { at, depth, buffer }: Depth,
): readonly Statement[] {
  const side = SIDES[operand];
  const index = variable(side);
  const { pieces, ...fragments } = plan.fragments;
  const words = Array.from({ length: fragments[operand].words }, (_, word) => {
    const block = loadedBlock(operand, inWordOf(pieces), word);
    const value = rowOf(plan, operand, {
      at,
      index,
      beside: int(MATRIX_ROWS * block.side),
      depth: add(depth, int(LANE_WORDS * block.depth)),
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
  /** Elements further along the side. */
  readonly beside?: Expr;
}

function rowOf(
  plan: MmaPlan,
  operand: Operand,
  { at, depth, index, beside = int(0) }: Row,
): SharedElement {
  const start = START[operand];
  const along = add(add(variable(start.side), mul(index, SHAPE[SIDES[operand]])), beside);
  const isFirst = isNothing(lanePlace(plan, operand).depth);
  const deep = isFirst ? depth : add(variable(start.depth), depth);
  const [row, column] = operand === 'a' ? [along, deep] : [deep, along];
  const site = siteAt(`${operand.toUpperCase()}s fragment load`, operand, at);
  const element = name.sharedElement(plan, { operand, row, column, site });
  const { swizzle } = plan.fragments[operand];
  return {
    ...element,
    ...(at.stage === undefined ? {} : { stage: at.stage }),
    ...(swizzle === undefined
      ? {}
      : { inner: { op: '^', left: element.inner, right: variable(turned(operand)) } }),
  };
}

export function multiplyFragments(buffer?: Expr): readonly Statement[] {
  const [m, n] = [variable('m'), variable('n')];
  const multiply: Statement = {
    op: 'multiplyFragments',
    place: sumAt(m, n, int(0)),
    left: matrixAt('a', m, buffer),
    right: matrixAt('b', n, buffer),
  };
  const unroll = true;
  return [forLoop('m', MATRICES.m, [forLoop('n', MATRICES.n, [multiply], { unroll })], { unroll })];
}

export const sumAt = (m: Expr, n: Expr, i: Expr): RegisterElement => ({
  op: 'register',
  name: name.ACCUMULATOR,
  index: [m, n, i],
});
