/**
 * Lowers a loop nest to loop IR. Loops at level thread become loops; all others become indices of
 * blocks and threads. A, B and C are row-major and packed.
 */
import { add, div, int, min, mul, parameter, sub, variable } from '../kernel/ir/expr';
import type { Target } from '../spec/schema';
import type { Condition, Expr, GlobalElement, KernelIr, Statement, Value } from '../kernel/ir/ir';
import { BLANK, comment, forLoop, onlyIf } from '../kernel/lower/loops';
import { blockExtents, parallelIndices } from './indices';
import {
  chainOf,
  isOrdered,
  iterationsOf,
  overhangs,
  parentStep,
  variablesOf,
  type Loop,
  type LoopAxis,
  type LoopNest,
  type LoopProblem,
} from './nest';
import { accumulatorsOf, MAX_ACCUMULATORS, sharedTile, threadsOf } from './rules';
import { copyTiles, sharedArrays, sharedFactors } from './sharedTiles';

const EXTENT = { i: parameter('m'), j: parameter('n'), k: parameter('k') } as const;
const SUM = 'sum';
const ENTRY = 'gemm_loops';

export interface LoweredNest {
  readonly ir: KernelIr;
  /** Statements that each loop became, in the order of the nest. */
  readonly statements: readonly (readonly Statement[])[];
}

interface Placed {
  readonly loop: Loop;
  readonly at: number;
  readonly name: string;
}

/** Lowers a nest without violations. */
export function lowerNest(nest: LoopNest, problem: LoopProblem, target: Target): LoweredNest {
  const statements: Statement[][] = nest.map(() => []);
  const state: State = {
    nest,
    problem,
    target,
    loops: nest.map((loop, at) => ({ loop, at, name: variablesOf(nest)[at] ?? '' })),
    note: (at, statement) => {
      statements[at]?.push(statement);
      return statement;
    },
    tile: sharedTile(nest),
  };
  const { dtype } = problem;
  const indices = positions(state);
  const ir: KernelIr = {
    entry: ENTRY,
    summary: [],
    dtypes: { a: dtype, b: dtype, c: dtype, workspace: dtype },
    accumulator: dtype,
    constants: [{ name: 'THREADS', value: threadsOf(nest, problem), comment: 'threads per block' }],
    shared: sharedArrays(state.tile, dtype),
    ...vectorsOf(nest, problem),
    operands: ['a', 'b', 'c'],
    parameters: ['m', 'n', 'k'],
    body: [...(indices.length === 0 ? [] : [...indices, BLANK]), ...lowerBody(state)],
  };
  return { ir, statements };
}

interface State {
  readonly nest: LoopNest;
  readonly problem: LoopProblem;
  readonly target: Target;
  readonly loops: readonly Placed[];
  /** Records that a loop became a statement, and returns the statement. */
  readonly note: (at: number, statement: Statement) => Statement;
  readonly tile: ReturnType<typeof sharedTile>;
}

/** Indices of blocks and threads, as offsets in elements. */
function positions({ nest, problem, loops, note }: State): readonly Statement[] {
  const parallel = parallelIndices(nest, problem);
  return loops.flatMap(({ loop, at, name }) => {
    const index = parallel[at];
    return index === undefined || index === null
      ? []
      : [note(at, { op: 'let', name, value: mul(index, int(loop.step)) })];
  });
}

const isSequential = ({ loop }: Placed): boolean =>
  loop.level === 'thread' || loop.level === 'vector';

/** Sum of the variables of an axis; `within` excludes loops. */
function indexOf(
  { nest, loops }: State,
  axis: LoopAxis,
  within: (placed: Placed) => boolean = () => true,
): Expr {
  return chainOf(nest, axis)
    .flatMap(({ at }) => loops[at] ?? [])
    .filter(within)
    .reduce<Expr>((sum, { name }) => add(sum, variable(name)), int(0));
}

const inside = (state: State, axis: LoopAxis): Condition =>
  overhangs(state.nest, state.problem, axis)
    ? [{ left: indexOf(state, axis), right: EXTENT[axis] }]
    : [];

/** One loop of a thread around a body. */
function around(
  state: State,
  placed: Placed,
  body: readonly Statement[],
  unroll: boolean,
): Statement {
  const { loop, at, name } = placed;
  return state.note(
    at,
    forLoop(name, limitOf(state, placed), body, { step: int(loop.step), unroll }),
  );
}

/**
 * End of a loop. Loops over k end at K, if the loops outside of them determine where K is. The
 * tiles in shared memory are padded with zeros instead.
 */
