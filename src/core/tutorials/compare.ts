/** Compares a figure of a tutorial with the figure that is computed here. */
import { t } from '@vscode/l10n';
import { precise } from '../text/numbers';
import type { Facts, Row, Value } from './tutorial';

/**
 * - `added`: the tutorial states no figure
 * - `reported`: the figures may differ
 * - `missing`: the figure needs a tool or a run that is not available
 */
export type RowVerdict = 'equal' | 'within' | 'differs' | 'reported' | 'added' | 'missing';

export interface RowResult extends Omit<Row, 'ours'> {
  readonly ours: Value | null;
  readonly verdict: RowVerdict;
  /** Deviation from the tutorial in percent; null for texts and absent figures. */
  readonly deviationPercent: number | null;
  readonly verdictText: string;
}

export function compareRow({ ours, ...row }: Row, facts: Facts): RowResult {
  const found = ours(facts);
  const result = (verdict: RowVerdict, verdictText: string, value: Value | null): RowResult => ({
    ...row,
    ours: value,
    verdict,
    verdictText,
    deviationPercent: value === null ? null : deviation(row.theirs, value),
  });
  if (typeof found === 'object') return result('missing', found.missing, null);
  const verdict = verdictOf(row, found);
  return result(verdict, verdictText(verdict, deviation(row.theirs, found)), found);
}

function verdictOf(row: Omit<Row, 'ours'>, ours: Value): RowVerdict {
  const { theirs, kind, decimals = 0, tolerancePercent = 0 } = row;
  if (theirs === null) return 'added';
  const isEqual =
    typeof theirs === 'number' && typeof ours === 'number'
      ? theirs.toFixed(decimals) === ours.toFixed(decimals)
      : theirs === ours;
  if (isEqual) return 'equal';
  if (kind === 'reported') return 'reported';
  const by = deviation(theirs, ours);
  return kind === 'within' && by !== null && Math.abs(by) <= tolerancePercent
    ? 'within'
    : 'differs';
}

/** Returns the deviation in percent; null if a value is not a number or theirs is 0. */
export const deviation = (theirs: Value | null, ours: Value): number | null =>
  typeof theirs === 'number' && typeof ours === 'number' && theirs !== 0
    ? (100 * (ours - theirs)) / theirs
    : null;

function verdictText(verdict: RowVerdict, by: number | null): string {
  switch (verdict) {
    case 'equal':
      return t('equal');
    case 'within':
      return t('within {0} %', precise(Math.abs(by ?? 0)));
    case 'differs':
    case 'reported':
      return by === null ? t('differs') : t('differs by {0} %', precise(by));
    case 'added':
      return t('not stated');
    case 'missing':
      return t('not available');
  }
}
