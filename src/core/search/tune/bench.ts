/** What a tune needs done for it: compilers and GPUs of a host, or a test's own; and a memory that outlives it. */
import type { Kernel } from '../../kernel/kernel';
import type { Abort } from '../../measure/backend';
import type { Measurement } from '../../measure/measurement';
import type { TuneEffort } from './events';

/** Where there is nothing to measure, the Measurement says why: `cancelled` and `unavailable` are not the kernel's doing. */
export type Prepared<P> =
  | { readonly ok: true; readonly prepared: P }
  | { readonly ok: false; readonly measurement: Measurement };

/** None of it rejects for what a kernel, a compiler or a GPU does. */
export interface Bench<P> {
  /** Names of the GPUs that measure, each a kernel at a time. */
  readonly gpus: readonly string[];
  /** Kernels that are compiled at a time. */
  readonly compilers: number;
  /** The key of a kernel's measurements: of its text, and of what compiles it. */
  readonly keyOf: (kernel: Kernel) => string;
  readonly prepare: (kernel: Kernel, abort: Abort) => Promise<Prepared<P>>;
  readonly measure: (
    prepared: P,
    kernel: Kernel,
    how: { readonly effort: TuneEffort; readonly gpu: number; readonly abort: Abort },
  ) => Promise<Measurement>;
}

export interface Asked {
  readonly kernelKey: string;
  readonly effort: TuneEffort;
}

export interface Found {
  readonly measurement: Measurement;
  /** Place in the bench's list. */
  readonly gpu: number;
}

/** Measurements of this tune; those of an earlier run too. */
export interface Memory {
  /** Where it lies, for the reader. */
  readonly name?: string;
  /** Measurements of earlier runs that count for this one. */
  readonly known: number;
  /** Of `gpu`, or of any of the bench's where none is named. */
  readonly find: (asked: Asked, gpu?: number) => Found | undefined;
  /** Resolves when it cannot be lost any more; rejects where it cannot be kept. */
  readonly keep: (asked: Asked, found: Found) => Promise<void>;
}

/** Nothing outlives the tune. */
export function noMemory(): Memory {
  const kept: (Asked & Found)[] = [];
  return {
    known: 0,
    find: ({ kernelKey, effort }, gpu) =>
      kept.find(
        one =>
          one.kernelKey === kernelKey &&
          one.effort === effort &&
          (gpu === undefined || one.gpu === gpu),
      ),
    keep: (asked, found) => {
      kept.push({ ...asked, ...found });
      return Promise.resolve();
    },
  };
}