function limitOf(state: State, { loop, name }: Placed): Expr {
  const { nest, tile } = state;
  const parent = parentStep(nest, loop);
  if (parent === null) return EXTENT[loop.axis];
  if (
    loop.axis !== 'k' ||
    tile !== null ||
    !overhangs(state.nest, state.problem, 'k') ||
    !isOrdered(nest, 'k')
  )
    return int(parent);
  const outer = indexOf(state, 'k', other => other.loop.step > loop.step && other.name !== name);
  return min(int(parent), sub(EXTENT.k, outer));
}

const nested = (
  state: State,
  loops: readonly Placed[],
  body: readonly Statement[],
  unroll = false,
): readonly Statement[] =>
  loops.reduceRight<readonly Statement[]>(
    (inner, placed) => [around(state, placed, inner, unroll)],
    body,
  );

function lowerBody(state: State): readonly Statement[] {
  const sequential = state.loops.filter(isSequential);
  const firstK = sequential.findIndex(({ loop }) => loop.axis === 'k');
  const [outside, within] = [sequential.slice(0, firstK), sequential.slice(firstK)];
  const results = within.filter(({ loop }) => loop.axis !== 'k');
  const count = accumulatorsOf(state.nest, state.problem);
  const inRegisters = count !== null && count <= MAX_ACCUMULATORS;
  const body = inRegisters
    ? inAccumulators(state, { within, results, isInLoop: outside.length > 0 })
    : inC(state, within, results);
  return nested(state, outside, guarded(state, results, body));
}

/**
 * Guards the whole computation of a thread where its loops over k are reached with known rows and
 * columns. Threads outside of C still take part in copies to shared memory.
 */
function guarded(
  state: State,
  results: readonly Placed[],
  body: readonly Statement[],
): readonly Statement[] {
  if (state.tile !== null) return body;
  const known = (['i', 'j'] as const).filter(
    axis => !results.some(({ loop }) => loop.axis === axis),
  );
  return onlyIf(
    known.flatMap(axis => inside(state, axis)),
    body,
  );
}

/** Conditions that `guarded` does not already ensure. */
function remaining(state: State, results: readonly Placed[]): Condition {
  const axes = (['i', 'j'] as const).filter(
    axis => state.tile !== null || results.some(({ loop }) => loop.axis === axis),
  );
  return axes.flatMap(axis => inside(state, axis));
}

/** Condition on k inside of the loops over k; empty if their limits ensure it. */
const insideK = (state: State): Condition =>
  state.tile === null && !isOrdered(state.nest, 'k') ? inside(state, 'k') : [];

const global = (
  operand: 'a' | 'b' | 'c',
  outer: Expr,
  inner: Expr,
  name: string,
): GlobalElement => ({
  op: 'global',
  site: { name, operand },
  outer,
  stride: operand === 'a' ? parameter('k') : parameter('n'),
  inner,
});

const elementOfC = (state: State, name: string): GlobalElement =>
  global('c', indexOf(state, 'i'), indexOf(state, 'j'), name);

/** The factors of one FMA: elements in global memory, or of the tiles in shared memory. */
function factors(state: State): { readonly a: Value; readonly b: Value } {
  const isInTile = ({ loop }: Placed): boolean => loop.level !== 'grid' && loop.shared !== true;
  if (state.tile !== null)
    return sharedFactors({
      row: indexOf(state, 'i', isInTile),
      column: indexOf(state, 'j', isInTile),
      depth: indexOf(state, 'k', isInTile),
    });
  const [row, column, depth] = [indexOf(state, 'i'), indexOf(state, 'j'), indexOf(state, 'k')];
  return { a: global('a', row, depth, 'A load'), b: global('b', depth, column, 'B load') };
}

/** Loops of a thread from its first loop over k, and those of them over rows and columns. */
interface Inner {
  readonly within: readonly Placed[];
  readonly results: readonly Placed[];
  readonly isInLoop: boolean;
}

/** Accumulates in registers, and stores the accumulators to C afterwards. */
function inAccumulators(state: State, { within, results, isInLoop }: Inner): readonly Statement[] {
  const { nest, problem } = state;
  const dims = results.filter(({ loop }) => iterationsOf(nest, loop, problem) > 1);
  const vector = dims.find(({ loop }) => loop.level === 'vector');
  const width = vector === undefined ? 1 : iterationsOf(nest, vector.loop, problem);
  // The vector is the last dimension, so that its elements are adjacent.
  const order = vector === undefined ? dims : [...dims.filter(dim => dim !== vector), vector];
  const index = order.map(({ loop, name }) => div(variable(name), int(loop.step)));
  const declared: Statement = {
    op: 'registers',
    name: SUM,
    dtype: problem.dtype,
    shape: order.map(({ loop }) => int(iterationsOf(nest, loop, problem))),
    zeroed: true,
    ...(isInLoop ? { inLoop: true } : {}),
    ...(width === 1 ? {} : { vector: width }),
  };
  const place = { op: 'register', name: SUM, index } as const;
  const { a, b } = factors(state);
  const isGuardNeeded = state.tile === null;
  const multiply = onlyIf(
    [...(isGuardNeeded ? remaining(state, results) : []), ...insideK(state)],
    [{ op: 'fma', place, left: a, right: b }],
  );
  const main = mainLoops(state, within, multiply, results);
  return [declared, ...main, ...storeSums(state, { order, vector, width, index, results })];
}

