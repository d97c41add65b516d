/** What costs a kernel of ordinary lanes, or of `mma`, its time, and what is left without it. */
import { t } from '@vscode/l10n';
import { readable } from '../../text/digits';
import { blockWork } from '../blockWork';
import { predict, type Prediction, type PredictionInput } from '../predict';
import { withoutConflicts } from '../siteCosts';
import type { TextOfCause, TimeModel } from '../timeModel';

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

/** What the model expects if none of these cost anything. */
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

/** Of the multiply-adds, those of rows and columns past the edge. */
function paddingOf({ tiles, tile, spec }: PredictionInput['plan']): number {
  const { m, n } = spec.problem;
  return 1 - (m * n) / (tiles.m * tiles.n * tile.m * tile.n);
}

/** Cycles of a step that are a part of one of the prediction's, of as many blocks as an SM holds. */
function withinStep({ plan, costs, calibration }: PredictionInput, count: number) {
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

/** What each is, in words, with the numbers that make it and the rate (TFLOP/s) without it. */
function laneTexts(
  { step, stepCycles, blocksPerSm, blocksOfSm, parts }: Prediction,
  input: PredictionInput,
): Readonly<Record<LaneCost, TextOfCause>> {
  const cycles = readable(Math.round(stepCycles));
  const of = (value: number): string => readable(Math.round(value));
  const count = Math.min(blocksPerSm, blocksOfSm);
  const within = withinStep(input, count);
  return {
    instruction: rate =>
      t(
        'mma.sync reaches {0} % of what these tensor cores multiply: {1} TFLOP/s with all of it.',
        of(100 * (input.machine.share ?? 1)),
        rate,
      ),
    latency: rate =>
      t(
        'Latency that {0} blocks an SM do not hide, {1} of {2} cycles a step: {3} TFLOP/s without.',
        count,
        of(step.latency),
        cycles,
        rate,
      ),
    fragments: rate =>
      t(
        'A warp waits for its fragments from shared memory, {0} of {1} cycles a step: {2} TFLOP/s without.',
        of(within.fragments),
        cycles,
        rate,
      ),
    barriers: rate =>
      t(
        'Barriers and what stands around them, {0} of {1} cycles a step: {2} TFLOP/s without.',
        of(within.barriers),
        cycles,
        rate,
      ),
    'load-store': rate =>
      t(
        'Loads and stores beside the multiply-adds, {0} of {1} cycles a step: {2} TFLOP/s without.',
        of(step.loadStore - within.copies - within.spills),
        cycles,
        rate,
      ),
    copies: rate =>
      t(
        'Asynchronous copies in the unit of loads and stores, {0} of {1} cycles a step: {2} TFLOP/s without.',
        of(within.copies),
        cycles,
        rate,
      ),
    conflicts: rate => t('Bank conflicts: {0} TFLOP/s without.', rate),
    spills: rate =>
      t(
        'Registers that spill, {0} words that a thread waits for and {1} of {2} cycles a step: {3} TFLOP/s without.',
        of(within.spilledWords),
        of(within.spills),
        cycles,
        rate,
      ),
    waves: rate =>
      t(
        'The busiest SM has {0} blocks, {1} at a time, and others fewer: {2} TFLOP/s if all had the same.',
        blocksOfSm,
        blocksPerSm,
        rate,
      ),
    padding: rate => t('Multiply-adds past the edge of C: {0} TFLOP/s without.', rate),
    l2: rate =>
      t('Tiles from L2, {0} of {1} cycles a step: {2} TFLOP/s without.', of(step.l2), cycles, rate),
    dram: rate =>
      t('DRAM, {0} ms for each operand once: {1} TFLOP/s without.', readable(parts.dram), rate),
    launch: rate => t('Launches, {0} ms: {1} TFLOP/s without.', readable(parts.launch), rate),
  };
}
