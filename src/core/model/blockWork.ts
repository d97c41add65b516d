/** What one block asks of its multiprocessor for a step along K: instructions and passes of a whole block. */
import type { Plan } from '../plan/plan';
import { QUAD } from '../plan/registerTile';
import { DTYPE_BYTES } from '../spec/dtype';
import type { SiteCosts } from './siteCosts';

const LANES = 32;
const SECTORS_A_LINE = 4;
const SECTOR_BYTES = 32;
const WORD_BYTES = 4;

/** Of a staged tile; of one depth where nothing is staged. */
export interface StepWork {
  /** Multiply-adds, two halves packed into one counting once. */
  readonly multiplyAdds: number;
  readonly sharedRequests: number;
  /** Without those of asynchronous copies. */
  readonly sharedWavefronts: number;
  readonly copyWavefronts: number;
  readonly globalRequests: number;
  /** Of those, asynchronous copies. */
  readonly copyRequests: number;
  /** 128-byte lines that the requests touch: the L1 cache looks one up a cycle. */
  readonly globalLines: number;
  /** Words of a warp's lanes that spilled registers move, one a lane, and those of one thread that it waits for. */
  readonly spilledRequests: number;
  readonly spilledWords: number;
  /** Bytes that come from the L2 cache or beyond, without L1 hits. */
  readonly loadedBytes: number;
}

export interface BlockWork extends StepWork {
  readonly warps: number;
  /** Of K that a step goes along. */
  readonly depth: number;
  readonly steps: number;
  /** How the next tile comes: loaded, then waited for; held in registers meanwhile; or by itself, so many tiles ahead. */
  readonly copies: 'none' | 'direct' | 'registers' | 'asynchronous';
  readonly tilesAhead: number;
  /** Bytes of C, or of its partial sums, that the block writes and reads. */
  readonly resultBytes: number;
}

/** The work of a block, from what a request costs at each site. Edges count as whole tiles, as they are computed. */
export function blockWork(plan: Plan, costs: SiteCosts): BlockWork {
  const { tile, thread, threads, laned, split, spec, accumulator } = plan;
  const { k, c, beta } = spec.problem;
  const warps = Math.ceil(threads / LANES);
  const depth = Math.max(1, tile.k);
  const packed = accumulator === 'f16' && laned !== undefined ? 2 : 1;
  const a = operandWork(plan, costs, 'a', warps);
  const b = operandWork(plan, costs, 'b', warps);
  const { inner, outer } = plan.spilledEstimate;
  const summedBytes = DTYPE_BYTES[split?.reduction === 'two-pass' ? accumulator : c.dtype];
  const reads = beta !== 0 || split?.reduction === 'atomic' ? 2 : 1;
  const loads = a.globalRequests + b.globalRequests;
  // One literal: this runs for each of many schedules.
  return {
    warps,
    depth,
    multiplyAdds: (warps * depth * thread.m * thread.n) / packed,
    sharedRequests: a.sharedRequests + b.sharedRequests,
    sharedWavefronts: a.sharedWavefronts + b.sharedWavefronts,
    copyWavefronts: a.copyWavefronts + b.copyWavefronts,
    spilledWords: inner * depth + outer,
    // Stored and loaded at each depth, or loaded once a tile.
    spilledRequests: (2 * inner * depth + outer) * warps,
    globalRequests: loads,
    copyRequests: laned?.copies === 'asynchronous' ? loads : 0,
    globalLines: a.globalLines + b.globalLines,
    loadedBytes: a.loadedBytes + b.loadedBytes,
    steps: Math.ceil((split?.depth ?? k) / depth),
    copies: plan.shared === undefined ? 'none' : (laned?.copies ?? 'direct'),
    tilesAhead: Math.max(1, (laned?.stages ?? 1) - 1),
    resultBytes: tile.m * tile.n * summedBytes * reads,
  };
}

type OperandWork = Pick<
  StepWork,
  | 'globalRequests'
  | 'globalLines'
  | 'loadedBytes'
  | 'sharedRequests'
  | 'sharedWavefronts'
  | 'copyWavefronts'
>;

function operandWork(plan: Plan, costs: SiteCosts, operand: 'a' | 'b', warps: number): OperandWork {
  const { tile, thread, laned } = plan;
  const depth = Math.max(1, tile.k);
  const bytes = DTYPE_BYTES[plan.dtypes[operand]];
  const side = operand === 'a' ? tile.m : tile.n;
  const results = operand === 'a' ? thread.m : thread.n;
  const load = costs.load[operand];
  const staged = plan.shared !== undefined;
  // A tile is loaded once; without tiles every thread loads what each of its products takes.
  // A quad shares what it reads of A.
  const givers = laned?.sharing === 'quad' && operand === 'a' ? QUAD : 1;
  const loads = staged
    ? (side * depth * bytes) / load.widthBytes / LANES
    : (warps * results * depth * bytes) / load.widthBytes / givers;
  const run = staged ? runOf(plan, operand) : load.cost <= SECTORS_A_LINE ? SECTORS_A_LINE : 1;
  const store = costs.store?.[operand];
  const stores = store === undefined ? 0 : (side * depth * bytes) / store.widthBytes / LANES;
  const fragment = costs.fragment?.[operand];
  const fragments =
    fragment === undefined ? 0 : (warps * depth * results * bytes) / fragment.widthBytes;
  // An asynchronous copy is one instruction.
  const moves = laned?.copies === 'asynchronous' ? 0 : stores;
  return {
    globalRequests: loads,
    globalLines: loads * Math.max(1, load.cost / run),
    loadedBytes: staged ? side * depth * bytes : 0,
    sharedRequests: fragments + moves,
    sharedWavefronts: fragments * (fragment?.cost ?? 0) + moves * (store?.cost ?? 0),
    // Of a copy's data only what its lanes take in turns keeps the pipe, as counters on 9.0 show.
    copyWavefronts:
      store === undefined ? 0 : ((stores - moves) * store.cost * WORD_BYTES) / store.widthBytes,
  };
}

/** Sectors that lie side by side in a staged tile's operand, as far as a line. */
function runOf({ tile, spec, dtypes }: Plan, operand: 'a' | 'b'): number {
  const byRow = spec.problem[operand].layout === 'row';
  const depthIsContiguous = (operand === 'a') === byRow;
  const side = operand === 'a' ? tile.m : tile.n;
  const bytes = (depthIsContiguous ? tile.k : side) * DTYPE_BYTES[dtypes[operand]];
  return Math.min(SECTORS_A_LINE, Math.max(1, bytes / SECTOR_BYTES));
}
