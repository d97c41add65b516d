/** Formats a quantity for the report. */
import { t } from '@vscode/l10n';
import type { Figure } from '../text/figure';
import { grouped, rateText, significant } from '../text/numbers';

export function quantityText({ value, unit }: Pick<Figure, 'value' | 'unit'>): string {
  if (!Number.isFinite(value)) return t('not known');
  if (unit === 'TFLOP/s') return rateText(value);
  const number = Number.isInteger(value) ? grouped(value) : significant(value);
  return `${number} ${unit}`.trim();
}
