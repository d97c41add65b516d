/** What costs a kernel of `wgmma` its time, and what is left without it. */
import { t } from '@vscode/l10n';
import { readable } from '../../text/digits';
import { computedTile } from '../../plan/wgmma/wgmma';
import type { TextOfCause, TimeModel } from '../timeModel';
import {
  filled,
  predictWarpGroups,
  WARP_GROUP_COSTS,
  type WarpGroupCost,
  type WarpGroupInput,
  type WarpGroupPrediction,
} from './wgmmaModel';

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
): Readonly<Record<WarpGroupCost, TextOfCause>> {
  const { plan, machine, calibration } = input;
  const { wgmma } = plan;
  const whole = (value: number): string => readable(Math.round(value));
  const inStep = (nanoseconds: number): readonly string[] => [
    readable(nanoseconds),
    readable(Math.hypot(step.products, step.latency)),
  ];
  const even = predictWarpGroups({ ...input, without: ['waves'] }).rounds;
  return {
    power: rate =>
      t(
        'The power limit of {0} W leaves {1} of the {2} MHz at which the peak is stated: {3} TFLOP/s without.',
        machine.watts,
        whole(clockMHz),
        whole(machine.peakClockMHz),
        rate,
      ),
    latency: rate =>
      t(
        'Latency that {0} stages do not hide, {1} of {2} ns a step: {3} TFLOP/s without.',
        wgmma.stages,
        ...inStep(Math.hypot(step.products, step.latency) - step.products),
        rate,
      ),
    barriers: rate =>
      t(
        'Barriers and fences around the products, {0} of {1} ns a step: {2} TFLOP/s without.',
        ...inStep((calibration.stepCycles * 1000) / clockMHz),
        rate,
      ),
    narrow: rate =>
      t(
        'Instructions of {0} columns read shared memory for longer than they multiply: {1} TFLOP/s without.',
        computedTile(wgmma, plan.tile).n,
        rate,
      ),
    promotion: rate => t('Sums of pieces, which are added in f32: {0} TFLOP/s without.', rate),
    waves: rate =>
      t(
        'Tiles of the busiest SM: {0}, on average {1}. {2} TFLOP/s if all had the same.',
        rounds,
        readable(even),
        rate,
      ),
    padding: rate =>
      t(
        'Products past the edges of C and of K, {0} % of all: {1} TFLOP/s without.',
        readable(100 * (1 - filled(plan))),
        rate,
      ),
    stores: rate =>
      wgmma.splitK > 1
        ? t('Sums that parts of K exchange, and stores of C: {0} TFLOP/s without.', rate)
        : t('Stores of C while nothing is multiplied: {0} TFLOP/s without.', rate),
    start: rate =>
      t(
        'From the start of a block to its first products, and its end, {0} µs: {1} TFLOP/s without.',
        readable(calibration.blockMicroseconds),
        rate,
      ),
    dram: rate =>
      t('DRAM, {0} ms for each operand once: {1} TFLOP/s without.', readable(parts.dram), rate),
    launch: rate => t('Launches, {0} ms: {1} TFLOP/s without.', readable(parts.launch), rate),
    before: rate =>
      t(
        'Kernels before it, which lay out its operands, {0} ms: {1} TFLOP/s without.',
        readable(parts.before),
        rate,
      ),
  };
}
