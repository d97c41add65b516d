/**
 * Interface between a tuning run and its host: compilers, GPUs, and a persistent store of
 * measurements.
 */
import type { Kernel } from '../../kernel/kernel';
import type { Abort } from '../../measure/backend';
import type { Measurement } from '../../measure/measurement';
import type { TuneEffort } from './events';

/**
 * Kernel that is ready to measure, or a measurement with the reason for the failure. The outcomes
 * `cancelled` and `unavailable` are not kernel errors.
 */
export type Prepared<P> =
  | { readonly ok: true; readonly prepared: P }
  | { readonly ok: false; readonly measurement: Measurement };

/** Compilers and GPUs of the host. No method rejects because of a kernel, compiler or GPU error. */
export interface Bench<P> {
  /** Names of the GPUs; each measures one kernel at a time. */
  readonly gpus: readonly string[];
  /**
   * Names of other GPUs whose measurements the store has. Their indices follow those of `gpus`, and
   * they measure nothing.
   */
  readonly others?: readonly string[];
  /** Maximum number of concurrent compilations. */
  readonly compilers: number;
  /** Returns the measurement key of a kernel, which depends on its source and its compiler. */
  readonly keyOf: (kernel: Kernel) => string;
  readonly prepare: (kernel: Kernel, abort: Abort) => Promise<Prepared<P>>;
  readonly measure: (
    prepared: P,
    kernel: Kernel,
    effort: { readonly effort: TuneEffort; readonly gpu: number; readonly abort: Abort },
  ) => Promise<Measurement>;
}

/** Returns the name of a GPU by its index; empty for an unknown GPU. */
export const gpuName = (
  { gpus, others = [] }: Pick<Bench<unknown>, 'gpus' | 'others'>,
  gpu: number,
): string => gpus[gpu] ?? others[gpu - gpus.length] ?? '';

export interface MeasurementKey {
  readonly kernelKey: string;
  readonly effort: TuneEffort;
}

export interface Found {
  readonly measurement: Measurement;
  /** Index of the GPU in `Bench.gpus`, followed by `Bench.others`. */
  readonly gpu: number;
}

export interface MeasurementStore {
  readonly name?: string;
  /** Number of earlier measurements that apply to this run. */
  readonly known: number;
  /** Finds a measurement on `gpu`, or on any GPU if omitted. */
  readonly find: (key: MeasurementKey, gpu?: number) => Found | undefined;
  /** Stores a measurement durably; rejects if it cannot be stored. */
  readonly keep: (key: MeasurementKey, found: Found) => Promise<void>;
}

export function transientStore(): MeasurementStore {
  const kept: (MeasurementKey & Found)[] = [];
  return {
    known: 0,
    find: ({ kernelKey, effort }, gpu) =>
      kept.find(
        one =>
          one.kernelKey === kernelKey &&
          one.effort === effort &&
          (gpu === undefined || one.gpu === gpu),
      ),
    keep: (key, found) => {
      kept.push({ ...key, ...found });
      return Promise.resolve();
    },
  };
}
