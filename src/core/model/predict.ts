/**
 * Predicts the time of a CUDA kernel. The time of a k-iteration combines the pipe costs of the
 * resident blocks with the latency that is not hidden. The result combines all k-iterations and
 * waves with the DRAM transfer time, and adds the launch overhead.
 */
import { WARP_LANES } from '../hardware/warp';
import { compulsoryBytes, splitBytes } from '../plan/traffic';
import { flops } from '../spec/resolved';
import type { Plan } from '../plan/plan';
import { blockWork, type BlockWork } from './blockWork';
import type { Calibration } from './calibration';
import type { Machine } from './machine';
import type { SiteCosts } from './siteCosts';

/** Cycles per k-iteration of the resident blocks, for each cost in isolation. */
export interface KIterationCycles {
  /** FMA (or MMA) pipe cycles, or the issue slots of all instructions if they take longer. */
  readonly issue: number;
  /**
   * Load/store unit: shared-memory wavefronts, requests, asynchronous copies, L1 cache lines and
   * spills.
   */
  readonly loadStore: number;
  readonly l2: number;
  /** Latency of one block alone on its SM (see `latencyOf`). Other resident blocks may hide it. */
  readonly latency: number;
}

export interface Prediction {
  readonly milliseconds: number;
  readonly tflops: number;
  readonly step: KIterationCycles;
  readonly stepCycles: number;
  readonly steps: number;
  /** Blocks that the busiest SM executes in total. */
  readonly blocksOfSm: number;
  readonly blocksPerSm: number;
  /** Milliseconds of each component in isolation. */
  readonly parts: Readonly<Record<'multiprocessors' | 'dram' | 'launch', number>>;
}

export interface PredictionInput {
  readonly plan: Plan;
  readonly costs: SiteCosts;
  /** Resident blocks per SM, at least 1. */
  readonly blocksPerSm: number;
  readonly machine: Machine;
  readonly calibration: Calibration;
  /** `false` to distribute the blocks evenly over the SMs, as fractions. */
  readonly wholeBlocks?: false;
  /**
   * `true` to assume that tiles arrive immediately. Warps then wait only for fragments, spilled
   * words and barriers.
   */
  readonly withoutLatency?: true;
}

const SCHEDULERS = 4;

export function predict(input: PredictionInput): Prediction {
  const { plan, costs, blocksPerSm, machine, calibration } = input;
  const work = blockWork(plan, costs);
  const { grid, split, spec } = plan;
  const share = (grid.x * grid.y * grid.z) / machine.multiprocessors;
  const blocksOfBusiestSm = input.wholeBlocks === false ? share : Math.ceil(share);
  const full = Math.floor(blocksOfBusiestSm / blocksPerSm);
  const rest = blocksOfBusiestSm - full * blocksPerSm;
  const most = roundOf(work, Math.min(blocksPerSm, blocksOfBusiestSm), input);
  const cycles =
    input.wholeBlocks === false
      ? (most.cycles * blocksOfBusiestSm) / Math.min(blocksPerSm, blocksOfBusiestSm)
      : full * most.cycles + (rest === 0 ? 0 : roundOf(work, rest, input).cycles);
  const launches = split?.pass === undefined ? 1 : 2;
  const parts = {
    multiprocessors: cycles / machine.clockMHz / 1000,
    dram: (compulsoryBytes(spec.problem) + splitBytes(plan)) / machine.dramGBps / 1e6,
    launch: (launches * calibration.launchMicroseconds) / 1000,
  };
  const running = norm(calibration.overlap, parts.multiprocessors, parts.dram);
  const milliseconds = running + parts.launch;
  // A single object literal avoids copies. This function runs for thousands of schedules.
  return {
    milliseconds,
    tflops: flops(spec.problem) / milliseconds / 1e9,
    parts,
    blocksOfSm: blocksOfBusiestSm,
    blocksPerSm,
    steps: work.steps,
    step: most.step,
    stepCycles: most.stepCycles,
  };
}

interface Round {
  readonly cycles: number;
  readonly step: KIterationCycles;
  readonly stepCycles: number;
}

