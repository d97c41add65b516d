/**
 * Computes the work of one block per k-iteration: instructions, requests and wavefronts of all its
 * warps.
 */
import { WARP_LANES } from '../hardware/warp';
import { termsPerWord } from '../plan/mma/fragmentPositions';
import { fragmentPlanIn, lanePlanIn, matrixPlanIn } from '../plan/family';
import type { MatrixPlan, Plan } from '../plan/plan';
import { pipelineOf } from '../plan/steps';
import { epilogueTileBytes } from '../plan/traffic';
import { QUAD } from '../plan/simt/registerTile';
import { productsOf } from '../spec/epilogue';
import { DTYPE_BYTES } from '../types/dtype';
import type { SiteCost, SiteCosts } from './siteCosts';

const SECTORS_PER_LINE = 4;
const SECTOR_BYTES = 32;
const WORD_BYTES = 4;

/**
 * Work per k-iteration, which covers one BK-deep tile, or a single k in kernels without staging.
 */
export interface StepWork {
  /** FMA or MMA instructions of all warps; a packed half2 FMA counts as one. */
  readonly multiplyAdds: number;
  /**
   * Instructions on the FMA lanes that split f32 operands into terms and add the split products.
   */
  readonly ofPieces: number;
  readonly fragmentWaits: number;
  readonly sharedRequests: number;
  /** Shared-memory wavefronts, excluding asynchronous copies. */
  readonly sharedWavefronts: number;
  /**
   * Lower bound of the wavefronts after compilation. Zero if the compiler may join loads that the
   * analysis counts separately.
   */
  readonly boundingWavefronts: number;
  readonly copyWavefronts: number;
  readonly globalRequests: number;
  readonly copyRequests: number;
  /** 128-byte cache lines that all global requests access, counted per request. */
  readonly globalLines: number;
  readonly spilledRequests: number;
  readonly spilledWords: number;
  /** Bytes of the staged A and B tiles; 0 without staging. */
  readonly loadedBytes: number;
}

export interface BlockWork extends StepWork {
  readonly warps: number;
  readonly depth: number;
  readonly steps: number;
  /**
   * Load method of the next tile: `none` without staging in shared memory, `direct` loads and
   * waits, `registers` prefetches into registers, `asynchronous` copies `tilesAhead` tiles ahead.
   */
  readonly copies: 'none' | 'direct' | 'registers' | 'asynchronous';
  readonly tilesAhead: number;
  /** `true` for `mma` and WGSL subgroup-matrix kernels. */
  readonly onTensorCores: boolean;
  /**
   * Bytes of C and the operands of the epilogue, or of split-K partial results, that the block
   * reads and writes.
   */
  readonly resultBytes: number;
}

/**
 * Computes the work of a block from the cost per request at each site. Boundary tiles count as full
 * tiles, because the kernel computes them in full.
 */
export function blockWork(plan: Plan, costs: SiteCosts): BlockWork {
  const { tile, threads, split, spec, accumulator } = plan;
  const { k, c, beta } = spec.problem;
  const isReduced = split?.reduction === 'two-pass';
  const warps = Math.ceil(threads / WARP_LANES);
  const depth = Math.max(1, tile.k);
  const { copies = 'direct', stages = 1 } = pipelineOf(plan) ?? {};
  const a = operandWork(plan, costs, 'a', warps);
  const b = operandWork(plan, costs, 'b', warps);
  const { a: ofA, b: ofB } = costs.fragment ?? {};
  const isAsWritten = ofA?.asWritten === true || ofB?.asWritten === true;
  const { inner, outer } = plan.spilledEstimate;
  const summedBytes = DTYPE_BYTES[isReduced ? accumulator : c.dtype];
  const reads = beta !== 0 || split?.reduction === 'atomic' ? 2 : 1;
  const loads = a.globalRequests + b.globalRequests;
  const products = productsOf(spec.problem);
  // A single object literal avoids copies. This function runs for thousands of schedules.
  return {
    warps,
    depth,
    multiplyAdds: products * warps * mathInstructionsOf(plan),
    ofPieces: warps * splitInstructionsOf(plan),
    fragmentWaits: waitsOf(plan),
    sharedRequests: a.sharedRequests + b.sharedRequests,
    sharedWavefronts: a.sharedWavefronts + b.sharedWavefronts,
    boundingWavefronts: isAsWritten ? 0 : a.sharedWavefronts + b.sharedWavefronts,
    copyWavefronts: a.copyWavefronts + b.copyWavefronts,
    spilledWords: inner * kStepsOf(plan) + outer,
    // `inner` words are stored and loaded in each k-step; `outer` words are loaded once per tile.
    spilledRequests: (2 * inner * kStepsOf(plan) + outer) * warps,
    globalRequests: loads,
    copyRequests: copies === 'asynchronous' ? loads : 0,
    globalLines: a.globalLines + b.globalLines,
    loadedBytes: a.loadedBytes + b.loadedBytes,
    steps: Math.ceil((split?.sliceK ?? k) / depth),
    copies: plan.shared === undefined ? 'none' : copies,
    tilesAhead: Math.max(1, stages - 1),
    onTensorCores: matrixPlanIn(plan) !== null,
    // The reduction kernel of split-K applies the epilogue.
    resultBytes:
      (isReduced ? products : 1) * tile.m * tile.n * summedBytes * reads +
      (isReduced ? 0 : epilogueTileBytes(spec.problem, tile)),
  };
}

