/** Text for the largest error of a result. */
import { t } from '@vscode/l10n';
import type { Verification } from '../measure/measurement';

/**
 * Formats the largest error. The reported bound may belong to a different element, because every
 * element has its own bound. The text states which element; otherwise a correct result might appear
 * to be incorrect.
 */
export function largestErrorText(
  { maxError, bound, mismatches }: Verification,
  format: (value: number) => string,
): string {
  const largest = maxError === null ? t('not finite') : format(maxError);
  if (bound === null || maxError === 0) return largest;
  return mismatches === 0
    ? t('{0}; bound {1} at the element nearest to its bound', largest, format(bound))
    : t('{0}; bound {1} at the element furthest beyond its bound', largest, format(bound));
}
