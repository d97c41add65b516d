/**
 * Runs one tuning round: compiles candidates ahead and measures each candidate once on the next
 * free GPU.
 */
import { emit } from '../../kernel/emit';
import type { Kernel } from '../../kernel/kernel';
import type { Abort } from '../../measure/backend';
import type { Measurement, Outcome } from '../../measure/measurement';
import type { Plan } from '../../plan/plan';
import type { Bench, Found, MeasurementStore } from './bench';
import type { TuneCandidate, TuneEffort } from './events';

export interface Contender {
  readonly candidate: TuneCandidate;
  readonly plan: Plan;
}

export interface Timed {
  readonly contender: Contender;
  readonly measurement: Measurement;
  readonly gpu: number;
}

export interface RoundInput<P> {
  readonly bench: Bench<P>;
  readonly memory: MeasurementStore;
  readonly effort: TuneEffort;
  /** Indices in `Bench.gpus` of the GPUs that respond. */
  readonly gpus: readonly number[];
  /** GPU index; if given, only measurements of this GPU are reused. */
  readonly on?: number;
  readonly abort: Abort;
  /** Returns whether a measurement of an earlier run can be reused. */
  readonly accepts: (measurement: Measurement) => boolean;
  readonly isOver: () => boolean;
  /** Called for each new or reused measurement, with any outcome. */
  readonly onMeasurement: (measurement: Measurement) => void;
  readonly compiled: (contender: Contender) => void;
  readonly failed: (contender: Contender, outcome: Outcome, why: string) => void;
  readonly measured: (timed: Timed, kept: boolean) => void;
  readonly lost: (gpu: number, why: string) => void;
}

/** Number of consecutive `unavailable` outcomes after which a GPU counts as lost. */
const MAX_REFUSALS = 3;
/** Maximum number of compiled kernels queued per GPU. */
const COMPILED_PER_GPU = 4;

interface Job<P> {
  readonly contender: Contender;
  readonly kernel: Kernel;
  readonly kernelKey: string;
  readonly prepared: P;
}

/**
 * Runs a round. Resolves when every candidate was measured or failed, the time is over, the run is
 * aborted, or all GPUs are lost.
 */
export async function playRound<P>(
  contenders: readonly Contender[],
  input: RoundInput<P>,
): Promise<void> {
  const { bench, gpus, abort, isOver } = input;
  if (contenders.length === 0 || gpus.length === 0) return;
  const waiting = [...contenders];
  const pending = new Set(contenders);
  const ready = queue<Job<P>>(COMPILED_PER_GPU * gpus.length);
  const left = new Set(gpus);
  const stop = (): void => {
    waiting.length = 0;
    ready.end();
  };
  abort.addEventListener('abort', stop);
  const compilers = Math.max(1, Math.min(bench.compilers, waiting.length));
  const compiling = Array.from({ length: compilers }, async () => {
    while (!isOver() && !abort.aborted) {
      const contender = waiting.shift();
      if (contender === undefined) return;
      const job = await compile(contender, input);
      if (job === undefined) pending.delete(contender);
      else await ready.put(job);
    }
  });
  const measuring = gpus.map(async gpu => {
    let refusals = 0;
    for (let job = await ready.take(); job !== undefined; job = await ready.take()) {
      const measurement = await bench.measure(job.prepared, job.kernel, {
        effort: input.effort,
        gpu,
        abort,
      });
      if (measurement.outcome === 'cancelled') return;
      if (measurement.outcome !== 'unavailable') {
        refusals = 0;
        await record(job.contender, job.kernelKey, { measurement, gpu }, input);
        pending.delete(job.contender);
        continue;
      }
      ready.putBack(job);
      refusals++;
      if (refusals < MAX_REFUSALS) continue;
      left.delete(gpu);
      input.lost(gpu, measurement.message ?? '');
      if (left.size === 0) stop();
      return;
    }
  });
  // A failed write to the store ends the round, because further measurements might be lost.
  const all = [Promise.all(compiling).finally(ready.close), ...measuring];
  const ended = await Promise.allSettled(all.map(work => work.catch(rethrow(stop))));
  abort.removeEventListener('abort', stop);
  for (const each of ended) if (each.status === 'rejected') throw each.reason;
  // Candidates of a lost GPU may remain after the other GPUs have finished.
  if (pending.size > 0 && left.size < gpus.length && !isOver() && !abort.aborted) {
    await playRound([...pending], { ...input, gpus: [...left] });
  }
}

const rethrow =
  (stop: () => void) =>
  (error: unknown): never => {
    stop();
    throw error;
  };

/**
 * Compiles a kernel for measurement. Returns undefined if its measurement is known, or if the
 * compilation fails or is cancelled.
 */
async function compile<P>(contender: Contender, input: RoundInput<P>): Promise<Job<P> | undefined> {
  const { bench, memory, effort } = input;
  const kernel = emit(contender.plan);
  const kernelKey = bench.keyOf(kernel);
  const found = memory.find({ kernelKey, effort }, input.on);
  if (found !== undefined && input.accepts(found.measurement)) {
    report(contender, found, input, true);
    return undefined;
  }
  const made = await bench.prepare(kernel, input.abort);
  if (made.ok) {
    input.compiled(contender);
    return { contender, kernel, kernelKey, prepared: made.prepared };
  }
  const { measurement } = made;
  if (measurement.outcome === 'cancelled') return undefined;
  await record(contender, kernelKey, { measurement, gpu: input.gpus[0] ?? 0 }, input);
  return undefined;
}

/** Stores a measurement, unless its outcome is `unavailable`, before reporting it. */
async function record<P>(
  contender: Contender,
  kernelKey: string,
  found: Found,
  input: RoundInput<P>,
): Promise<void> {
  if (found.measurement.outcome !== 'unavailable') {
    await input.memory.keep({ kernelKey, effort: input.effort }, found);
  }
  report(contender, found, input, false);
}

function report<P>(
  contender: Contender,
  { measurement, gpu }: Found,
  input: RoundInput<P>,
  kept: boolean,
): void {
  const { outcome, message, timing } = measurement;
  input.onMeasurement(measurement);
  if (timing !== undefined) input.measured({ contender, measurement, gpu }, kept);
  else input.failed(contender, outcome, message ?? 'The kernel was not timed.');
}

interface Queue<T> {
  /** Adds an item at the end; waits while the queue is full. */
  readonly put: (item: T) => Promise<void>;
  /** Adds an item at the front, even if the queue is full. */
  readonly putBack: (item: T) => void;
  /**
   * Removes the first item; waits for an item, and returns undefined if the queue is closed and
   * empty.
   */
  readonly take: () => Promise<T | undefined>;
  /** Closes the queue; current items remain available. */
  readonly close: () => void;
  /** Closes the queue and drops its items. */
  readonly end: () => void;
}

function queue<T>(most: number): Queue<T> {
  const items: T[] = [];
  let closed = false;
  let waiting: (() => void)[] = [];
  const wake = (): void => {
    const all = waiting;
    waiting = [];
    for (const each of all) each();
  };
  const turn = (): Promise<void> => new Promise(resolve => waiting.push(resolve));
  return {
    put: async item => {
      while (items.length >= most && !closed) await turn();
      items.push(item);
      wake();
    },
    putBack: item => {
      items.unshift(item);
      wake();
    },
    take: async () => {
      while (items.length === 0 && !closed) await turn();
      const item = items.shift();
      wake();
      return item;
    },
    close: () => {
      closed = true;
      wake();
    },
    end: () => {
      items.length = 0;
      closed = true;
      wake();
    },
  };
}
