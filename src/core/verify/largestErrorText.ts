/** The largest error of a result in words. */
import { t } from '@vscode/l10n';
import type { Verification } from '../measure/measurement';

/**
 * Each element has a bound of its own, and the one that is told is not of the element with the largest error: said beside
 * it without a word, a correct result would look wrong.
 */
export function largestErrorText(
  { maxError, bound, mismatches }: Verification,
  format: (value: number) => string,
): string {
  const largest = maxError === null ? t('not finite') : format(maxError);
  if (bound === null || maxError === 0) return largest;
  return mismatches === 0
    ? t('{0}; the element nearest to its bound may err by {1}', largest, format(bound))
    : t('{0}; the element furthest past its bound may err by {1}', largest, format(bound));
}
