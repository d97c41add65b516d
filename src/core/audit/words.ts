/** Words for verdicts, for the ways in which an audit ends, and for shapes. */
import { t } from '@vscode/l10n';
import { grouped, precise, significant } from '../text/numbers';
import type { ShapeResult, Verdict } from './result';
import type { AuditEnded, AuditSummary } from './summary';

export const verdictText = (verdict: Verdict): string =>
  ({
    replace: t('replace'),
    equal: t('equal'),
    keep: t('keep library'),
    failed: t('failed'),
    'no-library': t('no library'),
    unsupported: t('unsupported'),
    'not-measured': t('not measured'),
    predicted: t('predicted'),
  })[verdict];

export const endText = (ended: AuditEnded): string =>
  ({
    done: t('All shapes are measured.'),
    'out-of-time': t('The time limit was reached. Fix: start the audit again to continue.'),
    cancelled: t('The audit was cancelled. Start it again to continue.'),
    lost: t('The GPU stopped responding.'),
    predicted: t('The times are predicted. Nothing was measured.'),
  })[ended];

/** Formats the shape and the parts of the operation that were omitted. */
export const shapeName = ({ shape, omitted }: Pick<ShapeResult, 'shape' | 'omitted'>): string =>
  omitted.length === 0 ? shape : t('{0} without {1}', shape, omitted.join(', '));

export const percentText = (share: number): string => `${significant(100 * share)} %`;

/** Sentences about the totals; empty without a comparison. */
export function totalsTexts({ totals, meanRatio, counts }: AuditSummary): readonly string[] {
  if (meanRatio === null) return [];
  const { libraryMs, oursMs, fastestMs, savedMs } = totals;
  return [
    t(
      'All calls take {0} ms with the fastest library, {1} ms with our kernels, and {2} ms with the faster of both.',
      significant(libraryMs),
      significant(oursMs),
      significant(fastestMs),
    ),
    t(
      'Replacing {0} shapes saves {1} ms, {2} of the time of the library. The geometric mean of the ratios is {3}.',
      grouped(counts.replace),
      significant(savedMs),
      percentText(libraryMs === 0 ? 0 : savedMs / libraryMs),
      precise(meanRatio),
    ),
  ];
}

export const FILE_TIME_NOTE = (): string =>
  t(
    'Times from the file were measured by another program, possibly on another machine. They are not comparable with the other columns.',
  );
