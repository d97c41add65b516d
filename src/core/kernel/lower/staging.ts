/**
 * Staging in `vectorized` and later algorithms: shared-memory tiles are K-outermost, As[k][m] and
 * Bs[k][n]. Vectors along K are transposed when stored.
 */
import { add, constant, int, min, mod, mul, sub, variable, xor } from '../ir/expr';
import type { Expr, GlobalElement, Place, SharedElement, Site, Statement, Value } from '../ir/ir';
import { stagingUnitOf } from '../../plan/simt/lanes';
import type { LanedPlan, StagedOperand } from '../../plan/plan';
import { strideOf, firstInMatrix, widthOf } from './simt/lanes';
import { forLoop, onlyIf } from './loops';
import * as name from './names';
import { eachVector, LABEL, vectorsOfStep, type Staged, type TilePosition } from './tileTraversal';

export interface At {
  /** First k of the tile, including zero padding in front of K. */
  readonly k0: Expr;
  readonly depth: Expr;
  readonly stage?: Expr;
  /** Length of the zero padding in front of K, and the first k of the thread block. */
  readonly skip?: Expr;
  readonly begin?: Expr;
  /** Bounds check along K: none, at the end of K, or for the zero padding in front of K. */
  readonly edge: 'none' | 'end' | 'front';
  readonly once?: true;
}

export const siteAt = (name: string, operand: Staged, at: Pick<At, 'once'>): Site => ({
  name,
  operand,
  ...(at.once === undefined ? {} : { once: at.once }),
});

/**
 * Returns element (side, depth) of a staged tile. `side` is the row of A or column of B at the
 * start of a group.
 */
export function stagedElement(
  plan: LanedPlan,
  at: {
    readonly operand: Staged;
    readonly side: Expr;
    readonly depth: Expr;
    readonly stage?: Expr;
    readonly site: Site;
  },
): SharedElement {
  const { operand, side, depth, stage, site } = at;
  const lanes = plan.lanes;
  const group = widthOf(plan, operand === 'a' ? lanes.group.m : lanes.group.n);
  const swizzled =
    lanes[operand].swizzle === 1
      ? side
      : xor(side, mul(mod(depth, constant(`SWIZZLE_${LABEL[operand]}`)), group));
  return {
    op: 'shared',
    site,
    array: `${LABEL[operand]}s`,
    ...(stage === undefined ? {} : { stage }),
    outer: depth,
    inner: swizzled,
  };
}

export function stageTile(plan: LanedPlan, operand: Staged, at: At): readonly Statement[] {
  const { copies } = plan.lanes;
  const asynchronous = copies === 'asynchronous';
  return eachVector(plan, operand, place => {
    const transfer = asynchronous
      ? move(plan, operand, { at, place, asynchronous })
      : throughRegisters(plan, operand, at, place);
    return boundsChecked(plan, operand, { at, place, transfer });
  });
}

/**
 * Returns the copies of a later tile that are issued during one k of the current tile. The last k
 * issues no copies.
 */
export function copiesOfK(
  plan: LanedPlan,
  operand: Staged,
  at: At,
  depth: Expr,
): readonly Statement[] {
  return vectorsOfStep(plan, operand, depth, place =>
    move(plan, operand, { at, place, asynchronous: true }),
  );
}

export const loadIndices = (plan: LanedPlan, operand: Staged): readonly number[] =>
  Array.from({ length: plan.lanes[operand].loadsPerStore }, (_, piece) => piece);

export type Register = Extract<Value, { op: 'register' }>;

/** Adds the bounds check along K and stores zeros for the padding in front of K. */
function boundsChecked(
  plan: LanedPlan,
  operand: Staged,
  {
    at,
    place,
    transfer,
  }: { readonly at: At; readonly place: TilePosition; readonly transfer: readonly Statement[] },
): readonly Statement[] {
  const k = add(at.k0, place.depth);
  if (at.edge === 'none') return transfer;
  if (at.edge === 'end') return onlyIf([{ left: k, right: name.kEnd(plan) }], transfer);
  const staged = plan.lanes[operand];
  const zero = { op: 'zero' } as const;
  const target = (j: Expr) => shared(plan, operand, { at, place, j });
  // WGSL arrays hold whole vectors; CUDA zeroes single elements.
  const stored = plan.target === 'wgsl' ? stagingUnitOf(staged).side : 1;
  const each = staged.transposed || stored === 1 ? staged.width : 1;
  const zeros =
    each === 1
      ? [assign(target(int(0)), zero, stored)]
      : [
          forLoop('j', widthOf(plan, each), [assign(target(variable('j')), zero, stored)], {
            unroll: writtenOut(plan),
          }),
        ];
  const condition = [{ left: at.skip ?? int(0), right: k, orEqual: true as const }];
  return [{ op: 'if', condition, body: transfer, otherwise: zeros }];
}