/**
 * Returns the number of k-steps per tile: one per k, or one per K extent of the MMA instruction.
 */
const kStepsOf = (plan: Plan): number =>
  Math.max(1, depthOf(plan) / (matrixPlanIn(plan)?.shape.k ?? 1));

/** Returns the k values per thread and k-iteration. The threads of `gemv` split the K tile. */
const depthOf = (plan: Plan): number => Math.max(1, lanePlanIn(plan)?.gemv?.depth ?? plan.tile.k);

function mathInstructionsOf(plan: Plan): number {
  const { thread, accumulator } = plan;
  const depths = kStepsOf(plan);
  switch (plan.family) {
    case 'mma':
      return (
        depths * matricesOf(plan.matrix) * (plan.fragments.fp32Emulation?.products.length ?? 1)
      );
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

/** Accumulators per lane in one MMA tile. */
const ACCUMULATORS = 4;

/**
 * Returns the number of instructions per warp and k-iteration that split f32 operands into terms
 * and add the split products, or 0 for other kernels. Rounding handles a whole register word; each
 * remainder is computed per element.
 */
function splitInstructionsOf(plan: Plan): number {
  if (plan.family !== 'mma' || plan.fragments.fp32Emulation === undefined) return 0;
  const { matrix } = plan;
  const { fp32Emulation, a, b } = plan.fragments;
  const { warp, shape } = matrix;
  const inWord = termsPerWord(fp32Emulation);
  // Computing the remainder of a bf16 term requires a conversion to f32 first.
  const left = inWord === 1 ? 1 : 2 * inWord;
  const products = productsOf(plan.spec.problem);
  const loaded = (warp.m / shape.m) * a.words + products * (warp.n / shape.n) * b.words;
  const made = (loaded / inWord) * (fp32Emulation.count + (fp32Emulation.count - 1) * left);
  return (plan.tile.k / shape.k) * (made + products * ACCUMULATORS * matricesOf(matrix));
}

/**
 * Returns the number of fragment waits per k-iteration. Double-buffered `mma` fragments are loaded
 * one k-step ahead, so a warp does not wait for them.
 */
const waitsOf = (plan: Plan): number => (fragmentPlanIn(plan)?.buffers === 2 ? 0 : kStepsOf(plan));

function fragmentRequests(plan: Plan, operand: 'a' | 'b', { widthBytes }: SiteCost): number {
  const { thread } = plan;
  const results = operand === 'a' ? thread.m : thread.n;
  const side = operand === 'a' ? 'm' : 'n';
  if (plan.family !== 'mma')
    return (kStepsOf(plan) * results * DTYPE_BYTES[plan.dtypes[operand]]) / widthBytes;
  const along = plan.matrix.warp[side] / plan.matrix.shape[side];
  const { load, words, together, loads } = plan.fragments[operand];
  return kStepsOf(plan) * (load === 'words' ? along * words : (along * loads) / together);
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
  const depth = depthOf(plan);
  const bytes = DTYPE_BYTES[plan.dtypes[operand]];
  const products = operand === 'a' ? 1 : productsOf(plan.spec.problem);
  const side = operand === 'a' ? tile.m : products * tile.n;
  const results = operand === 'a' ? thread.m : products * thread.n;
  const load = costs.load[operand];
  const staged = plan.shared !== undefined;
  // A staged tile is loaded once per block. Without staging, every thread loads the operands of
  // each FMA. With quad sharing, the threads of a quad share their loads of A.
  const givers = lanePlanIn(plan)?.sharing === 'quad' && operand === 'a' ? QUAD : 1;
  const loads = staged
    ? (side * depth * bytes) / load.widthBytes / WARP_LANES
    : (warps * results * depth * bytes) / load.widthBytes / givers;
  const run = staged ? runOf(plan, operand) : load.cost <= SECTORS_PER_LINE ? SECTORS_PER_LINE : 1;
  const store = costs.store?.[operand];
  const stores = store === undefined ? 0 : (side * depth * bytes) / store.widthBytes / WARP_LANES;
  const fragment = costs.fragment?.[operand];
  const fragments =
    fragment === undefined ? 0 : products * warps * fragmentRequests(plan, operand, fragment);
  const moves = pipelineOf(plan)?.copies === 'asynchronous' ? 0 : stores;
  return {
    globalRequests: loads,
    globalLines: loads * Math.max(1, load.cost / run),
    loadedBytes: staged ? side * depth * bytes : 0,
    sharedRequests: fragments + moves,
    sharedWavefronts: fragments * (fragment?.cost ?? 0) + moves * (store?.cost ?? 0),
    // A conflict-free copy request of any width occupies the pipe for one wavefront, as hardware
    // counters on compute capability 9.0 show.
    copyWavefronts:
      store === undefined ? 0 : ((stores - moves) * store.cost * WORD_BYTES) / store.widthBytes,
  };
}

/** Returns the number of sectors per contiguous run of a staged tile, limited to 1..4. */
function runOf({ tile, spec, dtypes }: Plan, operand: 'a' | 'b'): number {
  const byRow = spec.problem[operand].layout === 'row';
  const kIsContiguous = (operand === 'a') === byRow;
  const side = operand === 'a' ? tile.m : tile.n;
  const bytes = (kIsContiguous ? tile.k : side) * DTYPE_BYTES[dtypes[operand]];
  return Math.min(SECTORS_PER_LINE, Math.max(1, bytes / SECTOR_BYTES));
}
