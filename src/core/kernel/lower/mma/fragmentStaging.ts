/**
 * Staging of `mma` on CUDA: tiles are copied to shared memory in the layout of global memory. An
 * optional XOR swizzle permutes chunks of 16 bytes (32 bytes for operands that ldmatrix does not
 * load) to avoid bank conflicts.
 */
import { add, constant, div, int, min, mod, mul, sub, variable, xor } from '../../ir/expr';
import type { Expr, GlobalElement, SharedElement, Statement } from '../../ir/ir';
import type { FragmentOperand, MmaPlan } from '../../../plan/plan';
import { WIDEST_BYTES } from '../../../plan/simt/lanes';
import { swizzleChunkBytes } from '../../../plan/mma/fragments';
import { DTYPE_BYTES } from '../../../types/dtype';
import { widthOf } from '../simt/lanes';
import { forLoop } from '../loops';
import { forEachWord, fetched, rowsPerPass, startOf, wordsOf, type Placed } from './matrixStaging';
import * as name from '../names';
import { assign, siteAt, type At } from '../staging';

type Operand = 'a' | 'b';

/** Returns the number of elements in a 16-byte chunk. */
export const chunkOf = (plan: MmaPlan, operand: Operand): number =>
  WIDEST_BYTES / DTYPE_BYTES[plan.dtypes[operand]];

/** Returns the XOR mask of the swizzle for a row, in elements; undefined without a swizzle. */
export const swizzleOf = (plan: MmaPlan, operand: Operand, row: Expr): Expr | undefined => {
  const { swizzle, load }: FragmentOperand = plan.fragments[operand];
  if (swizzle === undefined) return undefined;
  const ways = constant(`SWIZZLE_${operand.toUpperCase()}`);
  const chunk = swizzleChunkBytes(load) / DTYPE_BYTES[plan.dtypes[operand]];
  return mul(mod(div(row, int(swizzle.rows)), ways), int(chunk));
};

export function stageWords(plan: MmaPlan, operand: Operand, at: At): readonly Statement[] {
  return forEachWord(plan, operand, place => copyWord(plan, operand, at, place));
}

/** Copies the vectors of a tile that belong to one k-step; `share` is the index of the k-step. */
export function copiesOfKStep(
  plan: MmaPlan,
  operand: Operand,
  at: At,
  share: Expr,
): readonly Statement[] {
  const size = copiesPerKStep(plan, operand);
  return forEachWord(plan, operand, place => copyWord(plan, operand, at, place), { share, size });
}

/**
 * Returns the number of vectors that a thread copies per k-step. It divides the number of vectors
 * per thread and tile, so that all k-steps but the last can share the copies.
 */
export function copiesPerKStep(plan: MmaPlan, operand: Operand): number {
  const { shape } = plan.matrix;
  const loads = wordsOf(plan, operand);
  let share = Math.ceil(loads / Math.max(1, plan.tile.k / shape.k - 1));
  while (loads % share !== 0) share++;
  return share;
}

function copyWord(plan: MmaPlan, operand: Operand, at: At, place: Placed): readonly Statement[] {
  const { width } = plan.matrix[operand];
  const to = (): SharedElement => shared(plan, operand, at, place);
  const copy = assign(to(), global(plan, operand, at, place), width);
  const asynchronous = plan.fragments.copies === 'asynchronous';
  const transfer: Statement = asynchronous ? { ...copy, asynchronous: true } : copy;
  if (at.edge !== 'front') return [transfer];
  const depth = add(at.k0, operand === 'a' ? place.column : place.row);
  const condition = [{ left: at.skip ?? int(0), right: depth, orEqual: true as const }];
  return [{ op: 'if', condition, body: [transfer], otherwise: [cleared(to(), width)] }];
}

function cleared(to: SharedElement, width: number): Statement {
  const zero = { op: 'zero' } as const;
  if (width === 1) return assign(to, zero);
  const j = variable('j');
  return forLoop('j', int(width), [assign({ ...to, inner: add(to.inner, j) }, zero)], {
    unroll: true,
  });
}

export function fetchNext(plan: MmaPlan, operand: Operand, at: At): readonly Statement[] {
  const { width } = plan.matrix[operand];
  return forEachWord(plan, operand, place => [
    assign(fetched(operand), global(plan, operand, at, place), width),
  ]);
}

export function storeNext(plan: MmaPlan, operand: Operand, at: At): readonly Statement[] {
  const { width } = plan.matrix[operand];
  return forEachWord(plan, operand, place => [
    assign(shared(plan, operand, at, place), fetched(operand), width),
  ]);
}

function shared(plan: MmaPlan, operand: Operand, at: At, { row, column }: Placed): SharedElement {
  const site = siteAt(`${operand.toUpperCase()}s store`, operand, at);
  const element = name.sharedElement(plan, { operand, row, column, site });
  const turn = swizzleOf(plan, operand, swizzleRow(plan, operand, element.outer));
  return {
    ...element,
    ...(turn === undefined ? {} : { inner: xor(element.inner, turn) }),
    ...(at.stage === undefined ? {} : { stage: at.stage }),
  };
}

/**
 * Returns the row that determines the swizzle: the thread's first row if all its rows have the same
 * swizzle, otherwise the given row.
 */
function swizzleRow(plan: MmaPlan, operand: Operand, row: Expr): Expr {
  const { swizzle } = plan.fragments[operand];
  const lines = rowsPerPass(plan, operand);
  const isSame =
    swizzle !== undefined && lines !== undefined && lines % (swizzle.rows * swizzle.ways) === 0;
  return isSame ? variable(startOf(plan, operand)[0]) : row;
}

/**
 * Returns the element to load. Rows of A and columns of B outside the matrix are clamped; their
 * results are not stored.
 */
function global(plan: MmaPlan, operand: Operand, at: At, { row, column }: Placed): GlobalElement {
  const site = `${operand.toUpperCase()} tile load`;
  const [side, size, origin, depth] =
    operand === 'a'
      ? ([row, name.M, name.blockRow, column] as const)
      : ([column, name.N, name.blockCol, row] as const);
  // A vector along M or N is inside the matrix if its first element is inside.
  const along = plan.fragments[operand].load !== 'rows';
  const width = along ? widthOf(plan, plan.matrix[operand].width) : int(1);
  const inMatrix = add(origin, side);
  const guarded = plan.guards[operand === 'a' ? 'm' : 'n'];
  const across = guarded ? min(inMatrix, sub(size, width)) : inMatrix;
  const k = sub(add(at.begin ?? int(0), add(at.k0, depth)), at.skip ?? int(0));
  const [r, c] = operand === 'a' ? [across, k] : [k, across];
  const element = name.globalElement(plan, { operand, row: r, column: c, site });
  return { ...element, site: siteAt(site, operand, at) };
}
