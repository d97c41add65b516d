/** Predicts the losses of SIMT and `mma` kernels, and the time without each loss. */
import { t } from '@vscode/l10n';
import { readable } from '../../text/digits';
import { blockWork } from '../blockWork';
import { predict, type Prediction, type PredictionInput } from '../predict';
import { withoutConflicts } from '../siteCosts';
import type { CauseText, TimeModel } from '../timeModel';

export const LANE_COSTS = [
  'instruction',
  'latency',
  'fragments',
  'barriers',
  'load-store',
  'copies',
  'conflicts',
  'spills',
  'waves',
  'padding',
  'l2',
  'dram',
  'launch',
] as const;
export type LaneCost = (typeof LANE_COSTS)[number];

export function laneModel(input: PredictionInput): TimeModel {
  const predicted = predict(input);
  const { milliseconds, tflops } = predicted;
  return {
    milliseconds,
    tflops,
    causes: LANE_COSTS,
    texts: () => laneTexts(predicted, input),
    millisecondsWithout: costs => millisecondsWithout(input, costs),
  };
}

function millisecondsWithout(input: PredictionInput, costs: readonly string[]): number {
  const without = (cost: LaneCost): boolean => costs.includes(cost);
  const { calibration, machine, plan } = input;
  const { milliseconds } = predict({
    ...input,
    plan: without('spills') ? { ...plan, spilledEstimate: { inner: 0, outer: 0 } } : plan,
    costs: without('conflicts') ? withoutConflicts(input.costs) : input.costs,
    machine: {
      ...machine,
      ...(without('dram') ? { dramGBps: Infinity } : {}),
      ...(without('instruction') ? { lanes: machine.lanes / (machine.share ?? 1) } : {}),
    },
    calibration: {
      ...calibration,
      ...(without('load-store')
        ? { cyclesPerWavefront: 0, cyclesPerRequest: 0, cyclesPerLine: 0 }
        : {}),
      ...(without('copies') ? { cyclesPerCopyWavefront: 0, cyclesPerCopy: 0 } : {}),
      ...(without('fragments') ? { fragmentLatencyCycles: 0 } : {}),
      ...(without('barriers') ? { barrierCycles: 0 } : {}),
      ...(without('l2') ? { l2BytesPerCycle: Infinity } : {}),
      ...(without('launch') ? { launchMicroseconds: 0 } : {}),
    },
    ...(without('latency') ? { withoutLatency: true } : {}),
    ...(without('waves') ? { wholeBlocks: false } : {}),
  });
  return milliseconds * (without('padding') ? 1 - paddingOf(plan) : 1);
}

/** Returns the fraction of the FMAs that compute elements outside C. */
function paddingOf({ tiles, tile, spec }: PredictionInput['plan']): number {
  const { m, n } = spec.problem;
  return 1 - (m * n) / (tiles.m * tiles.n * tile.m * tile.n);
}

/**
 * Returns the cycles per k-iteration of losses that the prediction includes in a larger cost, and
 * the spilled words per thread.
 */
function costsPerKIteration({ plan, costs, calibration }: PredictionInput, count: number) {
  const work = blockWork(plan, costs);
  const { cyclesPerCopyWavefront, cyclesPerCopy, cyclesPerSpill } = calibration;
  const { copyWavefronts, copyRequests, spilledRequests, spilledWords, fragmentWaits } = work;
  return {
    copies: count * (copyWavefronts * cyclesPerCopyWavefront + copyRequests * cyclesPerCopy),
    spills: count * spilledRequests * cyclesPerSpill,
    spilledWords,
    fragments: fragmentWaits * calibration.fragmentLatencyCycles,
    barriers: calibration.barrierCycles,
  };
}

function laneTexts(
  { step, stepCycles, blocksPerSm, blocksOfSm, parts }: Prediction,
  input: PredictionInput,
): Readonly<Record<LaneCost, CauseText>> {
  const cycles = readable(Math.round(stepCycles));
  const of = (value: number): string => readable(Math.round(value));
  const count = Math.min(blocksPerSm, blocksOfSm);
  const within = costsPerKIteration(input, count);
  return {
    instruction: rate =>
      t(
        'mma.sync reaches {0} % of the tensor-core peak: {1} TFLOP/s at full rate.',
        of(100 * (input.machine.share ?? 1)),
        rate,
      ),
    latency: rate =>
      t(
        'Latency of a single block (blocks per SM: {0}): {1} of {2} cycles per k-iteration; {3} TFLOP/s if hidden.',
        count,
        of(step.latency),
        cycles,
        rate,
      ),
    fragments: rate =>
      t(
        'Waiting for fragments from shared memory: {0} of {1} cycles per k-iteration; {2} TFLOP/s if hidden.',
        of(within.fragments),
        cycles,
        rate,
      ),
    barriers: rate =>
      t(
        'Synchronization: {0} of {1} cycles per k-iteration; {2} TFLOP/s if free.',
        of(within.barriers),
        cycles,
        rate,
      ),
    'load-store': rate =>
      t(
        'Load/store instructions: {0} of {1} cycles per k-iteration; {2} TFLOP/s if free.',
        of(step.loadStore - within.copies - within.spills),
        cycles,
        rate,
      ),
    copies: rate =>
      t(
        'Asynchronous copies in the load/store unit: {0} of {1} cycles per k-iteration; {2} TFLOP/s if free.',
        of(within.copies),
        cycles,
        rate,
      ),
    conflicts: rate => t('Bank conflicts: {0} TFLOP/s if eliminated.', rate),
    spills: rate =>
      t(
        'Register spills: {0} words per thread and {1} of {2} cycles per k-iteration; {3} TFLOP/s if eliminated.',
        of(within.spilledWords),
        of(within.spills),
        cycles,
        rate,
      ),
    waves: rate =>
      t(
        'Wave quantization (blocks on the busiest SM: {0}, {1} at a time): {2} TFLOP/s if evenly distributed.',
        blocksOfSm,
        blocksPerSm,
        rate,
      ),
    padding: rate => t('Tile quantization (work outside C): {0} TFLOP/s if eliminated.', rate),
    l2: rate =>
      t(
        'L2 tile loads: {0} of {1} cycles per k-iteration; {2} TFLOP/s if free.',
        of(step.l2),
        cycles,
        rate,
      ),
    dram: rate =>
      t(
        'DRAM, {0} ms for the compulsory traffic: {1} TFLOP/s if free.',
        readable(parts.dram),
        rate,
      ),
    launch: rate =>
      t('Launch overhead, {0} ms: {1} TFLOP/s if eliminated.', readable(parts.launch), rate),
  };
}
