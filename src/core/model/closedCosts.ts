/**
 * Computes the cost per warp request at each access site in closed form, for `vectorized` and later
 * SIMT algorithms. Ranking uses it to price many schedules without lowering them. Tests compare the
 * results with the access analysis.
 */
import { WARP_LANES } from '../hardware/warp';
import { sectorsOf, wavefrontsOf } from '../memory/requestCost';
import { inMatrix } from '../plan/stridedRows';
import { positionOfLane, stagingUnitOf, WIDEST_BYTES } from '../plan/simt/lanes';
import type { LanedPlan, LanePlan, Plan, SharedTiles } from '../plan/plan';
import { DTYPE_BYTES } from '../types/dtype';
import type { SiteCost, SiteCosts } from './siteCosts';

type Memo = Map<string, SiteCost>;

/** Prices a plan. Returns null for plans without a closed form. */
export type ClosedCosts = (plan: Plan) => SiteCosts | null;

type StagedLanes = LanedPlan & { readonly shared: SharedTiles };

/**
 * Tests whether the costs of a plan have a closed form. Tensor-core kernels, algorithms before
 * `vectorized` and schedules with thread layouts have none.
 */
export const hasClosedForm = (plan: Plan): plan is StagedLanes =>
  plan.family === 'simt' &&
  plan.lanes !== null &&
  plan.shared !== undefined &&
  plan.lanes.threadLayouts === undefined;

export function closedCosts(): ClosedCosts {
  const memo: Memo = new Map();
  const memoized = (key: readonly unknown[], ask: () => SiteCost): SiteCost => {
    const text = key.join();
    const found = memo.get(text);
    if (found !== undefined) return found;
    const cost = ask();
    memo.set(text, cost);
    return cost;
  };
  return plan => {
    if (!hasClosedForm(plan)) return null;
    const laned = plan.lanes;
    const of = (operand: 'a' | 'b') => {
      const tile = stagedTile(plan, operand);
      const { transposed, width, loadsPerStore, swizzle, fragmentStride } = tile.staged;
      const { fragment } = tile;
      const { side, depth, row, bytes, group, base } = tile;
      const { lanes, warp } = laned;
      // Keys contain only values that affect the request, so that more schedules share an entry.
      const isUniform = swizzle === 1 && bytes >= WORD_BYTES;
      const unit = [transposed, width, loadsPerStore, fragmentStride];
      const copy = [operand, side, depth, bytes, ...unit, plan.threads % WARP_LANES];
      const distribution = [
        operand,
        plan.thread.m,
        plan.thread.n,
        lanes.m,
        lanes.n,
        laned.quads,
        group,
        bytes,
        fragment,
      ];
      const turns = bytes >= WORD_BYTES && depth % swizzle === 0 ? [] : [depth, row, base];
      const spread = isUniform ? [] : [swizzle, ...turns, plan.threads, plan.tile.n];
      const across = plan.spec.schedule.warp === undefined ? [plan.threads] : [0];
      const ld = plan.spec.problem[operand].ld % (SECTOR_ALIGNED / bytes);
      return {
        load: memoized(['load', ...copy, ld], () => loadCost(plan, tile)),
        store: memoized(['store', laned.copies, ...copy, row, group, swizzle, base], () =>
          storeCost(plan, tile),
        ),
        fragment: memoized(
          [
            'fragment',
            ...distribution,
            ...across,
            ...spread,
            ...(isUniform ? [] : [warp.m, warp.n]),
          ],
          () => fragmentCost(plan, tile, operand),
        ),
      };
    };
    const [a, b] = [of('a'), of('b')];
    return {
      load: { a: a.load, b: b.load },
      store: { a: a.store, b: b.store },
      fragment: { a: a.fragment, b: b.fragment },
    };
  };
}

/** Bytes of a sector. Only the leading dimension modulo a sector affects the cost. */
const SECTOR_ALIGNED = 32;

const WORD_BYTES = 4;

interface Tile {
  readonly staged: LanePlan['a'];
  /** Rows of A or columns of B in the tile. */
  readonly side: number;
  readonly depth: number;
  /** Row stride in shared memory, in elements including padding. */
  readonly row: number;
  readonly bytes: number;
  readonly group: number;
  /** Offset of the tile in shared memory, in elements. */
  readonly base: number;
  /** Elements per fragment load, if the compiler joins adjacent loads. */
  readonly fragment: number;
}

