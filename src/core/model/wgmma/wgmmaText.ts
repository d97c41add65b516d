/** What the predicted time of a kernel of `wgmma` is made of, in words. */
import { t } from '@vscode/l10n';
import { readable } from '../../text/digits';
import type { Device } from '../../hardware/devices';
import type { WarpGroupPrediction } from './wgmmaModel';

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
      'Tiles of the busiest multiprocessor: {0}, steps of each: {1}. Of a step, products take {2} ns, and the latency of a load is {3} ns for each stage ahead.',
      rounds,
      steps,
      whole(step.products),
      whole(step.latency),
    ),
    boostClockMHz !== undefined && clockMHz < boostClockMHz
      ? t(
          'At {0} MHz: with the boost clock of {1} MHz it would take more than {2} W.',
          clock,
          whole(boostClockMHz),
          powerWatts,
        )
      : t('At the boost clock of {0} MHz: it takes less power than the limit.', clock),
    t(
      'Multiprocessors {0} ms, DRAM {1} ms for each operand once, its launch {2} ms.',
      readable(parts.multiprocessors),
      readable(parts.dram),
      readable(parts.launch),
    ),
    ...(parts.before > 0
      ? [t('Kernels before it, which lay out its operands: {0} ms.', readable(parts.before))]
      : []),
  ];
}
