/**
 * Compares the recorded runs of two commits: for each kernel, backend and device the change of the
 * median time with its 95 % interval. Times of different devices are never compared.
 */
import { speedUp, type Interval } from './intervals';
import { timingErrorPercent } from './gate';
import type { Measurement } from './measurement';
import { byOrder, type Ordered } from './runOrder';

export interface RecordedRun {
  readonly id: string;
  readonly measurement: Measurement;
}

/** A spec of either commit, with the key of its kernel. */
export interface RegressSpec {
  /** Path in the repository. */
  readonly name: string;
  /** Missing if the commit has no such spec, or if it is not valid there. */
  readonly before?: string;
  readonly after?: string;
}

export interface RegressInput {
  /** Full hashes; `after` is missing for the files of the work tree. */
  readonly commits: { readonly before: string; readonly after?: string };
  readonly specs: readonly RegressSpec[];
  /** Runs in the history of each commit. */
  readonly before: readonly RecordedRun[];
  readonly after: readonly RecordedRun[];
  readonly maxSlowdownPercent: number;
}

export const REGRESS_VERDICTS = ['failed', 'slower', 'not-compared', 'same', 'faster'] as const;
/**
 * - `failed`: the newest run is not correct, although the run before was.
 * - `slower`: the interval of the change excludes 0, and the slowdown exceeds the allowance.
 * - `same`: the change is within its error or within the allowance.
 * - `not-compared`: one of the commits has no timed run on this device.
 */
export type RegressVerdict = (typeof REGRESS_VERDICTS)[number];

export interface RegressRow {
  readonly name: string;
  readonly backend: Measurement['backend'];
  readonly device: string;
  readonly verdict: RegressVerdict;
  /** Ratio of the median times, after / before, with its 95 % interval if known. */
  readonly ratio?: number;
  readonly interval?: Interval;
  readonly before?: RegressSide;
  readonly after?: RegressSide;
  /** True if the runs are from two machines with this device. */
  readonly otherMachine?: true;
  readonly why?: string;
}

export interface RegressSide {
  readonly specKey: string;
  readonly outcome: Measurement['outcome'];
  readonly medianMs?: number;
  readonly machine?: string;
  readonly author?: string;
  readonly commit?: string;
  readonly at?: string;
}

export interface RegressReport {
  readonly before: string;
  readonly after: string | null;
  readonly maxSlowdownPercent: number;
  readonly compared: number;
  readonly counts: Readonly<Record<RegressVerdict, number>>;
  /** Failed and slower rows first, the largest slowdown first. */
  readonly rows: readonly RegressRow[];
}

export function regress(input: RegressInput): RegressReport {
  const { commits, maxSlowdownPercent } = input;
  const { before, after } = splitRuns(input);
  const rows = subjectsOf(input)
    .flatMap(subject => rowsOf(subject, before, after, maxSlowdownPercent))
    .toSorted(worstFirst);
  const count = (verdict: RegressVerdict): number =>
    rows.filter(row => row.verdict === verdict).length;
  return {
    before: commits.before,
    after: commits.after ?? null,
    maxSlowdownPercent,
    compared: rows.filter(({ ratio }) => ratio !== undefined).length,
    counts: Object.fromEntries(
      REGRESS_VERDICTS.map(verdict => [verdict, count(verdict)]),
    ) as Record<RegressVerdict, number>,
    rows,
  };
}

interface Split {
  readonly before: readonly Measurement[];
  /** Runs of the second commit that the first commit did not have. */
  readonly after: readonly Measurement[];
}

/**
 * Assigns runs to the commits. A run that was measured at the clean first commit belongs to it,
 * also if it was committed later.
 */
function splitRuns({ commits, before, after }: RegressInput): Split {
  const isOfFirst = ({ measurement: { origin } }: RecordedRun): boolean =>
    origin?.commit === commits.before && origin.dirty === false;
  const known = new Set(before.map(({ id }) => id));
  const later = after.filter(run => !known.has(run.id));
  const measurementOf = ({ measurement }: RecordedRun): Measurement => measurement;
  return {
    before: [...before, ...later.filter(isOfFirst)].map(measurementOf),
    after: later.filter(run => !isOfFirst(run)).map(measurementOf),
  };
}

