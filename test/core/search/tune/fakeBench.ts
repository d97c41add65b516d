/**
 * A bench whose kernels take as long as a function of their schedule says, with a timer of any
 * quantum and noise.
 */
import type { Kernel } from '../../../../src/core/kernel/kernel';
import { kernelKey } from '../../../../src/core/text/hash';
import {
  NOT_VERIFIED,
  type Measurement,
  type Outcome,
} from '../../../../src/core/measure/measurement';
import { timingOf } from '../../../../src/core/measure/statistics';
import type { Bench } from '../../../../src/core/search/tune/bench';
import type { TuneEffort, TuneEvent } from '../../../../src/core/search/tune/events';
import type { TuneContext } from '../../../../src/core/search/tune/tune';

/** A number of [0, 1) that is a function of a text. */
export function hashed(text: string): number {
  let hash = 2166136261;
  for (const character of text) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16777619);
    hash ^= hash >>> 13;
  }
  return (hash >>> 0) / 2 ** 32;
}

export interface FakeBenchOptions {
  /** Milliseconds, or what becomes of the kernel instead. */
  readonly timeOf: (kernel: Kernel, effort: TuneEffort, gpu: number) => number | Outcome;
  readonly gpus?: readonly string[];
  readonly compilers?: number;
  readonly quantumNs?: number;
  readonly batchMs?: Readonly<Record<TuneEffort, number>>;
  /** Energy with full effort, or the reason why it is unknown; default: not measured. */
  readonly joulesOf?: (kernel: Kernel) => number | string;
  /** Of each batch, relative, uniform. */
  readonly noise?: number;
  /** Of compiling, before it is measured. */
  readonly compiled?: (kernel: Kernel) => Outcome | undefined;
}

export interface FakeBench extends Bench<Kernel> {
  /** What was measured: specKey, effort and GPU. */
  readonly asked: { readonly specKey: string; readonly effort: TuneEffort; readonly gpu: number }[];
}

const BATCH_MS: Readonly<Record<TuneEffort, number>> = { quick: 4, longer: 12, full: 20 };
const SAMPLES: Readonly<Record<TuneEffort, number>> = { quick: 4, longer: 12, full: 30 };

export function fakeBench(options: FakeBenchOptions): FakeBench {
  const {
    timeOf,
    gpus = ['fake'],
    compilers = 2,
    quantumNs = 1,
    noise = 0,
    batchMs = BATCH_MS,
  } = options;
  const asked: FakeBench['asked'] = [];
  const keyOf = ({ source }: Kernel): string =>
    kernelKey({ source, architecture: 'fake', compiler: 'fake', flags: [] });
  return {
    gpus,
    compilers,
    keyOf,
    asked,
    prepare: kernel => {
      const outcome = options.compiled?.(kernel);
      return Promise.resolve(
        outcome === undefined
          ? { ok: true, prepared: kernel }
          : { ok: false, measurement: measurementOf(kernel, outcome) },
      );
    },
    measure: async (_, kernel, { effort, gpu, abort }) => {
      asked.push({ specKey: kernel.specKey, effort, gpu });
      await new Promise(resolve => setImmediate(resolve));
      if (abort.aborted) return measurementOf(kernel, 'cancelled');
      const time = timeOf(kernel, effort, gpu);
      if (typeof time === 'string') return measurementOf(kernel, time);
      const batch = Math.max(1, Math.ceil(batchMs[effort] / time));
      const quantumMs = quantumNs / 1e6;
      const batchTimesMs = Array.from({ length: SAMPLES[effort] }, (__, sample) => {
        const noisy = 1 + noise * (hashed(`${kernel.specKey}${effort}${gpu}${sample}`) - 0.5);
        return Math.max(quantumMs, Math.floor((time * batch * noisy) / quantumMs) * quantumMs);
      });
      const timing = timingOf({
        timer: 'fake',
        quantumNs,
        warmUp: 1,
        batch,
        batchTimesMs,
        problem: kernel.problem,
        cache: 'cold',
        inputs: 'none',
      });
      const joules = effort === 'full' ? options.joulesOf?.(kernel) : undefined;
      const energy =
        typeof joules === 'number'
          ? { energy: { joules, gflopsPerWatt: 1 / joules } }
          : joules === undefined
            ? {}
            : { energyUnknown: joules };
      return { ...measurementOf(kernel, 'correct'), timing, ...energy };
    },
  };
}

const measurementOf = (kernel: Kernel, outcome: Outcome): Measurement => ({
  specKey: kernel.specKey,
  kernelKey: 'fake',
  resolved: kernel.spec,
  backend: 'cuda',
  device: { name: 'fake', adapter: 'fake', driver: 'fake', where: 'test' },
  outcome,
  ...(outcome === 'correct' ? {} : { message: `it is ${outcome}` }),
  verification: outcome === 'correct' ? { ...NOT_VERIFIED, samples: 1 } : NOT_VERIFIED,
});

/** Time that each look moves on by 10 ms; events are kept. */
export function fakeContext(more: Partial<TuneContext> = {}): TuneContext & {
  readonly events: TuneEvent[];
} {
  const events: TuneEvent[] = [];
  let clock = 0;
  return {
    events,
    abort: new AbortController().signal,
    say: event => {
      events.push(event);
    },
    now: () => (clock += 10),
    pause: () => new Promise(resolve => setImmediate(resolve)),
    ...more,
  };
}
