/**
 * Times launches in batches: a batch is doubled until the timer resolves it well, so that its error is
 * known; no submit is predicted to take longer than a driver's watchdog would like.
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
  /** Submits in each batch: as many as a launch is cut into. */
  readonly submits: number;
  readonly batchTimesMs: readonly number[];
}

/** How long to time. */
export interface Patience {
  readonly warmUpMs: number;
  /** Samples taken at least, unless batches are so long that `budgetMs` is spent. */
  readonly minSamples: number;
  readonly maxSamples: number;
  /** More than the least samples are taken for this long. */
  readonly sampleMs: number;
  /** Spent, six samples are enough: fewer have no 95 % interval of their median. */
  readonly budgetMs: number;
  /** Spent, three samples are enough; default `budgetMs`. */
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
 * Quanta a batch must span. Begin and end are both read rounded down to a quantum, so their difference is off by less than
 * one of them, either way: by less than 1 % of 101.
 */
const BATCH_QUANTA = 101;
/** Predicted time of one submit. */
const SUBMIT_TARGET_MS = 200;
const MAX_BATCH = 2 ** 15;
/** Impossible readings that are thrown away before the timer itself is. */
const MAX_BAD_READINGS = 3;

/** The fewest samples whose median has a 95 % interval (`measure/intervals.ts`). */
const INTERVAL_SAMPLES = 6;

class Unusable extends Error {}

/** Timestamps that turn out to be impossible are given up for the wall clock; `timer` says which it was. */
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
  // More samples of what the timer cannot resolve would be no better.
  const submits = work.length;
  const unresolved = {
    timer: name,
    quantumNs,
    warmUp: 0,
    batch,
    submits,
    batchTimesMs: [elapsed.ms],
  };
  if (tooCoarse(unresolved) !== undefined) return unresolved;
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
      // Clocks have risen since it was calibrated: longer batches, from the beginning.
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

/** Reads the timer, and drops a few readings that cannot be. */
function reader(timer: Timer, work: Work): (launches: number) => Promise<Reading> {
  let bad = 0;
  return async launches => {
    for (;;) {
      const { ms, wallMs } = await timer.time(work, launches);
      if (ms !== undefined) return { ms, wallMs };
      bad++;
      if (bad > MAX_BAD_READINGS) throw new Unusable(`${timer.name} gives impossible times`);
    }
  };
}

/** Doubles the batch until it is long enough, or a submit of twice as many would be too long. */
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
      // The host waited and the timer hardly moved: it does not count this work.
      if (timer.name === 'timestamp-query' && elapsed.ms < elapsed.wallMs / 10) {
        throw new Unusable('timestamps do not move with the work');
      }
      return { batch, launches, elapsed };
    }
    batch *= 2;
  }
}

const isLongEnough = ({ minBatchMs, quantumNs }: Timer, { ms }: Reading): boolean =>
  ms >= Math.max(minBatchMs, (BATCH_QUANTA * quantumNs) / 1e6);

/** What is cut is long already. */
const canDouble = (work: Work, { wallMs }: Reading, batch: number): boolean =>
  work.length === 1 && wallMs * 2 <= SUBMIT_TARGET_MS && batch * 2 <= MAX_BATCH;

/** A figure with a larger error is not shown. */
export const MAX_ERROR_PERCENT = 5;

/** Why these batches give no figure: the timer is too coarse for them. Undefined when it is not. */
export function tooCoarse({
  timer,
  quantumNs,
  submits,
  batchTimesMs,
}: Batches): string | undefined {
  const shortestNs = (Math.min(...batchTimesMs) * 1e6) / submits;
  const percent = shortestNs > 0 ? (quantumNs / shortestNs) * 100 : Infinity;
  if (percent <= MAX_ERROR_PERCENT) return undefined;
  return (
    `No figure: the timer (${timer}) moves in steps of ${quantumNs} ns, and the longest batch that ` +
    `is safe to submit took ${Math.round(shortestNs)} ns, which leaves an error of more than ` +
    `${MAX_ERROR_PERCENT} %. A larger problem can be timed.`
  );
}
