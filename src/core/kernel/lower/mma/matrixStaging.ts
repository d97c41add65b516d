/**
 * Copies of `mma` tiles to shared memory, which keep the layout of global memory. If BK does not
 * divide K, zeros in front of K pad the first tile, so that all other tiles are full.
 */
import { add, constant, div, int, min, mod, mul, sub, threadIdx, variable } from '../../ir/expr';
import type { Condition, Expr, RegisterElement, Statement, Value } from '../../ir/ir';
import type { WarpMatrixPlan } from '../../../plan/plan';
import { comment, declare, forLoop, onlyIf } from '../loops';
import * as name from '../names';
import { widthOf } from '../simt/lanes';
import { siteAt, type At } from '../staging';

type Operand = 'a' | 'b';
const OPERANDS = ['a', 'b'] as const;
/** Variables with the row and column in a tile of a thread's first copy. */
const START: Readonly<Record<Operand, readonly [row: string, column: string]>> = {
  a: ['rowA', 'kA'],
  b: ['kB', 'colB'],
};

export const startOf = (
  plan: WarpMatrixPlan,
  operand: Operand,
): readonly [slow: string, fast: string] => name.ordered(plan, operand, ...START[operand]);

/** Order of a tile in memory: lines of words (vectors). */
interface WordOrder {
  readonly width: Expr;
  readonly line: Expr;
  readonly words: Expr;
  /** Whether each thread copies the same number of words with a constant stride in lines. */
  readonly regular: boolean;
  /** Whether each thread has a word in every pass. */
  readonly even: boolean;
}

function wordOrderOf(plan: WarpMatrixPlan, operand: Operand): WordOrder {
  const { width } = plan.matrix[operand];
  const [rows, columns] = name.tileExtent(operand);
  const [outer, inner] = name.ordered(plan, operand, rows, columns);
  const tile = plan.shared[operand];
  const line = tile.inner / width;
  return {
    width: widthOf(plan, width),
    line: div(inner, widthOf(plan, width)),
    words: div(mul(outer, inner), widthOf(plan, width)),
    regular: plan.threads % line === 0 && tile.outer % (plan.threads / line) === 0,
    even: (tile.outer * line) % plan.threads === 0,
  };
}

/**
 * Returns the number of rows of a staged tile that a block stores per pass, or undefined if passes
 * are not whole rows.
 */
export function rowsPerPass(plan: WarpMatrixPlan, operand: Operand): number | undefined {
  const { inner } = plan.shared[operand];
  const line = inner / plan.matrix[operand].width;
  return wordOrderOf(plan, operand).regular ? plan.threads / line : undefined;
}

export function copyStarts(plan: WarpMatrixPlan): readonly Statement[] {
  const regular = OPERANDS.filter(operand => wordOrderOf(plan, operand).regular);
  if (regular.length === 0) return [];
  const tid = threadIdx('x');
  return [
    comment("Tile coordinates of this thread's first copy."),
    ...regular.flatMap(operand => {
      const { line, width } = wordOrderOf(plan, operand);
      const [slow, fast] = startOf(plan, operand);
      return [declare(slow, div(tid, line)), declare(fast, mul(mod(tid, line), width))];
    }),
  ];
}

export interface Placed {
  readonly row: Expr;
  readonly column: Expr;
}

/** Returns the number of words of a tile that a thread copies, rounded up. */
export const wordsOf = ({ tile, threads, matrix }: WarpMatrixPlan, operand: Operand): number => {
  const elements = (operand === 'a' ? tile.m : tile.n) * tile.k;
  return Math.ceil(elements / matrix[operand].width / threads);
};

/**
 * The words of a thread for one k-step: the index of the k-step, and the number of words per
 * k-step.
 */
export interface Share {
  readonly share: Expr;
  readonly size: number;
}

export function forEachWord(
  plan: WarpMatrixPlan,
  operand: Operand,
  body: (place: Placed) => readonly Statement[],
  part?: Share,
): readonly Statement[] {
  const { regular, even, line, width, words } = wordOrderOf(plan, operand);
  const label = operand.toUpperCase();
  const size = constant(`STEP_LOADS_${label}`);
  const index = variable('i');
  const i =
    part === undefined ? index : part.size === 1 ? part.share : add(mul(part.share, size), index);
  const placed = ([outer, inner]: readonly [Expr, Expr]): Placed => {
    const [row, column] = name.ordered(plan, operand, outer, inner);
    return { row, column };
  };
  const unroll = plan.target === 'cuda' ? true : 'written-out';
  const all = constant(`LOADS_${label}`);
  const loop = (inside: readonly Statement[]): readonly Statement[] => {
    if (part === undefined) return [forLoop('i', all, inside, { unroll })];
    const count = part.size === 1 ? all : div(all, size);
    return onlyIf(
      [{ left: part.share, right: count }],
      part.size === 1 ? inside : [forLoop('i', size, inside, { unroll })],
    );
  };
  if (regular) {
    const [slow, fast] = startOf(plan, operand);
    const outer = add(variable(slow), mul(i, constant(`PASS_ROWS_${label}`)));
    return loop(body(placed([outer, variable(fast)])));
  }
  const word = add(mul(i, name.THREADS), threadIdx('x'));
  const place = placed([div(word, line), mul(mod(word, line), width)]);
  return loop(onlyIf(even ? [] : [{ left: word, right: words }], body(place)));
}