function stagedTile(plan: StagedLanes, operand: 'a' | 'b'): Tile {
  const { lanes: laned, shared } = plan;
  const bytes = DTYPE_BYTES[plan.dtypes[operand]];
  const tile = shared[operand];
  const bytesBefore = operand === 'a' ? 0 : shared.a.bytes * laned.stages;
  const row = tile.inner + tile.padding;
  const group = operand === 'a' ? laned.group.m : laned.group.n;
  const side = operand === 'a' ? 'm' : 'n';
  // If a single lane covers this dimension, its elements are contiguous.
  const run = laned.lanes[side] === 1 ? plan.thread[side] : group;
  const aligned = [row, run, Math.ceil(bytesBefore / bytes)];
  return {
    staged: laned[operand],
    bytes,
    depth: plan.tile.k,
    row,
    group,
    side: operand === 'a' ? plan.tile.m : plan.tile.n,
    fragment: mergedWidth(laned[operand], bytes, aligned),
    // An offset of whole words only rotates the banks and does not affect the cost.
    base: bytes >= WORD_BYTES ? 0 : Math.ceil(bytesBefore / bytes) % (WORD_BYTES / bytes),
  };
}

/**
 * Returns the width, in elements, of fragment loads after ptxas merges adjacent loads. Equals the
 * result of `mergedAccess` on the loop IR. All addresses must be multiples of the width.
 */
function mergedWidth(
  { fragment, swizzle }: LanePlan['a'],
  bytes: number,
  aligned: readonly number[],
): number {
  if (swizzle > 1) return fragment;
  for (let width = WIDEST_BYTES / bytes; width > fragment; width /= 2) {
    if (aligned.every(elements => elements % width === 0)) return width;
  }
  return fragment;
}

/** Address of each lane in one request, in vectors; NaN for inactive lanes. */
type Request = Float64Array;

/**
 * Returns the number of staging units in a tile. A unit is the block of elements that a thread
 * copies in one operation.
 */
function unitsOf({ staged, side, depth }: Tile): number {
  const unit = stagingUnitOf(staged);
  return (side * depth) / (unit.side * unit.depth);
}

/**
 * Returns the index of the first staging unit of each request. Partial requests count only if no
 * request is full. Returns an empty list if the last warp of a block is partial.
 */
function copies(plan: Plan, tile: Tile): readonly number[] {
  const vectors = unitsOf(tile);
  const firsts = Array.from({ length: Math.ceil(vectors / WARP_LANES) }, (_, i) => i * WARP_LANES);
  const threads = Math.floor(plan.threads / WARP_LANES) * WARP_LANES;
  if (threads !== plan.threads) return [];
  const full = firsts.filter(first => first + WARP_LANES <= vectors);
  return full.length > 0 ? full : firsts;
}

const inShared = ({ row, group, base, staged }: Tile, side: number, depth: number): number =>
  base + depth * row + (staged.swizzle === 1 ? side : side ^ ((depth % staged.swizzle) * group));

function storeCost(plan: LanedPlan, tile: Tile): SiteCost {
  const { staged, bytes } = tile;
  // A transposed copy stores each k of a vector to a different row of shared memory.
  const width = stagingUnitOf(staged).side;
  const elements = staged.transposed ? staged.width : 1;
  const op = plan.lanes.copies === 'asynchronous' ? 'copy' : 'store';
  const costs: number[] = [];
  for (const first of copies(plan, tile)) {
    for (let j = 0; j < elements; j++) {
      const request = requestOf(
        tile,
        first,
        (side, depth) => inShared(tile, side, depth + (staged.transposed ? j : 0)) / width,
      );
      costs.push(wavefrontsOf(request, { bytes: bytes * width, op })(0));
    }
  }
  return { widthBytes: bytes * width, cost: mean(costs) };
}

