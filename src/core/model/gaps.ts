/** Why a kernel stays below its roof: what it would reach if one thing at a time cost nothing. */
import { t } from '@vscode/l10n';
import type { Analysis } from '../analysis/analysis';
import { readable } from '../analysis/chart';
import { deviceOf, isDeviceId } from '../device/devices';
import type { Plan } from '../plan/plan';
import { blockWork } from './blockWork';
import { predict, type Prediction, type PredictionInput } from './predict';
import { modelInput } from './report';
import { analysedCosts, withoutConflicts } from './siteCosts';

export const CAUSES = [
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
export type Cause = (typeof CAUSES)[number];

export interface Gap {
  readonly cause: Cause;
  /** TFLOP/s if it cost nothing, all else as it is. */
  readonly tflopsWithout: number;
  /** Of the time, 0..1. */
  readonly share: number;
}

export interface ExplainedGap extends Gap {
  readonly text: string;
}

/** Of an analysed kernel; none where the model says nothing. */
export function explainedGaps(analysis: Analysis, plan: Plan | null): readonly ExplainedGap[] {
  if (plan === null || !isDeviceId(analysis.device)) return [];
  const input = modelInput({
    ...{ plan, device: deviceOf(analysis.device), occupancy: analysis.occupancy },
    costs: analysedCosts(analysis.globalMemory, analysis.sharedMemory),
  });
  if (input === null) return [];
  const predicted = predict(input);
  return gapsOf(input, predicted).map(gap => ({ ...gap, text: gapText(gap, predicted, input) }));
}

/** Less than this of the time is not worth a line. */
const LEAST_SHARE = 0.005;

/** Largest first. They overlap: together they may be more than the whole gap. */
export function gapsOf(input: PredictionInput, predicted: Prediction): readonly Gap[] {
  return CAUSES.map(cause => {
    const milliseconds = millisecondsWithout(input, [cause]);
    return {
      cause,
      tflopsWithout: (predicted.tflops * predicted.milliseconds) / milliseconds,
      share: 1 - milliseconds / predicted.milliseconds,
    };
  })
    .filter(({ share }) => share >= LEAST_SHARE)
    .sort((left, right) => right.share - left.share);
}

/** What the model expects if none of these cost anything. */
export function millisecondsWithout(input: PredictionInput, causes: readonly Cause[]): number {
  const without = (cause: Cause): boolean => causes.includes(cause);
  const { calibration, machine, plan, costs } = input;
  const { milliseconds } = predict({
    ...input,
    plan: without('spills') ? { ...plan, spilledEstimate: { inner: 0, outer: 0 } } : plan,
    costs: without('conflicts') ? withoutConflicts(costs) : costs,
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
function paddingOf({ grid, tile, spec }: PredictionInput['plan']): number {
  const { m, n } = spec.problem;
  return 1 - (m * n) / (grid.x * grid.y * tile.m * tile.n);
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

/** What a cause is, in words, with the numbers that make it. */
export function gapText(
  { cause, tflopsWithout }: Gap,
  { step, stepCycles, blocksPerSm, blocksOfSm, parts }: Prediction,
  input: PredictionInput,
): string {
  const rate = readable(tflopsWithout);
  const cycles = readable(Math.round(stepCycles));
  const of = (value: number): string => readable(Math.round(value));
  const count = Math.min(blocksPerSm, blocksOfSm);
  const within = withinStep(input, count);
  switch (cause) {
    case 'instruction':
      return t(
        'mma.sync reaches {0} % of what these tensor cores multiply: {1} TFLOP/s with all of it.',
        ...[of(100 * (input.machine.share ?? 1)), rate],
      );
    case 'latency':
      return t(
        'Latency that {0} blocks an SM do not hide, {1} of {2} cycles a step: {3} TFLOP/s without.',
        ...[count, of(step.latency), cycles, rate],
      );
    case 'fragments':
      return t(
        'A warp waits for its fragments from shared memory, {0} of {1} cycles a step: {2} TFLOP/s without.',
        ...[of(within.fragments), cycles, rate],
      );
    case 'barriers':
      return t(
        'Barriers and what stands around them, {0} of {1} cycles a step: {2} TFLOP/s without.',
        ...[of(within.barriers), cycles, rate],
      );
    case 'load-store':
      return t(
        'Loads and stores beside the multiply-adds, {0} of {1} cycles a step: {2} TFLOP/s without.',
        ...[of(step.loadStore - within.copies - within.spills), cycles, rate],
      );
    case 'copies':
      return t(
        'Asynchronous copies in the unit of loads and stores, {0} of {1} cycles a step: {2} TFLOP/s without.',
        ...[of(within.copies), cycles, rate],
      );
    case 'conflicts':
      return t('Bank conflicts: {0} TFLOP/s without.', rate);
    case 'spills':
      return t(
        'Registers that spill, {0} words that a thread waits for and {1} of {2} cycles a step: {3} TFLOP/s without.',
        ...[of(within.spilledWords), of(within.spills), cycles, rate],
      );
    case 'waves':
      return t(
        'The busiest SM has {0} blocks, {1} at a time, and others fewer: {2} TFLOP/s if all had the same.',
        ...[blocksOfSm, blocksPerSm, rate],
      );
    case 'padding':
      return t('Multiply-adds past the edge of C: {0} TFLOP/s without.', rate);
    case 'l2':
      return t(
        'Tiles from L2, {0} of {1} cycles a step: {2} TFLOP/s without.',
        of(step.l2),
        cycles,
        rate,
      );
    case 'dram':
      return t(
        'DRAM, {0} ms for each operand once: {1} TFLOP/s without.',
        readable(parts.dram),
        rate,
      );
    case 'launch':
      return t('Launches, {0} ms: {1} TFLOP/s without.', readable(parts.launch), rate);
  }
}