/** Predicts `count` concurrent blocks on one SM, from prologue to epilogue. */
function roundOf(
  work: BlockWork,
  count: number,
  { machine, calibration, withoutLatency }: PredictionInput,
): Round {
  const { blockCycles, resultBytesPerCycle, overlap } = calibration;
  const step = kIterationOf(work, count, machine, calibration, withoutLatency === true);
  const together = norm(overlap, step.issue, step.loadStore, step.l2, step.latency);
  // Shared memory serves at most one wavefront per cycle, even if all other costs overlap.
  const stepCycles = Math.max(together, count * work.boundingWavefronts);
  const results = (count * work.resultBytes) / resultBytesPerCycle;
  return { step, stepCycles, cycles: work.steps * stepCycles + blockCycles + results };
}

function kIterationOf(
  work: BlockWork,
  count: number,
  { lanes }: Machine,
  calibration: Calibration,
  withoutTileLatency: boolean,
): KIterationCycles {
  const { warps, multiplyAdds, sharedRequests, globalRequests, copyRequests } = work;
  const requests = sharedRequests + globalRequests;
  const instructions = multiplyAdds + work.ofPieces + requests + work.spilledRequests;
  // Each warp is assigned to one of four schedulers, which has a quarter of the lanes. Three warps
  // therefore take as long as four.
  const pipe = (multiplyAdds * WARP_LANES * SCHEDULERS) / lanes;
  const perWarp = Math.max(pipe, instructions) / warps / calibration.multiplyAddShare;
  const loadStore =
    work.sharedWavefronts * calibration.cyclesPerWavefront +
    (requests - copyRequests) * calibration.cyclesPerRequest +
    work.copyWavefronts * calibration.cyclesPerCopyWavefront +
    copyRequests * calibration.cyclesPerCopy +
    work.globalLines * calibration.cyclesPerLine +
    work.spilledRequests * calibration.cyclesPerSpill;
  const waits =
    work.fragmentWaits * calibration.fragmentLatencyCycles +
    work.spilledWords * calibration.spillLatencyCycles +
    calibration.barrierCycles;
  // A warp waits for its own fragments, even if other warps are ready.
  const alone = Math.max(warpsPerScheduler(warps) * perWarp, perWarp + waits);
  return {
    issue: warpsPerScheduler(count * warps) * perWarp,
    loadStore: count * loadStore,
    l2: (count * work.loadedBytes) / calibration.l2BytesPerCycle,
    latency: withoutTileLatency ? waits : latencyOf(work, { alone, waits }, calibration),
  };
}

/**
 * Returns the latency per k-iteration of a block that runs alone on its SM. For FMA kernels, the
 * result includes the block's own instructions and waits. For tensor-core kernels, it includes only
 * the waits and the exposed load latency.
 */
function latencyOf(
  { copies, tilesAhead, onTensorCores }: BlockWork,
  { alone, waits }: { readonly alone: number; readonly waits: number },
  { tileLatencyCycles }: Calibration,
): number {
  // Asynchronous copies overlap with the MMAs, so only the remaining latency counts.
  if (onTensorCores) return waits + Math.max(0, tileLatencyCycles / tilesAhead - alone);
  switch (copies) {
    case 'none':
      return alone;
    case 'direct':
      return alone + tileLatencyCycles;
    case 'registers':
      return Math.max(alone, tileLatencyCycles);
    case 'asynchronous':
      return Math.max(alone, tileLatencyCycles / tilesAhead);
  }
}

const warpsPerScheduler = (warps: number): number => Math.ceil(warps / SCHEDULERS);

/** Computes the p-norm: the sum for power 1, nearly the maximum for large powers. */
function norm(power: number, one: number, two: number, three = 0, four = 0): number {
  const most = Math.max(one, two, three, four);
  if (most === 0) return 0;
  const sum =
    (one / most) ** power +
    (two / most) ** power +
    (three / most) ** power +
    (four / most) ** power;
  return most * sum ** (1 / power);
}
