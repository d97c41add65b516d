/**
 * Times launches in batches. A batch is doubled until the timer resolves it with a known error,
 * unless a submit would exceed the time limit of the driver's watchdog.
 */
import type { Effort } from '../core/measure/backend';
import type { Work } from './pipeline';
import type { Session } from './session';
import { wallClock, type Elapsed, type Timer } from './timer';

export interface Batches {
  readonly timer: Timer['name'];
  readonly quantumNs: number;
  /** Launches before the first sample. */
  readonly warmUp: number;
  /** Launches in each batch. */
  readonly batch: number;
  /** Submits per batch: the number of parts of a launch. */
  readonly submits: number;
  readonly batchTimesMs: readonly number[];
}

/** Limits of a timing series. */
export interface Patience {
  readonly warmUpMs: number;
  /** Minimum number of samples, unless batches are so long that `budgetMs` is exceeded. */
  readonly minSamples: number;
  readonly maxSamples: number;
  /** Sampling continues beyond the minimum for this time. */
  readonly sampleMs: number;
  /** After this time, six samples are enough: fewer have no 95 % interval of their median. */
  readonly budgetMs: number;
  /** After this time, three samples are enough; default `budgetMs`. */
  readonly longestMs?: number;
}

export const PATIENCE: Readonly<Record<Effort, Patience>> = {
  quick: { warmUpMs: 6, minSamples: 4, maxSamples: 4, sampleMs: 30, budgetMs: 30 },
  longer: { warmUpMs: 40, minSamples: 8, maxSamples: 12, sampleMs: 200, budgetMs: 600 },
  full: {
    warmUpMs: 150,
    minSamples: 10,
    maxSamples: 30,
    sampleMs: 1000,
    budgetMs: 3000,
    longestMs: 10_000,
  },
};

/**
 * Minimum number of quanta per batch. Begin and end are each rounded down to a quantum, so the
 * difference is off by less than one quantum: less than 1 % of 101.
 */
const BATCH_QUANTA = 101;
/** Target for the predicted time of one submit. */
const SUBMIT_TARGET_MS = 200;
const MAX_BATCH = 2 ** 15;
/** Number of invalid readings that are dropped before the timer is abandoned. */
const MAX_BAD_READINGS = 3;

/** The fewest samples whose median has a 95 % interval (`measure/intervals.ts`). */
const INTERVAL_SAMPLES = 6;

class Unusable extends Error {}

/** Falls back to the wall clock if timestamps are invalid; `timer` names the timer in use. */
export async function timeLaunches(
  session: Session,
  timer: Timer,
  work: Work,
  patience: Patience,
  onSample: (fraction: number) => void = () => undefined,
): Promise<Batches> {
  try {
    return await timeWith(session, timer, work, patience, onSample);
  } catch (error) {
    if (!(error instanceof Unusable) || timer.name === 'wall-clock') throw error;
    const fallback = await wallClock(session);
    return timeWith(session, fallback, work, patience, onSample);
  }
}

async function timeWith(
  session: Session,
  timer: Timer,
  work: Work,
  patience: Patience,
  onSample: (fraction: number) => void,
): Promise<Batches> {
  const read = reader(timer, work);
  let { batch, launches, elapsed } = await calibrate(timer, work, read);
  const { name, quantumNs } = timer;
  // More samples do not help if the timer cannot resolve a batch.
  const submits = work.length;
  const unresolved = {
    timer: name,
    quantumNs,
    warmUp: 0,
    batch,
    submits,
    batchTimesMs: [elapsed.ms],
  };
  if (timerTooCoarse(unresolved) !== undefined) return unresolved;
  let wallMs = 0;
  while (wallMs + elapsed.wallMs < patience.warmUpMs) {
    elapsed = await read(batch);
    wallMs += elapsed.wallMs;
    launches += batch;
  }
  let batchTimesMs: number[] = [];
  let begin = session.env.now();
  const enough = (): boolean => {
    const spent = session.env.now() - begin;
    const samples = batchTimesMs.length;
    if (samples >= patience.maxSamples) return true;
    if (samples >= patience.minSamples && spent >= patience.sampleMs) return true;
    if (samples >= INTERVAL_SAMPLES && spent >= patience.budgetMs) return true;
    return samples >= 3 && spent >= (patience.longestMs ?? patience.budgetMs);
  };
  while (!enough()) {
    session.guard.check();
    const sample = await read(batch);
    if (!isLongEnough(timer, sample) && canDouble(work, sample, batch)) {
      // Clocks have risen since calibration: restart with longer batches.
      launches += (batchTimesMs.length + 1) * batch;
      batch *= 2;
      batchTimesMs = [];
      begin = session.env.now();
      continue;
    }
    batchTimesMs.push(sample.ms);
    onSample(batchTimesMs.length / patience.maxSamples);
  }
  return { timer: name, quantumNs, warmUp: launches, batch, submits, batchTimesMs };
}

type Reading = Elapsed & { readonly ms: number };

/** Reads the timer and drops a few invalid readings. */
function reader(timer: Timer, work: Work): (launches: number) => Promise<Reading> {
  let bad = 0;
  return async launches => {
    for (;;) {
      const { ms, wallMs } = await timer.time(work, launches);
      if (ms !== undefined) return { ms, wallMs };
      bad++;
      if (bad > MAX_BAD_READINGS) throw new Unusable(`${timer.name} returns invalid times`);
    }
  };
}

/** Doubles the batch until it is long enough, or until a doubled submit would be too long. */
async function calibrate(
  timer: Timer,
  work: Work,
  read: (launches: number) => Promise<Reading>,
): Promise<{ batch: number; launches: number; elapsed: Reading }> {
  let batch = 1;
  let launches = 0;
  for (;;) {
    const elapsed = await read(batch);
    launches += batch;
    if (isLongEnough(timer, elapsed)) return { batch, launches, elapsed };
    if (!canDouble(work, elapsed, batch)) {
      // The host waited but the timer hardly advanced: it does not count this work.
      if (timer.name === 'timestamp-query' && elapsed.ms < elapsed.wallMs / 10) {
        throw new Unusable('timestamps do not advance with the work');
      }
      return { batch, launches, elapsed };
    }
    batch *= 2;
  }
}

const isLongEnough = ({ minBatchMs, quantumNs }: Timer, { ms }: Reading): boolean =>
  ms >= Math.max(minBatchMs, (BATCH_QUANTA * quantumNs) / 1e6);

/** Returns whether the batch can be doubled; a split launch is already long. */
const canDouble = (work: Work, { wallMs }: Reading, batch: number): boolean =>
  work.length === 1 && wallMs * 2 <= SUBMIT_TARGET_MS && batch * 2 <= MAX_BATCH;

/** Rates with a larger error are not shown. */
export const MAX_ERROR_PERCENT = 5;

/** Returns the reason if the timer is too coarse for a rate, otherwise undefined. */
export function timerTooCoarse({
  timer,
  quantumNs,
  submits,
  batchTimesMs,
}: Batches): string | undefined {
  const shortestNs = (Math.min(...batchTimesMs) * 1e6) / submits;
  const percent = shortestNs > 0 ? (quantumNs / shortestNs) * 100 : Infinity;
  if (percent <= MAX_ERROR_PERCENT) return undefined;
  return `No rate: the timer (${timer}) has a resolution of ${quantumNs} ns, and the longest safe batch took ${Math.round(shortestNs)} ns. The error would exceed ${MAX_ERROR_PERCENT} %. Fix: use a larger problem.`;
}
