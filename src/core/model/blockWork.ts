/** What one block asks of its multiprocessor for a step along K: instructions and passes of a whole block. */
import { WARP_LANES } from '../hardware/warp';
import { inWordOf } from '../plan/mma/fragmentPlaces';
import { fragmentPlanIn, lanePlanIn, matrixPlanIn } from '../plan/family';
import type { MatrixPlan, Plan } from '../plan/plan';
import { pipelineOf } from '../plan/steps';
import { QUAD } from '../plan/simt/registerTile';
import { DTYPE_BYTES } from '../types/dtype';
import type { SiteCost, SiteCosts } from './siteCosts';

const SECTORS_A_LINE = 4;
const SECTOR_BYTES = 32;
const WORD_BYTES = 4;

/** Of a staged tile; of one depth where nothing is staged. */
export interface StepWork {
  /** Instructions that multiply and add: two halves packed into one are one, and so are two matrices of a warp. */
  readonly multiplyAdds: number;
  /** Instructions on ordinary lanes that make pieces of f32, and add up what tensor cores summed of them. */
  readonly ofPieces: number;
  /** How often a warp waits for the fragments that it multiplies next. */
  readonly fragmentWaits: number;
  readonly sharedRequests: number;
  /** Without those of asynchronous copies. */
  readonly sharedWavefronts: number;
  /** Of those what no compiler makes fewer: none where it may join loads that the analysis does not. */
  readonly boundingWavefronts: number;
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
  /** Tensor cores and copies work by themselves: a warp that waits for neither has its latencies behind its own work. */
  readonly onTensorCores: boolean;
  /** Bytes of C, or of its partial sums, that the block writes and reads. */
  readonly resultBytes: number;
}

/** The work of a block, from what a request costs at each site. Edges count as whole tiles, as they are computed. */
export function blockWork(plan: Plan, costs: SiteCosts): BlockWork {
  const { tile, threads, split, spec, accumulator } = plan;
  const { k, c, beta } = spec.problem;
  const warps = Math.ceil(threads / WARP_LANES);
  const depth = Math.max(1, tile.k);
  const { copies = 'direct', stages = 1 } = pipelineOf(plan) ?? {};
  const a = operandWork(plan, costs, 'a', warps);
  const b = operandWork(plan, costs, 'b', warps);
  const { a: ofA, b: ofB } = costs.fragment ?? {};
  const isAsWritten = ofA?.asWritten === true || ofB?.asWritten === true;
  const { inner, outer } = plan.spilledEstimate;
  const summedBytes = DTYPE_BYTES[split?.reduction === 'two-pass' ? accumulator : c.dtype];
  const reads = beta !== 0 || split?.reduction === 'atomic' ? 2 : 1;
  const loads = a.globalRequests + b.globalRequests;
  // One literal: this runs for each of many schedules.
  return {
    warps,
    depth,
    multiplyAdds: warps * productsOf(plan),
    ofPieces: warps * instructionsOfPieces(plan),
    fragmentWaits: waitsOf(plan),
    sharedRequests: a.sharedRequests + b.sharedRequests,
    sharedWavefronts: a.sharedWavefronts + b.sharedWavefronts,
    boundingWavefronts: isAsWritten ? 0 : a.sharedWavefronts + b.sharedWavefronts,
    copyWavefronts: a.copyWavefronts + b.copyWavefronts,
    spilledWords: inner * depthsOf(plan) + outer,
    // Stored and loaded at each depth, or loaded once a tile.
    spilledRequests: (2 * inner * depthsOf(plan) + outer) * warps,
    globalRequests: loads,
    copyRequests: copies === 'asynchronous' ? loads : 0,
    globalLines: a.globalLines + b.globalLines,
    loadedBytes: a.loadedBytes + b.loadedBytes,
    steps: Math.ceil((split?.depth ?? k) / depth),
    copies: plan.shared === undefined ? 'none' : copies,
    tilesAhead: Math.max(1, stages - 1),
    onTensorCores: matrixPlanIn(plan) !== null,
    resultBytes: tile.m * tile.n * summedBytes * reads,
  };
}

