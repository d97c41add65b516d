/**
 * Collects the access sites of a kernel in program order. Each address is an affine expression of
 * thread, block and loop indices. Boundary checks against M and N are assumed to hold, as if C
 * extended to the end of its last tile.
 */
import {
  affineOf,
  binary,
  counting,
  difference,
  fixed,
  looping,
  rangeOf,
  scaled,
  sharedAtoms,
  sum,
  type Affine,
} from '../kernel/ir/affine';
import type { LoweredKernel } from '../kernel/kernel';
import type {
  Axis,
  Condition,
  Expr,
  GlobalElement,
  SharedElement,
  Statement,
  Value,
} from '../kernel/ir/ir';
import { MATRIX_ROWS } from '../plan/mma/fragments';
import { WIDEST_BYTES } from '../plan/simt/lanes';
import type { Dim3 } from '../plan/plan';
import { threadsOf, type BlockThreads, type Mask } from './lanes';
import { withoutClamp, failures, isSize } from './boundaryChecks';
import type { AccessSite } from './accessSite';
import { sharedOffsets, type SharedOffset } from './sharedOffsets';
import { withCounterparts } from './loopSites';
import { ended, endOf, insideOfOpaque, largest, type Ends } from './masks';
import { type ArgumentRole, parametersOf } from '../kernel/ir/arguments';
import { WARP_LANES } from '../hardware/warp';

interface TraversalContext {
  readonly width: number;
  readonly copied: boolean;
  readonly threads: BlockThreads;
  readonly sites: AccessSite[];
  readonly warpsPerBlock: number;
  readonly share: (of: Affine) => Affine;
  readonly constants: ReadonlyMap<string, number>;
  readonly parameters: Readonly<Partial<Record<ArgumentRole, number>>>;
  readonly blocks: Readonly<Record<Axis, Affine>>;
  readonly shared: ReadonlyMap<string, SharedOffset>;
}

interface Scope {
  readonly variables: ReadonlyMap<string, Affine>;
  readonly masks: readonly Mask[];
  readonly ends: Ends;
  /** Counters of the enclosing loops and of the block indices. */
  readonly loops: readonly Affine[];
}

export function accessSites({
  ir,
  problem,
  grid,
  block,
}: Pick<LoweredKernel, 'ir' | 'problem' | 'grid' | 'block'>): readonly AccessSite[] {
  const threads = threadsOf(block);
  const walk: TraversalContext = {
    threads,
    sites: [],
    share: sharedAtoms(),
    blocks: blockIndices(grid),
    warpsPerBlock: Math.ceil((block.x * block.y * block.z) / WARP_LANES),
    constants: new Map(ir.constants.map(({ name, value }) => [name, value])),
    parameters: parametersOf(problem),
    shared: sharedOffsets(ir),
    width: 1,
    copied: false,
  };
  const scope: Scope = {
    variables: new Map(),
    masks: threads.masks,
    ends: new Map(),
    loops: Object.values(walk.blocks),
  };
  visit(ir.body, walk, scope);
  return withCounterparts(walk.sites);
}

const blockIndices = ({ x, y, z }: Dim3): TraversalContext['blocks'] => ({
  x: counting(x),
  y: counting(y),
  z: counting(z),
});

/** Returns the lane index. The block must be one-dimensional. */
const laneOf = ({ threads }: TraversalContext): Affine =>
  binary('%', threads.indices.x, fixed(WARP_LANES));

const affine = (expr: Expr, walk: TraversalContext, scope: Scope): Affine =>
  walk.share(
    affineOf(withoutClamp(expr), leaf => {
      switch (leaf.op) {
        case 'constant':
          return fixed(walk.constants.get(leaf.name) ?? NaN);
        case 'parameter':
          return fixed(walk.parameters[leaf.role] ?? NaN);
        case 'variable':
          return scope.variables.get(leaf.name) ?? fixed(NaN);
        case 'threadIdx':
          return walk.threads.indices[leaf.axis];
        case 'blockIdx':
          return walk.blocks[leaf.axis];
        case 'warpIdx':
          return binary('/', walk.threads.indices.x, fixed(WARP_LANES));
        case 'laneIdx':
          return laneOf(walk);
      }
    }),
  );

/**
 * Variables that hold the tile origin. A non-affine tile origin is replaced by an independent
 * counter, because the raster order does not affect the request cost.
 */
const TILES: Readonly<Record<string, { readonly size: 'm' | 'n'; readonly tile: string }>> = {
  blockRow: { size: 'm', tile: 'BM' },
  blockCol: { size: 'n', tile: 'BN' },
};

function letBound(name: string, value: Affine, walk: TraversalContext): Affine {
  const tiles = TILES[name];
  if (tiles === undefined || !hasOpaque(value)) return value;
  const extent = walk.constants.get(tiles.tile) ?? 1;
  const count = Math.ceil((walk.parameters[tiles.size] ?? 1) / extent);
  return scaled(counting(count), extent);
}

const hasOpaque = ({ terms }: Affine): boolean => terms.some(({ atom }) => atom.kind === 'opaque');

