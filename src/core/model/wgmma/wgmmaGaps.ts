/** Predicts the losses of a `wgmma` kernel, and the time without each loss. */
import { t } from '@vscode/l10n';
import { readable } from '../../text/digits';
import { computedTile } from '../../plan/wgmma/wgmma';
import { kernelOf } from '../../cost/wgmma/wgmmaKernel';
import type { CauseText, TimeModel } from '../timeModel';
import {
  usefulShare,
  predictWarpGroups,
  WARP_GROUP_COSTS,
  type WarpGroupCost,
  type WarpGroupInput,
  type WarpGroupPrediction,
} from '../../cost/wgmma/wgmmaModel';

export function warpGroupModel(input: WarpGroupInput): TimeModel {
  const predicted = predictWarpGroups(input);
  const { milliseconds, tflops } = predicted;
  return {
    milliseconds,
    tflops,
    causes: WARP_GROUP_COSTS,
    texts: () => textsOf(input, predicted),
    millisecondsWithout: causes => {
      const without = WARP_GROUP_COSTS.filter(cost => causes.includes(cost));
      return predictWarpGroups({ ...input, without }).milliseconds;
    },
  };
}

function textsOf(
  input: WarpGroupInput,
  { clockMHz, step, rounds, parts }: WarpGroupPrediction,
): Readonly<Record<WarpGroupCost, CauseText>> {
  const { plan, machine, calibration } = input;
  const { wgmma } = plan;
  const whole = (value: number): string => readable(Math.round(value));
  const syncCycles =
    wgmma.kernelSchedule === 'pingpong'
      ? calibration.pingpongStepCycles
      : calibration.cooperativeStepCycles;
  const busy = Math.max(step.products, step.arrival);
  const inStep = (nanoseconds: number): readonly string[] => [
    readable(nanoseconds),
    readable(Math.hypot(busy, step.latency)),
  ];
  const even = predictWarpGroups({ ...input, without: ['waves'] }).rounds;
  return {
    power: rate =>
      t(
        'Power limit of {0} W: {1} MHz instead of {2} MHz (clock of the datasheet peak); {3} TFLOP/s without this limit.',
        machine.watts,
        whole(clockMHz),
        whole(machine.peakClockMHz),
        rate,
      ),
    l2: rate =>
      t(
        'L2 delivers the tiles of a k-iteration in {0} ns, the MMAs take {1} ns (leading dimensions are aligned to {2} B): {3} TFLOP/s with free loads.',
        readable(step.arrival),
        readable(step.products),
        kernelOf(plan)
          .loads.map(({ alignment }) => alignment)
          .join(t(' and ')),
        rate,
      ),
    latency: rate =>
      t(
        'Load latency not hidden by {0} stages: {1} of {2} ns per k-iteration; {3} TFLOP/s if hidden.',
        wgmma.stages,
        ...inStep(Math.hypot(busy, step.latency) - busy),
        rate,
      ),
    barriers: rate =>
      t(
        'Barriers and fences: {0} of {1} ns per k-iteration; {2} TFLOP/s if free.',
        ...inStep((syncCycles * 1000) / clockMHz),
        rate,
      ),
    narrow: rate =>
      t(
        'wgmma with N = {0} is bound by shared-memory reads: {1} TFLOP/s otherwise.',
        computedTile(wgmma, plan.tile).n,
        rate,
      ),
    promotion: rate => t('FP32 promotion of the split products: {0} TFLOP/s if free.', rate),
    waves: rate =>
      t(
        'Wave quantization (tiles on the busiest SM: {0}, on average: {1}): {2} TFLOP/s if evenly distributed.',
        rounds,
        readable(even),
        rate,
      ),
    padding: rate =>
      t(
        'Tile quantization ({0} % of the FMAs are outside C or beyond K): {1} TFLOP/s if eliminated.',
        readable(100 * (1 - usefulShare(plan))),
        rate,
      ),
    stores: rate =>
      wgmma.splitK > 1
        ? t('Split-K reduction and epilogue: {0} TFLOP/s if eliminated.', rate)
        : t('Exposed epilogue: {0} TFLOP/s if fully overlapped.', rate),
    start: rate =>
      t(
        'Prologue and drain, {0} µs per thread block: {1} TFLOP/s if eliminated.',
        readable(calibration.blockMicroseconds),
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
    before: rate =>
      t(
        'Pre-pass kernels (operand repacking), {0} ms: {1} TFLOP/s if eliminated.',
        readable(parts.before),
        rate,
      ),
    reduction: rate =>
      t(
        'Reduction kernel of split-K, {0} ms: {1} TFLOP/s if eliminated.',
        readable(parts.reduction),
        rate,
      ),
  };
}
