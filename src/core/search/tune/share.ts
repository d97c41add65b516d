/**
 * Divides the quick rounds of a tuning run among tasks that cannot exchange messages. Each task
 * lists the same open schedules from the same earlier measurements, and measures its own share.
 */
import type { Measurement } from '../../measure/measurement';
import type { Bench, Found, MeasurementStore } from './bench';
import type { TuneEffort } from './events';
import { ordered, scorerFor } from './order';
import { playRound, type Contender } from './round';
import { enterFirst, enterNext, neighborsOfCenters } from './search';
import { budgetOf, type TuneContext, type TuneInput } from './tune';
import { createTriedSchedules } from './triedSchedules';

export interface OpenSchedules {
  /** Schedules without a measurement, in the order of the search. */
  readonly open: readonly Contender[];
  /** Number of schedules of the search that have a measurement. */
  readonly known: number;
}

/** Index of a task and number of tasks. */
export interface Share {
  readonly task: number;
  readonly tasks: number;
}

/** Divides a list among tasks: entry i belongs to task i mod `tasks`. */
export const shareOf = <T>(list: readonly T[], { task, tasks }: Share): readonly T[] =>
  list.filter((_, index) => index % tasks === task);

const EFFORT: TuneEffort = 'quick';

/**
 * Lists the schedules that a search still measures: those of its first round, and then neighbors of
 * the fastest known schedules up to the budget. `tune` selects the neighbors of later rounds from
 * more measurements, so it may measure other neighbors.
 *
 * @param known measurements by spec key; they must be of comparable GPUs
 */
export async function openSchedules(
  input: Omit<TuneInput, 'notes'>,
  known: ReadonlyMap<string, Measurement>,
  { abort, now, pause }: Pick<TuneContext, 'abort' | 'now' | 'pause'>,
): Promise<OpenSchedules> {
  const { spec, place, space, seeds, exhaustive = false } = input;
  const { score } = scorerFor(spec, place.target);
  const running = async (): Promise<boolean> => {
    await pause();
    return !abort.aborted;
  };
  const { space: count, scored } = await ordered(space, score, {
    whole: exhaustive,
    pause: running,
  });
  const budget = budgetOf(input, count).schedules;
  const field = createTriedSchedules({
    spec,
    place,
    bench: RECORDED,
    memory: recordOf(known),
    context: { abort, say: () => undefined, now, pause },
    objective: 'time',
    isLate: () => false,
    onResult: () => undefined,
  });
  const isKnown = ({ candidate }: Contender): boolean => known.has(candidate.specKey);
  const given = seeds.flatMap(seed => score([seed]));
  const search = { spec, space, score, scored, exhaustive, seeds: given, budget };
  const { first, wanted } = enterFirst(field, search);
  await field.play(first.filter(isKnown), EFFORT);
  const all = [...first];
  if (first.some(isKnown)) {
    const nearest = neighborsOfCenters(search);
    for (;;) {
      const next = enterNext(field, wanted, nearest, budget - field.size());
      if (next.length === 0) break;
      await field.play(next.filter(isKnown), EFFORT);
      all.push(...next);
    }
  }
  const open = all.filter(one => !isKnown(one));
  return { open, known: all.length - open.length };
}

/** A bench that only finds recorded measurements, by spec key. */
const RECORDED: Bench<never> = {
  gpus: [''],
  compilers: 1,
  keyOf: ({ specKey }) => specKey,
  prepare: () => Promise.reject(new Error('a schedule without a record is not measured here')),
  measure: () => Promise.reject(new Error('a schedule without a record is not measured here')),
};

const recordOf = (known: ReadonlyMap<string, Measurement>): MeasurementStore => ({
  known: known.size,
  find: ({ kernelKey }) => {
    const measurement = known.get(kernelKey);
    return measurement === undefined ? undefined : { measurement, gpu: 0 };
  },
  keep: () => Promise.resolve(),
});

export interface ShareContext extends Pick<TuneContext, 'abort' | 'onMeasurement'> {
  /** Returns whether no further measurement may start. */
  readonly isLate: () => boolean;
}

export type ShareEnd = { readonly ended: 'done' | 'cancelled' | 'out-of-time' } | { lost: string };

/**
 * Measures a share of the schedules with quick effort on the first GPU of the bench. Measurements
 * of the store are not repeated.
 */
export async function measureShare<P>(
  share: readonly Contender[],
  bench: Bench<P>,
  memory: MeasurementStore,
  { abort, isLate, onMeasurement }: ShareContext,
): Promise<ShareEnd> {
  let lost: string | undefined;
  await playRound(share, {
    bench,
    memory,
    effort: EFFORT,
    gpus: [0],
    abort,
    accepts: () => true,
    isOver: isLate,
    onMeasurement: measurement => {
      onMeasurement?.(measurement);
    },
    compiled: () => undefined,
    failed: () => undefined,
    measured: () => undefined,
    lost: (_, why) => {
      lost = why;
    },
  });
  if (lost !== undefined) return { lost };
  if (abort.aborted) return { ended: 'cancelled' };
  return { ended: isLate() ? 'out-of-time' : 'done' };
}

/** A quick measurement on another GPU, whose kernel is measured again for comparison. */
export interface Reference {
  readonly contender: Contender;
  readonly found: Found;
}

/** Largest time difference in percent at which the measurements of another GPU are used. */
export const MAX_GPU_PERCENT = 10;

export interface ComparedGpus {
  /** Time difference in percent between all compared GPUs, for the same kernel. */
  readonly percent: number;
  /** Indices of GPUs that differ by more than `MAX_GPU_PERCENT` from the measuring GPU. */
  readonly apart: readonly number[];
}

/**
 * Measures the reference of each other GPU on the measuring GPU, to compare the GPUs. A GPU without
 * a result of both is not comparable.
 */
export async function compareWith<P>(
  references: readonly Reference[],
  bench: Bench<P>,
  memory: MeasurementStore,
  context: ShareContext,
): Promise<ComparedGpus> {
  const own = new Map<string, number>();
  await playRound(
    references.map(({ contender }) => contender),
    {
      bench,
      memory,
      effort: EFFORT,
      gpus: [0],
      on: 0,
      abort: context.abort,
      accepts: () => true,
      isOver: context.isLate,
      onMeasurement: ({ specKey, timing }) => {
        if (timing !== undefined) own.set(specKey, timing.medianMs);
      },
      compiled: () => undefined,
      failed: () => undefined,
      measured: () => undefined,
      lost: () => undefined,
    },
  );
  const ratios = [1];
  const apart: number[] = [];
  for (const { contender, found } of references) {
    const here = own.get(contender.candidate.specKey);
    const there = found.measurement.timing?.medianMs;
    const ratio = here === undefined || there === undefined ? Infinity : there / here;
    if (Math.max(ratio, 1 / ratio) > 1 + MAX_GPU_PERCENT / 100) apart.push(found.gpu);
    else ratios.push(ratio);
  }
  return { percent: 100 * (Math.max(...ratios) / Math.min(...ratios) - 1), apart };
}