function loadCost(plan: LanedPlan, tile: Tile): SiteCost {
  const { staged, bytes } = tile;
  const { width, transposed, loadsPerStore } = staged;
  const { ld } = plan.spec.problem[operandOf(plan, tile)];
  const costs = copies(plan, tile).flatMap(first =>
    Array.from({ length: loadsPerStore }, (_, piece) => {
      const along = piece * (transposed ? 1 : width);
      const request = requestOf(
        tile,
        first,
        (side, depth) =>
          (transposed ? (side + along) * ld + depth : depth * ld + inMatrix(staged, side + along)) /
          width,
      );
      return sectorsOf(request, { bytes: bytes * width, op: 'load' })(0);
    }),
  );
  return { widthBytes: bytes * width, cost: mean(costs) };
}

const operandOf = ({ lanes }: LanedPlan, { staged }: Tile): 'a' | 'b' =>
  lanes.a === staged ? 'a' : 'b';

/**
 * Returns the request in which lane i stages unit `first` + i. `at` maps a position in the tile to
 * an address.
 */
function requestOf(
  tile: Tile,
  first: number,
  at: (side: number, depth: number) => number,
): Request {
  const { staged, side, depth } = tile;
  const unit = stagingUnitOf(staged);
  const vectors = unitsOf(tile);
  const line = staged.transposed ? depth / unit.depth : side / unit.side;
  return byLane(lane => {
    const e = first + lane;
    if (e >= vectors) return NaN;
    const [along, across] = [Math.floor(e / line), e % line];
    return staged.transposed
      ? at(along * unit.side, across * unit.depth)
      : at(across * unit.side, along);
  });
}

/**
 * `Float64Array.from` is slower than this loop, and ranking builds hundreds of thousands of
 * requests.
 */
function byLane(elementOf: (lane: number) => number): Request {
  const request = new Float64Array(WARP_LANES);
  for (let lane = 0; lane < WARP_LANES; lane++) request[lane] = elementOf(lane);
  return request;
}

function fragmentCost(plan: LanedPlan, tile: Tile, operand: 'a' | 'b'): SiteCost {
  const laned = plan.lanes;
  const side = operand === 'a' ? 'm' : 'n';
  const { swizzle } = tile.staged;
  const { fragment } = tile;
  const extent = plan.thread[side];
  const { lanes, group } = laned;
  const inGroups = (index: number): number =>
    group[side] === extent
      ? index
      : Math.floor(index / group[side]) * group[side] * lanes[side] + (index % group[side]);
  const warps = plan.spec.schedule.warp === undefined;
  const across = plan.tile.n / laned.warp.n;
  const first = (tid: number): number => {
    const lane = warps ? tid : tid % WARP_LANES;
    const warp = warps ? 0 : Math.floor(tid / WARP_LANES);
    return operand === 'a'
      ? Math.floor(warp / across) * laned.warp.m + positionOfLane(lane, laned).m * group.m
      : (warp % across) * laned.warp.n + positionOfLane(lane, laned).n * group.n;
  };
  const costs: number[] = [];
  // Without a swizzle, the requests of different warps and k-steps differ only by a bank rotation.
  // Types narrower than a word also shift within a word.
  const isUniform = swizzle === 1 && tile.bytes >= WORD_BYTES;
  const whole = Math.floor(plan.threads / WARP_LANES);
  const warpCount = isUniform && !warps ? 1 : Math.max(1, whole);
  const cycle = tile.bytes >= WORD_BYTES && tile.depth % swizzle === 0;
  const depths = cycle ? swizzle : tile.depth;
  for (let warp = 0; warp < warpCount; warp++) {
    for (let depth = 0; depth < depths; depth++) {
      for (let index = 0; index < extent; index += fragment) {
        const request = byLane(lane =>
          warp * WARP_LANES + lane < plan.threads
            ? inShared(tile, first(warp * WARP_LANES + lane) + inGroups(index), depth) / fragment
            : NaN,
        );
        costs.push(wavefrontsOf(request, { bytes: tile.bytes * fragment, op: 'load' })(0));
      }
    }
  }
  const widthBytes = tile.bytes * fragment;
  const isJoined = fragment > tile.staged.fragment;
  const asWritten = !isJoined && widthBytes < WIDEST_BYTES;
  return { widthBytes, cost: mean(costs), ...(asWritten ? { asWritten } : {}) };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
