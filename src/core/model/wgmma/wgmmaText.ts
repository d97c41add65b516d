/** Formats the components of the predicted time of a `wgmma` kernel. */
import { t } from '@vscode/l10n';
import { readable } from '../../text/digits';
import type { Device } from '../../hardware/devices';
import type { WarpGroupPrediction } from '../../cost/wgmma/wgmmaModel';

export function warpGroupTexts(
  {
    clockMHz,
    step,
    steps,
    rounds,
    parts,
  }: Pick<WarpGroupPrediction, 'clockMHz' | 'step' | 'steps' | 'rounds' | 'parts'>,
  { boostClockMHz, powerWatts = 0 }: Device,
): readonly string[] {
  const whole = (value: number): string => readable(Math.round(value));
  const clock = whole(clockMHz);
  return [
    t(
      'Tiles on the busiest SM: {0}, k-iterations per tile: {1}. Per k-iteration, MMAs take {2} ns; load latency is {3} ns per prefetched stage.',
      rounds,
      steps,
      whole(step.products),
      whole(step.latency),
    ),
    boostClockMHz !== undefined && clockMHz < boostClockMHz
      ? t(
          'Clock: {0} MHz; at the boost clock of {1} MHz the GPU would exceed {2} W.',
          clock,
          whole(boostClockMHz),
          powerWatts,
        )
      : t('Clock: {0} MHz (boost); power stays below the limit.', clock),
    t(
      'Time components: SMs {0} ms, DRAM {1} ms (compulsory traffic), launch {2} ms.',
      readable(parts.multiprocessors),
      readable(parts.dram),
      readable(parts.launch),
    ),
    ...(parts.before > 0
      ? [t('Pre-pass kernels (operand repacking): {0} ms.', readable(parts.before))]
      : []),
    ...(parts.reduction > 0
      ? [t('Reduction kernel of split-K: {0} ms.', readable(parts.reduction))]
      : []),
  ];
}
