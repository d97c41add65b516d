/**
 * Tracks the tried schedules of a tuning run: enters schedules, measures them in rounds, and
 * reports and stores the results.
 */
import { t } from '@vscode/l10n';
import type { Abort } from '../../measure/backend';
import type { Measurement } from '../../measure/measurement';
import { plannerFor } from '../../plan/planner';
import type { ResolvedSpec } from '../../spec/resolved';
import { specKey } from '../../plan/specKey';
import { completeSchedule } from '../../defaults/byShape';
import { gpuName, type Bench, type MeasurementStore } from './bench';
import { timeOf } from './compare';
import type {
  Objective,
  TuneCandidate,
  TuneEffort,
  TuneEvent,
  TuneFailure,
  TunePlace,
  TuneTime,
} from './events';
import type { Scored } from './order';
import { playRound, type Contender, type Timed } from './round';

export interface TuneContext {
  readonly abort: Abort;
  readonly say: (event: TuneEvent) => void;
  /** Called for each measurement, new or reused. */
  readonly onMeasurement?: (measurement: Measurement) => void;
  /** Returns the current time in milliseconds. */
  readonly now: () => number;
  readonly pause: () => Promise<void>;
}

export interface EffortTime {
  readonly time: TuneTime;
  readonly measurement: Measurement;
}

export interface Entry extends Contender {
  readonly times: Readonly<Partial<Record<TuneEffort, EffortTime>>>;
  /** Failure, which excludes the entry even if it was measured before. */
  readonly failure?: TuneFailure;
}

export interface TriedSchedules {
  /** Returns the entries in order of trial. */
  readonly entries: () => readonly Entry[];
  readonly size: () => number;
  /** Returns the indices of the GPUs that respond. */
  readonly gpus: () => readonly number[];
  readonly measurements: () => number;
  readonly notes: () => readonly string[];
  readonly note: (text: string) => void;
  /** Enters the first `most` schedules that are legal and untried. */
  readonly enter: (
    scored: readonly Scored[],
    from: TuneCandidate['from'],
    most: number,
  ) => readonly Contender[];
  readonly play: (
    contenders: readonly Contender[],
    effort: TuneEffort,
    on?: number,
  ) => Promise<void>;
  /**
   * Sets the time difference between GPUs for the same kernel in percent. It is added to the error
   * of every later time outside the full protocol.
   */
  readonly setGpuPercent: (percent: number) => void;
  readonly isOver: (effort: TuneEffort) => boolean;
}

export interface TriedSchedulesInput<P> {
  readonly spec: ResolvedSpec;
  readonly place: TunePlace;
  readonly bench: Bench<P>;
  readonly memory: MeasurementStore;
  readonly context: TuneContext;
  readonly objective: Objective;
  readonly isLate: (effort: TuneEffort) => boolean;
  readonly onResult: (field: TriedSchedules) => void;
}

export function createTriedSchedules<P>(input: TriedSchedulesInput<P>): TriedSchedules {
  const { spec, place, bench, memory, context, isLate } = input;
  const { abort, say } = context;
  const entries = new Map<string, Entry>();
  const planOf = plannerFor(spec, place.target);
  const notes: string[] = [];
  let gpus: readonly number[] = bench.gpus.map((_, gpu) => gpu);
  let [gpuPercent, measurements] = [0, 0];

  const change = ({ candidate: { specKey: key } }: Contender, changes: Partial<Entry>): void => {
    const old = entries.get(key);
    if (old !== undefined) entries.set(key, { ...old, ...changes });
    input.onResult(field);
  };
  const measured = ({ contender, measurement, gpu }: Timed, effort: TuneEffort, kept: boolean) => {
    const { specKey: key } = contender.candidate;
    const { timing, energy } = measurement;
    if (timing === undefined) return;
    if (!kept) measurements++;
    const percent = effort === 'full' ? 0 : gpuPercent;
    const time = timeOf(timing, gpuName(bench, gpu), percent, energy);
    say({ type: 'measured', specKey: key, effort, time, kept });
    const times = { ...entries.get(key)?.times, [effort]: { time, measurement } };
    change(contender, { times });
  };
  const note = (text: string): void => {
    notes.push(text);
    say({ type: 'note', text });
  };
  const field: TriedSchedules = {
    entries: () => [...entries.values()],
    size: () => entries.size,
    gpus: () => gpus,
    measurements: () => measurements,
    notes: () => notes,
    note,
    setGpuPercent: percent => {
      gpuPercent = percent;
    },
    isOver: effort => abort.aborted || gpus.length === 0 || isLate(effort),
    enter: (scored, from, most) => {
      const entered: Contender[] = [];
      for (const { schedule: given, predictedTflops } of scored) {
        if (entered.length >= most) break;
        const schedule = completeSchedule(given, spec.problem);
        const plan = planOf(schedule);
        const key = specKey({ ...spec, schedule });
        if (plan === null || entries.has(key)) continue;
        const candidate = { specKey: key, schedule, predictedTflops, from };
        entries.set(key, { candidate, plan, times: {} });
        say({ type: 'tried', candidate });
        entered.push({ candidate, plan });
      }
      return entered;
    },
    play: (contenders, effort, on) =>
      playRound(contenders, {
        bench,
        memory,
        effort,
        abort,
        isOver: () => isLate(effort),
        accepts: measurement =>
          input.objective !== 'energy' || effort !== 'full' || hasEnergy(measurement),
        ...(on === undefined ? { gpus } : { gpus: [on], on }),
        onMeasurement: measurement => {
          context.onMeasurement?.(measurement);
        },
        compiled: ({ candidate }) => {
          say({ type: 'compiled', specKey: candidate.specKey });
        },
        failed: (contender, outcome, why) => {
          const failure = { specKey: contender.candidate.specKey, outcome, why };
          say({ type: 'failed', ...failure });
          change(contender, { failure });
        },
        measured: (timed, kept) => {
          measured(timed, effort, kept);
        },
        lost: (gpu, why) => {
          gpus = gpus.filter(one => one !== gpu);
          note(t('{0} is lost: {1}', bench.gpus[gpu] ?? '', why));
        },
      }),
  };
  return field;
}

/** Returns whether the energy was measured, or found to be unknown. */
const hasEnergy = ({ energy, energyUnknown, timing }: Measurement): boolean =>
  timing === undefined || energy !== undefined || energyUnknown !== undefined;

/** Returns the times of an effort, without failed entries. */
export const timesOf = (
  entries: readonly Entry[],
  effort: TuneEffort,
): readonly (Entry & EffortTime)[] =>
  entries.flatMap(entry => {
    const found = entry.times[effort];
    return found === undefined || entry.failure !== undefined ? [] : [{ ...entry, ...found }];
  });
