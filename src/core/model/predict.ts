/**
 * How long a CUDA kernel will take: what the pipes of an SM need for a step of its resident blocks, or the latency that
 * those cannot hide, over all steps and rounds of blocks; at least what DRAM takes to move the operands; and its launches.
 */
import { WARP_LANES } from '../hardware/warp';
import { compulsoryBytes, splitBytes } from '../plan/traffic';
import { flops } from '../spec/resolved';
import type { Plan } from '../plan/plan';
import { blockWork, type BlockWork } from './blockWork';
import type { Calibration } from './calibration';
import type { Machine } from './machine';
import type { SiteCosts } from './siteCosts';

/** Cycles that a step of an SM's blocks would take if that alone counted. */
export interface StepCycles {
  /** The pipe that multiplies and adds, and every instruction's slot with a scheduler. */
  readonly issue: number;
  /** Wavefronts of shared memory, requests, and lines of the L1 cache: one unit takes them in turn. */
  readonly loadStore: number;
  readonly l2: number;
  /** A tile's latency as far as the block's own work does not cover it: other blocks may. */
  readonly latency: number;
}

export interface Prediction {
  readonly milliseconds: number;
  readonly tflops: number;
  readonly step: StepCycles;
  /** Of all of them together. */
  readonly stepCycles: number;
  readonly steps: number;
  /** Blocks of the busiest SM, and how many of them it holds at a time. */
  readonly blocksOfSm: number;
  readonly blocksPerSm: number;
  /** Milliseconds of each by itself. */
  readonly parts: Readonly<Record<'multiprocessors' | 'dram' | 'launch', number>>;
}

export interface PredictionInput {
  readonly plan: Plan;
  readonly costs: SiteCosts;
  /** At least 1. */
  readonly blocksPerSm: number;
  readonly machine: Machine;
  readonly calibration: Calibration;
  /** What if SMs shared blocks evenly, as fractions. */
  readonly wholeBlocks?: false;
  /** What if a tile were there as soon as it is asked for: blocks wait for fragments, spilled words and barriers alone. */
  readonly withoutLatency?: true;
}

const SCHEDULERS = 4;

export function predict(input: PredictionInput): Prediction {
  const { plan, costs, blocksPerSm, machine, calibration } = input;
  const work = blockWork(plan, costs);
  const { grid, split, spec } = plan;
  const share = (grid.x * grid.y * grid.z) / machine.multiprocessors;
  const blocksOfSm = input.wholeBlocks === false ? share : Math.ceil(share);
  const full = Math.floor(blocksOfSm / blocksPerSm);
  const rest = blocksOfSm - full * blocksPerSm;
  const most = roundOf(work, Math.min(blocksPerSm, blocksOfSm), input);
  const cycles =
    input.wholeBlocks === false
      ? (most.cycles * blocksOfSm) / Math.min(blocksPerSm, blocksOfSm)
      : full * most.cycles + (rest === 0 ? 0 : roundOf(work, rest, input).cycles);
  const launches = split?.pass === undefined ? 1 : 2;
  const parts = {
    multiprocessors: cycles / machine.clockMHz / 1000,
    dram: (compulsoryBytes(spec.problem) + splitBytes(plan)) / machine.dramGBps / 1e6,
    launch: (launches * calibration.launchMicroseconds) / 1000,
  };
  const running = norm(calibration.overlap, parts.multiprocessors, parts.dram);
  const milliseconds = running + parts.launch;
  // One literal: this runs for each of many schedules.
  return {
    milliseconds,
    tflops: flops(spec.problem) / milliseconds / 1e9,
    parts,
    blocksOfSm,
    blocksPerSm,
    steps: work.steps,
    step: most.step,
    stepCycles: most.stepCycles,
  };
}

interface Round {
  readonly cycles: number;
  readonly step: StepCycles;
  readonly stepCycles: number;
}

/** So many blocks side by side, from their first tile to their results. */
function roundOf(
  work: BlockWork,
  count: number,
  { machine, calibration, withoutLatency }: PredictionInput,
): Round {
  const { blockCycles, resultBytesPerCycle, overlap } = calibration;
  const step = stepOf(work, count, machine, calibration, withoutLatency === true);
  const together = norm(overlap, step.issue, step.loadStore, step.l2, step.latency);
  // However costs overlap, shared memory passes a wavefront a cycle.
  const stepCycles = Math.max(together, count * work.boundingWavefronts);
  const results = (count * work.resultBytes) / resultBytesPerCycle;
  return { step, stepCycles, cycles: work.steps * stepCycles + blockCycles + results };
}

function stepOf(
  work: BlockWork,
  count: number,
  { lanes }: Machine,
  calibration: Calibration,
  isPrompt: boolean,
): StepCycles {
  const { warps, multiplyAdds, sharedRequests, globalRequests, copyRequests } = work;
  const requests = sharedRequests + globalRequests;
  const instructions = multiplyAdds + work.ofPieces + requests + work.spilledRequests;
  // A warp issues from one scheduler, which has a quarter of the lanes: three warps take as long as four.
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
  // However many others there are, a warp waits for its own fragments.
  const alone = Math.max(turnsOf(warps) * perWarp, perWarp + waits);
  return {
    issue: turnsOf(count * warps) * perWarp,
    loadStore: count * loadStore,
    l2: (count * work.loadedBytes) / calibration.l2BytesPerCycle,
    latency: isPrompt ? waits : latencyOf(work, { alone, waits }, calibration),
  };
}

/** What a block takes for a step however few others there are. */
function latencyOf(
  { copies, tilesAhead, onTensorCores }: BlockWork,
  { alone, waits }: { readonly alone: number; readonly waits: number },
  { tileLatencyCycles }: Calibration,
): number {
  // What of a tile's latency its own work does not cover.
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

/** Of a scheduler, so that each of so many warps has its own. */
const turnsOf = (warps: number): number => Math.ceil(warps / SCHEDULERS);

/** Between the sum (power 1) and the largest. */
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
