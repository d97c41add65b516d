/** Arranges the report of a tutorial as tables, which the CLI and Markdown print. */
import { t } from '@vscode/l10n';
import { grouped, precise, significant } from '../text/numbers';
import type { RowResult } from './compare';
import type { Rate, RateResult } from './rates';
import type { TutorialReport } from './report';
import type { StatedRate, Value } from './tutorial';

export interface ReportTable {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export function reportTables(report: TutorialReport): readonly ReportTable[] {
  const figures = {
    title: t('Figures'),
    head: [t('figure'), t('tutorial'), t('here'), t('comparison')],
    rows: report.rows.map(figureCells),
  };
  return report.rates.length === 0 ? [figures] : [figures, rateTable(report)];
}

const figureCells = (row: RowResult): readonly string[] => [
  row.text,
  valueText(row.theirs, row, row.decimals ?? 0),
  valueText(row.ours, row, Math.max(row.decimals ?? 0, 2)),
  row.note === undefined ? row.verdictText : `${row.verdictText}. ${row.note}`,
];

/** @param digits decimal places of a number that the tutorial states with decimal places */
function valueText(value: Value | null, { unit, decimals = 0 }: RowResult, digits: number): string {
  if (value === null) return '-';
  if (typeof value === 'string') return value;
  const text = Number.isInteger(value)
    ? grouped(value)
    : decimals === 0
      ? significant(value)
      : value.toFixed(digits);
  return unit === undefined ? text : `${text} ${unit}`;
}

function rateTable({ rates, gpu, predictedFor, machine }: TutorialReport): ReportTable {
  const hasStated = rates.some(({ theirs }) => theirs !== null);
  const isTimed = rates.some(
    ({ measured, notMeasured }) => measured !== null || notMeasured !== null,
  );
  const hasLibrary = rates.some(
    ({ theirs, measured }) =>
      theirs?.libraryGflops !== undefined || (measured?.library ?? null) !== null,
  );
  return {
    title: t('Rates'),
    head: [
      t('kernel'),
      t('M = N = K'),
      ...(hasStated ? [t('tutorial, {0}', gpu ?? '')] : []),
      t('predicted, {0}', predictedFor),
      ...(isTimed ? [t('measured, {0}', machine?.name ?? '')] : []),
      ...(hasLibrary ? [t('library of the tutorial'), t('library here')] : []),
    ],
    rows: rates.map(rate => [
      rate.text,
      grouped(rate.size),
      ...(hasStated ? [statedText(rate.theirs)] : []),
      rateText(rate.predicted) ?? t('no prediction'),
      ...(isTimed ? [measuredText(rate)] : []),
      ...(hasLibrary ? libraryCells(rate) : []),
    ]),
  };
}

const statedText = (stated: StatedRate | null): string =>
  stated === null ? '-' : `${gflopsText(stated.gflops)}${timeText(stated.milliseconds)}`;

const gflopsText = (gflops: number): string =>
  gflops >= 1000 ? `${precise(gflops / 1000)} TFLOP/s` : `${precise(gflops)} GFLOP/s`;

const timeText = (milliseconds: number | undefined): string =>
  milliseconds === undefined ? '' : `, ${precise(milliseconds)} ms`;

function rateText(rate: Rate | null): string | null {
  if (rate === null) return null;
  const { gflops, milliseconds, deviationPercent } = rate;
  const text = `${gflopsText(gflops)}${timeText(milliseconds)}`;
  if (deviationPercent === null) return text;
  const sign = deviationPercent < 0 ? '' : '+';
  return `${text} (${sign}${precise(deviationPercent)} %)`;
}

const measuredText = ({ measured, notMeasured, adapted }: RateResult): string =>
  [rateText(measured) ?? notMeasured ?? '-', ...(adapted === null ? [] : [adapted])].join('. ');

function libraryCells({ theirs, measured }: RateResult): readonly string[] {
  const share = (gflops: number, of: number): string =>
    t('{0}; the kernel reaches {1} %', gflopsText(of), precise((100 * gflops) / of));
  const library = measured?.library ?? null;
  return [
    theirs?.libraryGflops === undefined ? '-' : share(theirs.gflops, theirs.libraryGflops),
    library === null || measured === null
      ? '-'
      : `${library.name}: ${share(measured.gflops, library.gflops)}`,
  ];
}

/** Summarizes a report in sentences: the counts, the machine, and the origin of the rates. */
export function summarySentences(report: TutorialReport): readonly string[] {
  const { counts, machine, rates, predictedFor } = report;
  const all = report.rows.length;
  const stated = counts.equal + counts.within + counts.differs;
  return [
    counts.differs === 0
      ? t(
          '{0} of {1} figures are equal, {2} within their tolerance.',
          counts.equal,
          stated,
          counts.within,
        )
      : t('{0} of {1} figures differ from the tutorial.', counts.differs, stated),
    ...(counts.reported === 0
      ? []
      : [t('{0} of {1} figures differ for a reason in their note.', counts.reported, all)]),
    ...(counts.missing === 0
      ? []
      : [t('{0} of {1} figures are not available here.', counts.missing, all)]),
    machine === null
      ? t('No kernel was run.')
      : t('Kernels were run on {0} ({1}).', machine.name, machine.adapter),
    ...(rates.length === 0 || rates.some(({ measured }) => measured !== null)
      ? []
      : [
          t(
            'No rate was measured. Predictions are for the generated kernels on {0}.',
            predictedFor,
          ),
        ]),
  ];
}
