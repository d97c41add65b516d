/** Notification texts of a tuning run: progress and result. */
import { t } from '@vscode/l10n';
import { scheduleName } from '../../core/plan/specKey';
import { grouped, significant } from '../../core/text/numbers';
import type { TuneSummary } from '../../core/search/tune/events';
import { fastestFirst, type ShownTune } from '../../core/search/tune/shown';

const percent = (value: number): string => significant(Number(value.toPrecision(2)));

const rateText = (tflops: number): string =>
  tflops >= 1 ? `${significant(tflops)} TFLOP/s` : `${significant(1000 * tflops)} GFLOP/s`;

/** Returns the completed fraction of the measurement budget, from 0 to 1; 0 without a budget. */
export const fractionOf = ({ measured, failed, budget }: ShownTune): number =>
  budget === null || budget === 0 ? 0 : Math.min(1, (measured + failed) / budget);

export function progressText(tune: ShownTune): string {
  const { measured, failed, budget, leftMs, words, candidates } = tune;
  if (budget === null) return words;
  const best = fastestFirst(candidates)[0]?.time ?? null;
  return [
    t('{0} of {1}', measured + failed, budget),
    ...(best === null
      ? []
      : [t('best {0} ± {1} %', rateText(best.tflops), percent(best.errorPercent))]),
    ...(leftMs === null ? [] : [t('about {0} s left', Math.ceil(leftMs / 1000))]),
  ].join(', ');
}

export function endText(label: string, summary: TuneSummary): string {
  const { winner, ties, space, measuredCount, measuredShare, ended, notes } = summary;
  const counts = t(
    '{0} of {1} legal schedules measured ({2} %).',
    grouped(measuredCount),
    grouped(space.legal),
    percent(100 * measuredShare),
  );
  if (winner === null) return [...notes, counts, `(${label})`].join(' ');
  const best = t(
    'Best {0} ± {1} % with {2} ({3}).',
    rateText(winner.tflops),
    percent(winner.errorPercent),
    scheduleName(winner.specKey),
    label,
  );
  const tied = ties.length > 1 ? [tiedText(ties.length - 1)] : [];
  const early = ended === 'done' ? [] : [t('The search is incomplete; run Tune again to resume.')];
  return [best, ...tied, counts, ...early].join(' ');
}

const tiedText = (others: number): string =>
  others === 1
    ? t('One other schedule is statistically tied.')
    : t('{0} other schedules are statistically tied.', others);