function throughRegisters(
  plan: LanedPlan,
  operand: Staged,
  at: At,
  place: TilePosition,
): readonly Statement[] {
  const { transposed, width, loadsPerStore: count } = plan.lanes[operand];
  if (count === 1 && (!transposed || width === 1))
    return move(plan, operand, { at, place, asynchronous: false });
  const v = (piece: number, j: Expr): Register => ({
    op: 'register',
    name: count === 1 ? 'v' : `v${piece}`,
    index: [j],
  });
  return [
    ...loadIndices(plan, operand).flatMap((piece): readonly Statement[] => {
      const register = v(piece, int(0));
      return [
        {
          op: 'registers',
          name: register.name,
          dtype: plan.dtypes[operand],
          shape: [widthOf(plan, width)],
          zeroed: false,
          vector: width,
          named: plan.target === 'wgsl',
        },
        assign(register, global(plan, operand, at, place, piece), width),
      ];
    }),
    ...storeVectors(plan, operand, { at, place, element: v }),
  ];
}

/**
 * Stores registers to shared memory: as vectors, or transposed with each element in a separate row.
 */
export function storeVectors(
  plan: LanedPlan,
  operand: Staged,
  {
    at,
    place,
    element,
  }: {
    readonly at: At;
    readonly place: TilePosition;
    readonly element: (piece: number, j: Expr) => Register;
  },
): readonly Statement[] {
  const staged = plan.lanes[operand];
  const { width } = staged;
  const unit = stagingUnitOf(staged);
  const whole = loadIndices(plan, operand);
  const to = (j: Expr) => shared(plan, operand, { at, place, j });
  const together = (values: readonly Register[]): Value =>
    values.length === 1 && values[0] !== undefined ? values[0] : { op: 'lanes', values };
  if (!staged.transposed) {
    const elements = Array.from({ length: width }, (_, j) => int(j));
    const values = whole.flatMap(piece => elements.map(j => element(piece, j)));
    const value = whole.length === 1 ? element(0, int(0)) : together(values);
    return [assign(to(int(0)), value, unit.side)];
  }
  const transposedStore = (j: Expr): Statement =>
    assign(to(j), together(whole.map(piece => element(piece, j))), unit.side);
  if (width === 1) return [transposedStore(int(0))];
  const unroll = writtenOut(plan);
  return [forLoop('j', widthOf(plan, width), [transposedStore(variable('j'))], { unroll })];
}

const move = (
  plan: LanedPlan,
  operand: Staged,
  {
    at,
    place,
    asynchronous,
  }: { readonly at: At; readonly place: TilePosition; readonly asynchronous: boolean },
): readonly Statement[] => {
  const to = shared(plan, operand, { at, place, j: int(0) });
  const { width } = plan.lanes[operand];
  const copy = assign(to, global(plan, operand, at, place, 0), width);
  return [asynchronous ? { ...copy, asynchronous: true } : copy];
};

type Assign = Extract<Statement, { op: 'assign' }>;

export const assign = (place: Place, value: Assign['value'], width = 1): Assign => ({
  op: 'assign',
  place,
  value,
  ...(width === 1 ? {} : { width }),
});

const writtenOut = (plan: LanedPlan): true | 'written-out' =>
  plan.target === 'wgsl' ? 'written-out' : true;

function shared(
  plan: LanedPlan,
  operand: Staged,
  { at, place, j }: { readonly at: At; readonly place: TilePosition; readonly j: Expr },
): SharedElement {
  const { transposed } = plan.lanes[operand];
  return stagedElement(plan, {
    operand,
    ...(at.stage === undefined ? {} : { stage: at.stage }),
    side: transposed ? place.side : add(place.side, j),
    depth: transposed ? add(place.depth, j) : place.depth,
    site: siteAt(`${LABEL[operand]}s store`, operand, at),
  });
}

/**
 * Returns a vector that a thread loads at `place`. Rows and columns outside the matrix are replaced
 * by valid ones; their results are not stored.
 */
export function global(
  plan: LanedPlan,
  operand: Staged,
  at: At,
  place: TilePosition,
  piece: number,
): GlobalElement {
  const [guarded, size, origin] =
    operand === 'a'
      ? [plan.guards.m, name.M, name.blockRow]
      : [plan.guards.n, name.N, name.blockCol];
  const staged: StagedOperand = plan.lanes[operand];
  const step = staged.transposed ? 1 : staged.width;
  const last = sub(size, widthOf(plan, step));
  const along = operand === 'a' ? 'm' : 'n';
  const further =
    staged.fragmentStride === 1 ? int(piece * step) : mul(int(piece), strideOf(plan, along));
  const inMatrix = add(origin, add(firstInMatrix(plan, along, place.side), further));
  const side = place.inMatrix ?? (guarded ? min(inMatrix, last) : inMatrix);
  // The loop-variant addend comes last, so that the other addends form a loop-invariant address.
  const inTile =
    plan.lanes.copies === 'registers' ? add(place.depth, at.k0) : add(at.k0, place.depth);
  const k = sub(add(at.begin ?? int(0), inTile), at.skip ?? int(0));
  const [row, column] = operand === 'a' ? [side, k] : [k, side];
  const site = `${LABEL[operand]} tile load`;
  const element = name.globalElement(plan, { operand, row, column, site });
  return { ...element, site: siteAt(site, operand, at) };
}
