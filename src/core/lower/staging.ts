/**
 * Staging from `vectorized` on: tiles lie in shared memory with their depth outermost, As[k][m] and Bs[k][n].
 * Consecutive threads take consecutive vectors of the operand's contiguous index; where that is the depth, the
 * vector is turned over on the way.
 */
import { add, constant, int, min, mod, mul, sub, variable, xor } from '../ir/expr';
import type { Expr, GlobalElement, Place, SharedElement, Site, Statement } from '../ir/ir';
import type { Plan, StagedOperand } from '../plan/plan';
import { lanesOf, widthOf } from './lanes';
import { forLoop, onlyIf } from './loops';
import * as name from './names';
import { eachVector, LABEL, shareOfVectors, type Placed, type Staged } from './tileWalk';

/** Where along K, and in which stage, a tile stands. */
export interface At {
  /** First depth of the tile, counted with the zeros in front when there are any. */
  readonly k0: Expr;
  /** How much of it is multiplied. */
  readonly depth: Expr;
  readonly stage?: Expr;
  /** Zeros that K is filled up with in front, and where it begins. */
  readonly skip?: Expr;
  readonly begin?: Expr;
  /** What is tested along K: nothing, that it does not pass the end, or that it is not one of the zeros. */
  readonly edge: 'none' | 'end' | 'front';
  /** Before or after the main loop. */
  readonly once?: true;
}

/** An access site at a place along K. */
export const siteAt = (name: string, operand: Staged, at: Pick<At, 'once'>): Site => ({
  ...{ name, operand },
  ...(at.once === undefined ? {} : { once: at.once }),
});

export const nextOf = (operand: Staged): string => `next${LABEL[operand]}`;

/** Element (side, depth) of a staged tile; `side` is a row of A or a column of B, a multiple of its group. */
export function stagedElement(
  plan: Plan,
  at: {
    readonly operand: Staged;
    readonly side: Expr;
    readonly depth: Expr;
    readonly stage?: Expr;
    readonly site: Site;
  },
): SharedElement {
  const { operand, side, depth, stage, site } = at;
  const lanes = lanesOf(plan);
  const group = widthOf(plan, operand === 'a' ? lanes.group.m : lanes.group.n);
  const swizzled =
    lanes[operand].swizzle === 1
      ? side
      : xor(side, mul(mod(depth, constant(`SWIZZLE_${LABEL[operand]}`)), group));
  return {
    ...{ op: 'shared', site, array: `${LABEL[operand]}s` },
    ...(stage === undefined ? {} : { stage }),
    ...{ outer: depth, inner: swizzled },
  };
}

/** Copies one tile from global to shared memory. */
export function stageTile(plan: Plan, operand: Staged, at: At): readonly Statement[] {
  const { copies } = lanesOf(plan);
  const asynchronous = copies === 'asynchronous';
  return eachVector(plan, operand, place => {
    const transfer = asynchronous
      ? move(plan, operand, { at, place, asynchronous })
      : throughRegisters(plan, operand, at, place);
    return edged(plan, operand, { at, place, transfer });
  });
}

/**
 * What a depth of the tile that is multiplied has of the copies of another one: as many as there are, from the first
 * depth on, none at the last.
 */
export function copyShare(plan: Plan, operand: Staged, at: At, depth: Expr): readonly Statement[] {
  return shareOfVectors(plan, operand, depth, place =>
    move(plan, operand, { at, place, asynchronous: true }),
  );
}

/** Global memory to registers, a tile ahead. */
export function fetchTile(plan: Plan, operand: Staged, at: At): readonly Statement[] {
  return eachVector(
    plan,
    operand,
    place => {
      const register = {
        op: 'register',
        name: nextOf(operand),
        index: [variable('i'), int(0)],
      } as const;
      return [assign(register, global(plan, operand, at, place), lanesOf(plan)[operand].width)];
    },
    'held',
  );
}

/** What was fetched, to shared memory. */
export function depositTile(plan: Plan, operand: Staged, at: At): readonly Statement[] {
  return eachVector(
    plan,
    operand,
    place => spread(plan, operand, { at, place, from: nextOf(operand), first: [variable('i')] }),
    'held',
  );
}