interface Subject {
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Returns the specs, and the kernels of the runs that belong to no spec, by their key. */
function subjectsOf({ specs, before, after }: RegressInput): readonly Subject[] {
  const ofSpecs = new Set(specs.flatMap(spec => [spec.before, spec.after]));
  const keys = new Set([...before, ...after].map(({ measurement }) => measurement.specKey));
  return [
    ...specs.map(({ name, before: one, after: other }) => ({ name, before: one, after: other })),
    ...[...keys]
      .filter(key => !ofSpecs.has(key))
      .map(key => ({ name: key, before: key, after: key })),
  ];
}

function rowsOf(
  { name, before: beforeKey, after: afterKey }: Subject,
  before: readonly Measurement[],
  after: readonly Measurement[],
  maxSlowdownPercent: number,
): readonly RegressRow[] {
  const older = before.filter(({ specKey }) => specKey === beforeKey);
  const newer = after.filter(({ specKey }) => specKey === afterKey);
  // A changed spec may have a schedule that was already measured before the first commit.
  const newerOrOld =
    beforeKey === afterKey
      ? newer
      : [...newer, ...before.filter(({ specKey }) => specKey === afterKey)];
  const places = new Map([...older, ...newerOrOld].map(run => [placeOf(run), run]));
  return [...places].map(([place, { backend, device }]): RegressRow => {
    const isHere = (run: Measurement): boolean => placeOf(run) === place;
    const [olderHere, newerHere] = [older.filter(isHere), newerOrOld.filter(isHere)];
    return {
      name,
      backend,
      device: device.name,
      ...compared(olderHere, newerHere, maxSlowdownPercent),
    };
  });
}

const placeOf = ({ backend, device }: Measurement): string => `${backend}\n${device.name}`;

type Compared = Omit<RegressRow, 'name' | 'backend' | 'device'>;

function compared(
  older: readonly Measurement[],
  newer: readonly Measurement[],
  maxSlowdownPercent: number,
): Compared {
  const last = newest(newer);
  if (last === undefined) {
    return { verdict: 'not-compared', ...sideOf('before', newest(older)), why: WHY.noLater };
  }
  const passed = newest(older.filter(({ outcome }) => outcome === 'correct'));
  if (last.outcome !== 'correct') {
    const sides = { ...sideOf('before', passed), ...sideOf('after', last) };
    const why = last.message ?? last.outcome;
    return passed === undefined
      ? { verdict: 'not-compared', ...sides, why: WHY.neverCorrect }
      : { verdict: 'failed', ...sides, why };
  }
  const after = newest(newer.filter(isTimed));
  const timed = older.filter(isTimed);
  const machine = after?.origin?.machine;
  const before = newest(timed.filter(({ origin }) => origin?.machine === machine)) ?? newest(timed);
  const sides = { ...sideOf('before', before ?? passed), ...sideOf('after', after ?? last) };
  if (after?.timing === undefined) return { verdict: 'not-compared', ...sides, why: WHY.notTimed };
  if (before?.timing === undefined)
    return { verdict: 'not-compared', ...sides, why: WHY.noEarlier };
  const { value: ratio, interval } = speedUp(before.timing, after.timing);
  const errorPercent = timingErrorPercent(before.timing) + timingErrorPercent(after.timing);
  const percent = 100 * (ratio - 1);
  const isClear =
    interval === undefined ? Math.abs(percent) > errorPercent : interval[0] > 1 || interval[1] < 1;
  const isBeyond = percent > maxSlowdownPercent;
  const verdict = !isClear ? 'same' : isBeyond ? 'slower' : percent < 0 ? 'faster' : 'same';
  const isOther = machine !== before.origin?.machine;
  return {
    verdict,
    ratio,
    ...(interval === undefined ? {} : { interval }),
    ...sides,
    ...(isOther ? { otherMachine: true as const } : {}),
  };
}

const WHY = {
  noLater: 'The second commit has no new run on this device.',
  noEarlier: 'The first commit has no timed run on this device.',
  notTimed: 'The new run on this device was verified, but not timed.',
  neverCorrect: 'The new run is not correct, and no earlier run was.',
} as const;

const isTimed = ({ outcome, timing }: Measurement): boolean =>
  outcome === 'correct' && timing !== undefined;

const newest = <T extends Ordered>(runs: readonly T[]): T | undefined =>
  runs.reduce<T | undefined>(
    (last, run) => (last === undefined || byOrder(run, last) >= 0 ? run : last),
    undefined,
  );

function sideOf(
  side: 'before' | 'after',
  run: Measurement | undefined,
): Readonly<Partial<Record<'before' | 'after', RegressSide>>> {
  if (run === undefined) return {};
  const { specKey, outcome, timing, origin, at } = run;
  const { machine, author, commit } = origin ?? {};
  return {
    [side]: {
      specKey,
      outcome,
      ...(timing === undefined ? {} : { medianMs: timing.medianMs }),
      ...(machine === undefined ? {} : { machine }),
      ...(author === undefined ? {} : { author }),
      ...(commit === undefined ? {} : { commit }),
      ...(at === undefined ? {} : { at }),
    },
  };
}

function worstFirst(one: RegressRow, other: RegressRow): number {
  const rank = (row: RegressRow): number =>
    row.verdict === 'failed' ? 0 : row.verdict === 'slower' ? 1 : row.ratio === undefined ? 3 : 2;
  const [left, right] = [`${one.name}\n${one.device}`, `${other.name}\n${other.device}`];
  return (
    rank(one) - rank(other) ||
    (other.ratio ?? 0) - (one.ratio ?? 0) ||
    (left < right ? -1 : left > right ? 1 : 0)
  );
}