/** Depths of a tile at which fragments are loaded: of matrices, as deep as they are. */
const depthsOf = (plan: Plan): number =>
  Math.max(1, plan.tile.k / (matrixPlanIn(plan)?.shape.k ?? 1));

/** Instructions of a warp for a step. */
function productsOf(plan: Plan): number {
  const { thread, accumulator } = plan;
  const depths = depthsOf(plan);
  switch (plan.family) {
    case 'mma':
      return depths * matricesOf(plan.matrix) * (plan.fragments.pieces?.products.length ?? 1);
    case 'subgroup-matrix':
      return depths * matricesOf(plan.matrix);
    case 'simt':
    case 'wgmma': {
      const packed = accumulator === 'f16' && lanePlanIn(plan) !== null ? 2 : 1;
      return (depths * thread.m * thread.n) / packed;
    }
  }
}

const matricesOf = ({ warp, shape }: MatrixPlan): number => (warp.m / shape.m) * (warp.n / shape.n);

/** Sums that a lane has of a matrix. */
const SUMS = 4;

/** Of a warp for a step: a word of pieces is rounded at once, and what is left of its elements computed one by one. */
function instructionsOfPieces(plan: Plan): number {
  if (plan.family !== 'mma' || plan.fragments.pieces === undefined) return 0;
  const { matrix } = plan;
  const { pieces, a, b } = plan.fragments;
  const { warp, shape } = matrix;
  const inWord = inWordOf(pieces);
  // bf16 is widened first.
  const left = inWord === 1 ? 1 : 2 * inWord;
  const loaded = (warp.m / shape.m) * a.words + (warp.n / shape.n) * b.words;
  const made = (loaded / inWord) * (pieces.count + (pieces.count - 1) * left);
  return (plan.tile.k / shape.k) * (made + SUMS * matricesOf(matrix));
}

/** Fragments of matrices that are loaded a depth ahead are there when they are multiplied. */
const waitsOf = (plan: Plan): number => (fragmentPlanIn(plan)?.buffers === 2 ? 0 : depthsOf(plan));

/** Requests of a warp for the fragments of a step. */
function fragmentRequests(plan: Plan, operand: 'a' | 'b', { widthBytes }: SiteCost): number {
  const { thread } = plan;
  const results = operand === 'a' ? thread.m : thread.n;
  const side = operand === 'a' ? 'm' : 'n';
  if (plan.family !== 'mma')
    return (depthsOf(plan) * results * DTYPE_BYTES[plan.dtypes[operand]]) / widthBytes;
  const along = plan.matrix.warp[side] / plan.matrix.shape[side];
  const { load, words, together, loads } = plan.fragments[operand];
  return depthsOf(plan) * (load === 'words' ? along * words : (along * loads) / together);
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
  const { tile, thread } = plan;
  const depth = Math.max(1, tile.k);
  const bytes = DTYPE_BYTES[plan.dtypes[operand]];
  const side = operand === 'a' ? tile.m : tile.n;
  const results = operand === 'a' ? thread.m : thread.n;
  const load = costs.load[operand];
  const staged = plan.shared !== undefined;
  // A tile is loaded once; without tiles every thread loads what each of its products takes.
  // A quad shares what it reads of A.
  const givers = lanePlanIn(plan)?.sharing === 'quad' && operand === 'a' ? QUAD : 1;
  const loads = staged
    ? (side * depth * bytes) / load.widthBytes / WARP_LANES
    : (warps * results * depth * bytes) / load.widthBytes / givers;
  const run = staged ? runOf(plan, operand) : load.cost <= SECTORS_A_LINE ? SECTORS_A_LINE : 1;
  const store = costs.store?.[operand];
  const stores = store === undefined ? 0 : (side * depth * bytes) / store.widthBytes / WARP_LANES;
  const fragment = costs.fragment?.[operand];
  const fragments = fragment === undefined ? 0 : warps * fragmentRequests(plan, operand, fragment);
  // An asynchronous copy is one instruction.
  const moves = pipelineOf(plan)?.copies === 'asynchronous' ? 0 : stores;
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