/** Tests along K where there are any; zeros stand for what lies in front of it. */
function edged(
  plan: Plan,
  operand: Staged,
  {
    at,
    place,
    transfer,
  }: { readonly at: At; readonly place: Placed; readonly transfer: readonly Statement[] },
): readonly Statement[] {
  const k = add(at.k0, place.depth);
  if (at.edge === 'none') return transfer;
  if (at.edge === 'end') return onlyIf([{ left: k, right: name.kEnd(plan) }], transfer);
  const { width } = lanesOf(plan)[operand];
  const zero = { op: 'zero' } as const;
  const wide = plan.target === 'wgsl' && !lanesOf(plan)[operand].transposed;
  const target = (j: Expr) => shared(plan, operand, { at, place, j });
  const zeros =
    wide || width === 1
      ? [assign(target(int(0)), zero, width)]
      : [
          forLoop('j', widthOf(plan, width), [assign(target(variable('j')), zero)], {
            unroll: writtenOut(plan),
          }),
        ];
  const condition = [{ left: at.skip ?? int(0), right: k, orEqual: true as const }];
  return [{ op: 'if', condition, body: transfer, otherwise: zeros }];
}

function throughRegisters(
  plan: Plan,
  operand: Staged,
  at: At,
  place: Placed,
): readonly Statement[] {
  const { transposed, width } = lanesOf(plan)[operand];
  if (!transposed || width === 1) return move(plan, operand, { at, place, asynchronous: false });
  const registers: Statement = {
    ...{ op: 'registers', name: 'v', dtype: plan.dtypes[operand], shape: [widthOf(plan, width)] },
    ...{ zeroed: false, vector: width, named: plan.target === 'wgsl' },
  };
  const v = { op: 'register', name: 'v', index: [int(0)] } as const;
  return [
    registers,
    assign(v, global(plan, operand, at, place), width),
    ...spread(plan, operand, { at, place, from: 'v', first: [] }),
  ];
}

/** Registers to shared memory: a vector at once, or each element of it to a row of its own. */
function spread(
  plan: Plan,
  operand: Staged,
  {
    at,
    place,
    from,
    first,
  }: {
    readonly at: At;
    readonly place: Placed;
    readonly from: string;
    readonly first: readonly Expr[];
  },
): readonly Statement[] {
  const { transposed, width } = lanesOf(plan)[operand];
  const register = (j: Expr) => ({ op: 'register', name: from, index: [...first, j] }) as const;
  if (!transposed || width === 1) {
    return [assign(shared(plan, operand, { at, place, j: int(0) }), register(int(0)), width)];
  }
  const j = variable('j');
  return [
    forLoop(
      'j',
      widthOf(plan, width),
      [assign(shared(plan, operand, { at, place, j }), register(j))],
      { unroll: writtenOut(plan) },
    ),
  ];
}

const move = (
  plan: Plan,
  operand: Staged,
  {
    at,
    place,
    asynchronous,
  }: { readonly at: At; readonly place: Placed; readonly asynchronous: boolean },
): readonly Statement[] => {
  const to = shared(plan, operand, { at, place, j: int(0) });
  const { width } = lanesOf(plan)[operand];
  const copy = assign(to, global(plan, operand, at, place), width);
  return [asynchronous ? { ...copy, asynchronous: true } : copy];
};

type Assign = Extract<Statement, { op: 'assign' }>;

const assign = (place: Place, value: Assign['value'], width = 1): Assign => ({
  ...{ op: 'assign', place, value },
  ...(width === 1 ? {} : { width }),
});

const writtenOut = (plan: Plan): true | 'written-out' =>
  plan.target === 'wgsl' ? 'written-out' : true;

/** Element j of a vector, where it lies in the staged tile. */
function shared(
  plan: Plan,
  operand: Staged,
  { at, place, j }: { readonly at: At; readonly place: Placed; readonly j: Expr },
): SharedElement {
  const { transposed } = lanesOf(plan)[operand];
  return stagedElement(plan, {
    operand,
    ...(at.stage === undefined ? {} : { stage: at.stage }),
    side: transposed ? place.side : add(place.side, j),
    depth: transposed ? add(place.depth, j) : place.depth,
    site: siteAt(`${LABEL[operand]}s store`, operand, at),
  });
}

/** Rows and columns past the edge of the matrix are taken from its last ones: their results are not stored. */
function global(plan: Plan, operand: Staged, at: At, place: Placed): GlobalElement {
  const [guarded, size, origin] =
    operand === 'a'
      ? [plan.guards.m, name.M, name.blockRow]
      : [plan.guards.n, name.N, name.blockCol];
  const staged: StagedOperand = lanesOf(plan)[operand];
  const last = sub(size, widthOf(plan, staged.transposed ? 1 : staged.width));
  const inMatrix = add(origin, place.side);
  const side = guarded ? min(inMatrix, last) : inMatrix;
  const k = sub(add(at.begin ?? int(0), add(at.k0, place.depth)), at.skip ?? int(0));
  const [row, column] = operand === 'a' ? [side, k] : [k, side];
  const site = `${LABEL[operand]} tile load`;
  const element = name.globalElement(plan, { operand, row, column, site });
  return { ...element, site: siteAt(site, operand, at) };
}