export function fetchWords(plan: WarpMatrixPlan, operand: Operand, at: At): readonly Statement[] {
  const { width } = plan.matrix[operand];
  return forEachWord(plan, operand, place => [
    {
      op: 'assign',
      place: fetched(operand),
      value: global(plan, operand, at, place),
      ...(width === 1 ? {} : { width }),
    },
  ]);
}

export function storeWords(plan: WarpMatrixPlan, operand: Operand, at: At): readonly Statement[] {
  const { width } = plan.matrix[operand];
  const label = operand.toUpperCase();
  return forEachWord(plan, operand, place => [
    {
      op: 'assign',
      value: fetched(operand),
      place: name.sharedElement(plan, {
        operand,
        ...place,
        site: siteAt(`${label}s store`, operand, at),
      }),
      ...(width === 1 ? {} : { width }),
    },
  ]);
}

export const fetched = (operand: Operand): RegisterElement => ({
  op: 'register',
  name: `next${operand.toUpperCase()}`,
  index: [variable('i'), int(0)],
});

/**
 * Returns a word of A or B. Rows and columns outside the matrix are clamped to the last row or
 * column (their results are not stored); elements in the padding in front of K are zero.
 */
function global(plan: WarpMatrixPlan, operand: Operand, at: At, { row, column }: Placed): Value {
  const site = `${operand.toUpperCase()} tile load`;
  const [side, size, origin, depth] =
    operand === 'a'
      ? ([row, name.M, name.blockRow, column] as const)
      : ([column, name.N, name.blockCol, row] as const);
  // A vector along M or N is inside the matrix if its first element is inside.
  const along = plan.spec.problem[operand].layout === (operand === 'a' ? 'col' : 'row');
  const width = along ? plan.matrix[operand].width : 1;
  const inMatrix = add(origin, side);
  const guarded = plan.guards[operand === 'a' ? 'm' : 'n'];
  const across = guarded ? min(inMatrix, sub(size, int(width))) : inMatrix;
  const skip = at.skip ?? int(0);
  const k = sub(add(at.k0, depth), skip);
  const [r, c] = operand === 'a' ? [across, k] : [k, across];
  const element = name.globalElement(plan, { operand, row: r, column: c, site });
  const value = { ...element, site: siteAt(site, operand, at) };
  if (at.edge !== 'front') return value;
  const condition: Condition = [{ left: skip, right: depth, orEqual: true }];
  return { op: 'guarded', condition, value };
}

export function fillTile(plan: WarpMatrixPlan): readonly Statement[] {
  const [from, end] = [name.kBegin(plan), name.kEnd(plan)];
  const tile = { k0: from, depth: name.BK, once: true } as const;
  const at: At = plan.guards.k
    ? { ...tile, edge: 'front', skip: variable('skip') }
    : { ...tile, edge: 'none' };
  const copies = [
    ...OPERANDS.flatMap(operand => fetchWords(plan, operand, at)),
    ...OPERANDS.flatMap(operand => storeWords(plan, operand, at)),
  ];
  const rest = mod(sub(sub(end, from), int(1)), name.BK);
  return [
    ...(plan.guards.k
      ? [
          comment(
            'Peel the K remainder first (zero-filled), so that the main loop multiplies only full tiles.',
          ),
          declare('skip', sub(sub(name.BK, int(1)), rest)),
        ]
      : [comment('Prologue: load the first tile.')]),
    ...ifAny(plan, copies),
  ];
}

/** With split-K, guards the body: a slice is empty if the run-time K is too small. */
export const ifAny = (plan: WarpMatrixPlan, body: readonly Statement[]): readonly Statement[] =>
  onlyIf(
    plan.split === undefined ? [] : [{ left: name.kBegin(plan), right: name.kEnd(plan) }],
    body,
  );

/** Emits the main loop over the tiles after the first; `at` is the next tile. */
export function nextTiles(
  plan: WarpMatrixPlan,
  body: (at: At) => readonly Statement[],
): readonly Statement[] {
  const begin = add(name.kBegin(plan), name.BK);
  const from = plan.guards.k ? sub(begin, variable('skip')) : begin;
  const inside = body({ k0: name.k0, depth: name.BK, edge: 'none' });
  return [forLoop('k0', name.kEnd(plan), inside, { from, step: name.BK })];
}
