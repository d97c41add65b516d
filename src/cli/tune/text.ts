/** Formats the summary of a tuning run. */
import type { TuneResult, TuneSummary } from '../../core/search/tune/events';
import { joulesText } from '../../core/measure/energyText';
import { number, percent, table, type Cell } from '../table';

/** Maximum number of slower schedules in the table. */
const OTHERS = 5;

export function summaryText(summary: TuneSummary, written: readonly string[]): string {
  const { winner, ties, others, space, measuredCount, measuredShare, measurements } = summary;
  const isEnergy = summary.objective === 'energy';
  const row = (result: TuneResult, word: string): Cell[] => [
    word,
    number(result.tflops),
    `+- ${number(result.errorPercent)} %`,
    number(result.medianMs),
    ...(isEnergy ? [result.joules === undefined ? null : joulesText(result.joules)] : []),
    result.predictedTflops === null ? null : number(result.predictedTflops),
    result.effort,
    result.specKey,
  ];
  const tied = ties.filter(({ specKey }) => specKey !== winner?.specKey);
  const rows = [
    ...(winner === null ? [] : [row(winner, tied.length === 0 ? 'best' : 'tied')]),
    ...tied.map(one => row(one, winner === null ? 'not ranked' : 'tied')),
    ...others.slice(0, OTHERS).map(one => row(one, '')),
  ];
  const energy = isEnergy ? ['energy'] : [];
  const heading = ['', 'TFLOP/s', 'error', 'ms', ...energy, 'predicted', 'timed', 'schedule'];
  return [
    ...(rows.length === 0 ? ['No schedule was measured.'] : [table([heading, ...rows])]),
    '',
    `${measuredCount} of ${space.legal} legal schedules measured (${percent(measuredShare)}), ${measurements} new measurements; ${ENDED[summary.ended]}.`,
    ...(summary.failures.length === 0 ? [] : [failuresText(summary)]),
    ...summary.notes,
    ...(summary.journal === undefined ? [] : [`Measurements: ${summary.journal}`]),
    ...written.map(file => `Written: ${file}`),
  ].join('\n');
}

const ENDED: Readonly<Record<TuneSummary['ended'], string>> = {
  done: 'done',
  cancelled: 'cancelled; results so far are shown',
  'out-of-time': 'time limit reached; some finalists were not measured',
  lost: 'the GPU stopped responding; results so far are shown',
  nothing: 'no schedule was timed',
};

function failuresText({ failures }: TuneSummary): string {
  const counts = new Map<string, number>();
  for (const { outcome } of failures) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  const list = [...counts].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
  return `Not timed: ${list}.`;
}