interface Sums {
  readonly order: readonly Placed[];
  readonly vector: Placed | undefined;
  readonly width: number;
  readonly index: readonly Expr[];
  readonly results: readonly Placed[];
}

function storeSums(
  state: State,
  { order, vector, width, index, results }: Sums,
): readonly Statement[] {
  const wide = vector !== undefined && width > 1;
  const at = wide ? [...index.slice(0, -1), int(0)] : index;
  const column = wide ? indexOf(state, 'j', other => other !== vector) : indexOf(state, 'j');
  const store: Statement = {
    op: 'assign',
    place: global('c', indexOf(state, 'i'), column, 'C store'),
    value:
      wide && state.target === 'wgsl'
        ? lanesOf(index.slice(0, -1), width)
        : { op: 'register', name: SUM, index: at },
    ...(wide ? { width } : {}),
  };
  if (wide) state.note(vector.at, store);
  const loops = order.filter(placed => !wide || placed !== vector);
  // The vector is inside of C if its first element is, because N is a multiple of the width.
  const conditions = remaining(state, results).map(condition =>
    wide ? withoutVariable(condition, indexOf(state, 'j'), column) : condition,
  );
  return nested(state, loops, onlyIf(conditions, [store]), true);
}

/** In WGSL, accumulators are scalars, which a vectorized store combines. */
const lanesOf = (index: readonly Expr[], width: number): Value => ({
  op: 'lanes',
  values: Array.from({ length: width }, (_, lane) => ({
    op: 'register',
    name: SUM,
    index: [...index, int(lane)],
  })),
});

function vectorsOf(nest: LoopNest, problem: LoopProblem): Pick<KernelIr, 'vectors'> {
  const vector = nest.find(({ level }) => level === 'vector');
  return vector === undefined ? {} : { vectors: { c: iterationsOf(nest, vector, problem) } };
}

const withoutVariable = (condition: Condition[number], from: Expr, to: Expr): Condition[number] =>
  JSON.stringify(condition.left) === JSON.stringify(from) ? { ...condition, left: to } : condition;

/** Loops around the FMA. Unrolling the loops over results keeps accumulators in registers. */
function mainLoops(
  state: State,
  within: readonly Placed[],
  body: readonly Statement[],
  results: readonly Placed[],
): readonly Statement[] {
  return within.reduceRight<readonly Statement[]>((inner, placed) => {
    const copied =
      placed.loop.shared === true && state.tile !== null
        ? [
            ...copyTiles(state.tile, {
              row: indexOf(state, 'i', ({ loop }) => loop.level === 'grid'),
              column: indexOf(state, 'j', ({ loop }) => loop.level === 'grid'),
              depth: variable(placed.name),
              block: blockExtents(state.nest, state.problem),
              guards: {
                m: overhangs(state.nest, state.problem, 'i'),
                n: overhangs(state.nest, state.problem, 'j'),
                k: overhangs(state.nest, state.problem, 'k'),
              },
            }),
            ...inner,
            { op: 'barrier' } as const,
          ]
        : inner;
    return [around(state, placed, copied, results.includes(placed))];
  }, body);
}

/** Accumulates in C, for more results per thread than registers can hold. */
function inC(
  state: State,
  within: readonly Placed[],
  results: readonly Placed[],
): readonly Statement[] {
  const c = elementOfC(state, 'C update');
  const { a, b } = factors(state);
  const conditions = remaining(state, results);
  return [
    comment('C holds the accumulators, because registers cannot hold those of this thread.'),
    ...nested(
      state,
      results,
      onlyIf(conditions, [
        { op: 'assign', place: elementOfC(state, 'C store'), value: { op: 'zero' } },
      ]),
    ),
    ...nested(
      state,
      within,
      onlyIf(
        [...conditions, ...insideK(state)],
        [
          {
            op: 'assign',
            place: c,
            value: { op: 'add', left: c, right: { op: 'mul', left: a, right: b } },
          },
        ],
      ),
    ),
  ];
}
