/** Texts about runs, shared by the chart, its table and its exported files. */
import { t } from '@vscode/l10n';
import type { Roofline } from '../../src/core/roofline/contract';
import type { TrailRun } from '../../src/core/charts/rooflineTrail';
import type { Interval } from '../../src/core/measure/intervals';
import { formatPercent, formatRate } from '../format';

export const withoutOwn = (trail: readonly TrailRun[], sourceHash: string): readonly TrailRun[] =>
  trail.filter(run => run.sourceHash !== sourceHash);

/** Returns the 95 % interval of a rate in TFLOP/s. */
export const intervalText = (interval: Interval | undefined): string =>
  interval === undefined
    ? t('interval unknown')
    : t('95 % interval {0} to {1}', ...interval.map(end => formatRate(end * 1000)));

export const whenText = (at: string | undefined): string =>
  at === undefined ? t('time not recorded') : new Date(at).toLocaleString();

export function ofAttainable(tflops: number, { attainable }: Roofline): readonly string[] {
  return attainable.value > 0
    ? [t('{0} of attainable', formatPercent(Number((tflops / attainable.value).toPrecision(3))))]
    : [];
}
