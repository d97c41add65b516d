/** JSON form of a tutorial's report, as the public contract of `seed` states it. */
import { t } from '@vscode/l10n';
import type { RowResult } from './compare';
import type { RateResult } from './rates';
import type { TutorialReport } from './report';
import type { TutorialName, Value } from './tutorial';

export type ContractVerdict = 'equal' | 'within' | 'differs' | 'not-measured';

export interface ContractRow {
  readonly item: string;
  /** Item of the tutorial and name of the figure, such as `003.10 sms`. */
  readonly id: string;
  /** Figure of the tutorial. */
  readonly seed: Value;
  /** Figure computed, measured or predicted here; null if it is not available. */
  readonly ours: Value | null;
  readonly verdict: ContractVerdict;
  /** True if the report does not hold unless the verdict is `equal` or `within`. */
  readonly required: boolean;
  readonly why?: string;
}

export interface ContractReport extends Omit<TutorialReport, 'tutorial' | 'rows' | 'rates'> {
  readonly seed: TutorialName;
  /** Figures that the tutorial states, then its rates in GFLOP/s. */
  readonly rows: readonly ContractRow[];
  /** Figures that the tutorial does not state. */
  readonly added: readonly Pick<ContractRow, 'item' | 'id' | 'ours'>[];
  /** Rates in full, with times and libraries. */
  readonly rates: readonly RateResult[];
}

/** Deviation in percent below which a rate on the tutorial's GPU is within its figure. */
const RATE_TOLERANCE_PERCENT = 10;

export function contractReport({ tutorial, rows, ...report }: TutorialReport): ContractReport {
  return {
    seed: tutorial,
    ...report,
    rows: [
      ...rows.flatMap(row => (row.theirs === null ? [] : [figureRow(row, row.theirs)])),
      ...report.rates.flatMap(rate =>
        rate.theirs === null ? [] : [rateRow(rate, rate.theirs.gflops, report.predictedFor)],
      ),
    ],
    added: rows.flatMap(({ theirs, text, row, id, ours }) =>
      theirs === null ? [{ item: text, id: `${row} ${id}`, ours }] : [],
    ),
  };
}

function figureRow(
  { row, id, text, kind, ours, verdict, verdictText, note }: RowResult,
  seed: Value,
): ContractRow {
  const given =
    verdict === 'missing'
      ? 'not-measured'
      : verdict === 'equal' || verdict === 'within'
        ? verdict
        : 'differs';
  const why = [...(given === 'equal' ? [] : [verdictText]), ...(note === undefined ? [] : [note])];
  return {
    item: text,
    id: `${row} ${id}`,
    seed,
    ours,
    verdict: given,
    required: kind !== 'reported',
    ...(why.length === 0 ? {} : { why: why.join('. ') }),
  };
}

function rateRow(
  { row, id, text, size, measured, predicted, notMeasured }: RateResult,
  seed: number,
  predictedFor: string,
): ContractRow {
  const by = measured?.deviationPercent ?? null;
  const verdict =
    measured === null
      ? 'not-measured'
      : by !== null && Math.abs(by) <= RATE_TOLERANCE_PERCENT
        ? 'within'
        : 'differs';
  return {
    item: t('{0}, {1} x {1} x {1}, GFLOP/s', text, size),
    id: `${row} ${id} ${size}`,
    seed,
    ours: measured?.gflops ?? predicted?.gflops ?? null,
    verdict,
    required: false,
    why:
      measured === null
        ? [
            t('Predicted for {0}.', predictedFor),
            ...(notMeasured === null ? [] : [notMeasured]),
          ].join(' ')
        : by === null
          ? t('Measured on another GPU.')
          : t('Deviation: {0} %.', by.toFixed(1)),
  };
}
