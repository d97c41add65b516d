/**
 * Summarizes a tuning run: the best schedule, its ties, and the measured fraction of the legal
 * schedules.
 */
import { t } from '@vscode/l10n';
import { standingByEnergy } from './energy';
import type { Objective, SpaceCount, TunePlace, TuneResult, TuneSummary } from './events';
import { timesOf, type Entry, type TriedSchedules, type EffortTime } from './triedSchedules';
import type { Finals } from './finals';
import { standing } from './halving';

export interface SummaryInput {
  readonly place: TunePlace;
  readonly problem: TuneSummary['problem'];
  readonly space: SpaceCount;
  readonly finals: Finals;
  readonly ended: 'done' | 'cancelled' | 'out-of-time' | 'lost';
  readonly elapsedMs: number;
  readonly objective: Objective;
  readonly journal?: string;
}

const MAX_OTHERS = 50;

export function summaryOf(field: TriedSchedules, input: SummaryInput): TuneSummary {
  const { place, problem, space, finals, ended, elapsedMs, journal } = input;
  const { effort } = finals;
  const keys = new Set(finals.contenders.map(({ candidate }) => candidate.specKey));
  const timed = timesOf(field.entries(), effort).filter(({ candidate }) =>
    keys.has(candidate.specKey),
  );
  const isEnergy = input.objective === 'energy';
  const { winner, ties, others } = isEnergy ? standingByEnergy(timed) : standing(timed);
  if (isEnergy && winner === null && timed.length > 0) field.note(noEnergyText(timed));
  if (winner === null && ties.length > 0) {
    const worst = Math.max(...ties.map(({ time }) => time.timerPercent));
    field.note(
      t(
        'Not ranked: the timer’s error is {0} %, and {1} schedules differ by less. Fix: tune a larger problem, or use a finer timer.',
        Number(worst.toPrecision(2)),
        ties.length,
      ),
    );
  }
  if (winner !== null && ties.length > 1) {
    field.note(
      isEnergy
        ? t('{0} schedules are tied: their energies differ by less than the errors.', ties.length)
        : t('{0} schedules are tied: they differ by less than their timing errors.', ties.length),
    );
  }
  const result = resultOf(effort);
  const tried = field.entries().filter(isTried);
  const measured = (winner ?? ties[0])?.measurement.device ?? null;
  return {
    type: 'summary',
    ...(isEnergy ? { objective: 'energy' as const } : {}),
    problem,
    place,
    measuredOn: measured,
    ended: timed.length === 0 && ended === 'done' ? 'nothing' : ended,
    winner: winner === null ? null : result(winner),
    ties: ties.map(result),
    others: others.slice(0, MAX_OTHERS).map(result),
    space,
    measuredCount: tried.length,
    measuredShare: space.legal === 0 ? 0 : tried.length / space.legal,
    measurements: field.measurements(),
    failures: field.entries().flatMap(({ failure }) => failure ?? []),
    elapsedMs,
    notes: field.notes(),
    ...(journal === undefined ? {} : { journal }),
  };
}

function noEnergyText(timed: readonly EffortTime[]): string {
  const why = timed.flatMap(({ measurement }) => measurement.energyUnknown ?? [])[0];
  return why === undefined
    ? t('Not ranked: no schedule was measured with full effort, which includes its energy.')
    : t('Not ranked: the energy is unknown. {0} Fix: use --objective time.', why);
}

/** Cancelled candidates do not count as tried. */
const isTried = ({ times, failure }: Entry): boolean =>
  failure !== undefined || Object.keys(times).length > 0;

const resultOf =
  (effort: TuneResult['effort']) =>
  ({ candidate, time, measurement }: Entry & EffortTime): TuneResult => ({
    ...time,
    specKey: candidate.specKey,
    kernelKey: measurement.kernelKey,
    schedule: candidate.schedule,
    effort,
    predictedTflops: candidate.predictedTflops,
    ...(measurement.resources === undefined ? {} : { resources: measurement.resources }),
    ...(measurement.timing?.clocks === undefined ? {} : { clocks: measurement.timing.clocks }),
  });