function visit(body: readonly Statement[], walk: TraversalContext, outside: Scope): void {
  const variables = new Map(outside.variables);
  const scope: Scope = { ...outside, variables };
  for (const statement of body) {
    switch (statement.op) {
      case 'let':
        variables.set(
          statement.name,
          letBound(statement.name, affine(statement.value, walk, scope), walk),
        );
        break;
      case 'assign': {
        const { value, place, width = 1 } = statement;
        visitValue(value, { ...walk, width }, scope);
        const copied = statement.asynchronous === true;
        if (place.op !== 'register') addSite(place, 'store', { ...walk, width, copied }, scope);
        break;
      }
      case 'fma': {
        const { left, right, place, width = 1 } = statement;
        for (const value of [left, right, place]) visitValue(value, { ...walk, width }, scope);
        break;
      }
      case 'if':
        visit(statement.body, walk, under(statement.condition, walk, scope));
        for (const failing of failures(statement.condition)) {
          visit(statement.otherwise ?? [], walk, under(failing, walk, scope));
        }
        break;
      case 'for':
        visitLoop(statement, walk, scope);
        break;
      case 'loadRows': {
        const { from, matrices } = statement;
        const width = WIDEST_BYTES / (walk.shared.get(from.array)?.bytes ?? 1);
        const named = difference(laneOf(walk), fixed(MATRIX_ROWS * matrices));
        const masks = isAlwaysTrue(named) ? scope.masks : [...scope.masks, named];
        addSite(from, 'load', { ...walk, width }, { ...scope, masks });
        break;
      }
      // All other statements contain no accesses, or accesses whose layout the driver chooses.
      default:
        break;
    }
  }
}

function visitValue(value: Value, walk: TraversalContext, scope: Scope): void {
  switch (value.op) {
    case 'global':
    case 'shared':
      addSite(value, 'load', walk, scope);
      break;
    case 'mul':
    case 'add':
    case 'sub':
      visitValue(value.left, walk, scope);
      visitValue(value.right, walk, scope);
      break;
    case 'guarded':
      visitValue(value.value, walk, under(value.condition, walk, scope));
      break;
    case 'convert':
    case 'activation':
      visitValue(value.value, walk, scope);
      break;
    case 'broadcast':
      visitValue(value.value, { ...walk, width: 1 }, scope);
      break;
    case 'lanes':
      for (const each of value.values) visitValue(each, { ...walk, width: 1 }, scope);
      break;
    case 'zero':
    case 'scalar':
    case 'register':
    case 'quadBroadcast':
    case 'shuffleXor':
      break;
  }
}

function addSite(
  element: GlobalElement | SharedElement,
  op: AccessSite['op'],
  walk: TraversalContext,
  scope: Scope,
): void {
  // Skip accesses that are never executed, such as main-loop copies if K has fewer tiles than the
  // pipeline has stages.
  if (scope.masks.some(isNeverTrue)) return;
  const { site, op: space } = element;
  const place =
    element.op === 'global'
      ? { base: 0, row: affine(element.stride, walk, scope).constant }
      : walk.shared.get(element.array);
  if (place === undefined) throw new Error(`${site.name} accesses an undeclared shared array`);
  const offset =
    element.op === 'global' && element.offset !== undefined
      ? affine(element.offset, walk, scope)
      : fixed(0);
  const outer = affine(element.outer, walk, scope);
  const inner = sum(offset, affine(element.inner, walk, scope));
  walk.sites.push({
    site,
    op,
    space,
    base: place.base,
    row: place.row,
    width: walk.width,
    copied: walk.copied,
    ...ended({ outer, inner, offset, warp: walk.threads.warp }, scope),
    visits: walk.warpsPerBlock * iterations(scope, [outer, inner]),
    outside: [],
  });
}

/**
 * Returns the product of the iteration counts of the enclosing loops and block indices, after
 * conditions have reduced them.
 */
function iterations({ loops, ends, masks }: Scope, address: readonly Affine[]): number {
  const inside = insideOfOpaque([...address, ...masks]);
  return loops.reduce((product, { terms }) => {
    const counter = terms[0]?.atom;
    if (counter?.kind !== 'counter') return product;
    const end = inside.has(counter) ? undefined : ends.get(counter);
    return product * (end?.counter.count ?? counter.count);
  }, 1);
}

function under(condition: Condition, walk: TraversalContext, scope: Scope): Scope {
  const masks = condition
    .filter(({ right }) => !isSize(right))
    .map(({ left, right, orEqual }) => {
      const over = difference(affine(left, walk, scope), affine(right, walk, scope));
      return orEqual ? difference(over, fixed(1)) : over;
    });
  const ends = masks.map(endOf);
  return {
    variables: scope.variables,
    loops: scope.loops,
    masks: [...scope.masks, ...masks.filter((mask, i) => ends[i] === null && !isAlwaysTrue(mask))],
    ends: new Map([...scope.ends, ...ends.filter(end => end !== null)]),
  };
}

const isAlwaysTrue = (mask: Mask): boolean => rangeOf(mask)[1] < 0;
const isNeverTrue = (mask: Mask): boolean => rangeOf(mask)[0] >= 0;

/**
 * Traverses a loop with an iteration counter, so that lanes with different start values iterate in
 * lockstep.
 */
function visitLoop(
  loop: Extract<Statement, { op: 'for' }>,
  walk: TraversalContext,
  scope: Scope,
): void {
  const from = affine(loop.from, walk, scope);
  const span = difference(affine(loop.to, walk, scope), from);
  const step = affine(loop.step, walk, scope).constant;
  const count = Math.max(0, Math.ceil(largest(span, walk.threads.masks) / step));
  if (count === 0) return;
  const counted = looping(count);
  const passed = scaled(counted, step);
  const variables = new Map(scope.variables).set(loop.index, sum(from, passed));
  for (const { name, from: first, by } of loop.advancing ?? []) {
    const added = binary('*', counted, affine(by, walk, scope));
    variables.set(name, sum(affine(first, walk, scope), added));
  }
  const over = difference(passed, span);
  const uneven = rangeOf(over)[1] < 0 ? [] : [over];
  visit(loop.body, walk, {
    ...scope,
    variables,
    loops: [...scope.loops, counted],
    masks: [...scope.masks, ...uneven],
  });
}
