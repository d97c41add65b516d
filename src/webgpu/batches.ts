/**
 * Times launches in batches, whose size is doubled until a batch is long relative to the timer's
 * resolution.
 */
import type { Effort } from '../core/measure/backend';
import type { Work } from './pipeline';
import type { Session } from './session';
import { wallClock, type Elapsed, type Timer } from './timer';

export interface Batches {
  readonly timer: Timer['name'];
  readonly quantumNs: number;
  /** Number of launches before the first sample. */
  readonly warmUp: number;
  readonly batch: number;
  /** Number of submits per launch; more than 1 if the launch is split. */
  readonly submits: number;
  readonly batchTimesMs: readonly number[];
}

export interface Patience {
  readonly warmUpMs: number;
  /** Minimum number of samples, unless `budgetMs` or `longestMs` has passed. */
  readonly minSamples: number;
  readonly maxSamples: number;
  /** Minimum sampling time in milliseconds, unless `maxSamples` is reached. */
  readonly sampleMs: number;
  /**
   * Time in milliseconds after which six samples are sufficient. Fewer samples have no 95 %
   * confidence interval of the median.
   */
  readonly budgetMs: number;
  /** Time in milliseconds after which three samples are sufficient; default `budgetMs`. */
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
 * Minimum number of timer quanta per batch. The begin and end times are each rounded down to a
 * quantum, so the error of the difference is below one quantum. This is less than 1 % of 101
 * quanta.
 */
const BATCH_QUANTA = 101;
/** Maximum predicted time in milliseconds of a submit with a doubled batch. */
const SUBMIT_TARGET_MS = 200;
const MAX_BATCH = 2 ** 15;
/** Maximum number of invalid readings before the timer is considered unusable. */
const MAX_BAD_READINGS = 3;

/**
 * Minimum number of samples for a 95 % confidence interval of the median (`measure/intervals.ts`).
 */
const INTERVAL_SAMPLES = 6;

class Unusable extends Error {}

/**
 * Times launches. Falls back to the wall clock if the timestamps are invalid; `timer` in the result
 * is the name of the timer that was used.
 */
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
  // More samples do not improve the result if the timer cannot resolve a batch.
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
      // A batch is too short, for example because the GPU clock has increased since calibration.
      // The series restarts with larger batches.
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

function reader(timer: Timer, work: Work): (launches: number) => Promise<Reading> {
  let bad = 0;
  return async launches => {
    for (;;) {
      const { ms, wallMs } = await timer.time(work, launches);
      if (ms !== undefined) return { ms, wallMs };
      bad++;
      if (bad > MAX_BAD_READINGS) throw new Unusable(`The times of ${timer.name} are invalid`);
    }
  };
}

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
      // The host waited much longer than the timer measured, so the timer does not measure this
      // work.
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

/** Batches of split launches are not doubled, because they are long enough. */
const canDouble = (work: Work, { wallMs }: Reading, batch: number): boolean =>
  work.length === 1 && wallMs * 2 <= SUBMIT_TARGET_MS && batch * 2 <= MAX_BATCH;

/** Maximum timer error in percent; rates with a larger error are not reported. */
export const MAX_ERROR_PERCENT = 5;

/** Returns a message if the timer is too coarse to compute a rate, otherwise undefined. */
export function timerTooCoarse({
  timer,
  quantumNs,
  submits,
  batchTimesMs,
}: Batches): string | undefined {
  const shortestNs = (Math.min(...batchTimesMs) * 1e6) / submits;
  const percent = shortestNs > 0 ? (quantumNs / shortestNs) * 100 : Infinity;
  if (percent <= MAX_ERROR_PERCENT) return undefined;
  return `No rate: the timer (${timer}) has a resolution of ${quantumNs} ns, but the shortest timed submit took ${Math.round(shortestNs)} ns, and longer batches are not possible. The error would exceed ${MAX_ERROR_PERCENT} %. Fix: use a larger problem.`;
}
