/** The common interface of all kernel runners: simulate, webgpu, cuda. */
import type { Runnable } from '../kernel/kernel';
import type { WebgpuLimits } from '../spec/resolved';
import type { BackendId, Measurement } from './measurement';

/** Cancellation without the DOM or Node; compatible with AbortSignal. */
export interface Abort {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

export type Availability =
  | {
      readonly available: true;
      readonly device: Measurement['device'];
      /** Workgroup limits of the adapter; WebGPU only. */
      readonly limits?: WebgpuLimits;
    }
  /** `why` is the missing requirement, `next` the remedy. */
  | { readonly available: false; readonly why: string; readonly next: string };

/**
 * cuBLAS in default and in pedantic mode; the fastest measured cuBLASLt algorithm, under its two
 * names; the first cuBLASLt heuristic, which records before 2026-11-23 call `cublaslt`.
 */
export const BASELINES = [
  'cublas',
  'cublas-pedantic',
  'cublaslt',
  'cublaslt-best',
  'cublaslt-first',
] as const;
export type BaselineId = (typeof BASELINES)[number];

/** Timing effort. `quick` and `longer` are for tuning rounds, `full` is the protocol of `bench`. */
export const EFFORTS = ['quick', 'longer', 'full'] as const;
export type Effort = (typeof EFFORTS)[number];

export interface RunRequest {
  readonly runnable: Runnable;
  /**
   * `verify`: compare with the reference. `time`: verify, then time; incorrect results are never
   * timed.
   */
  readonly mode: 'verify' | 'time';
  /** Seeds the matrices: same seed, same inputs on every backend. */
  readonly seed: number;
  /**
   * Libraries to time in addition to the kernel, the comparison baseline first; cuda backend only.
   */
  readonly baselines?: readonly BaselineId[];
  /** Default `full`. */
  readonly effort?: Effort;
}

export interface RunProgress {
  readonly stage: string;
  /** 0..1 if known. */
  readonly fraction?: number;
  /** Only the GPU is working, so no further progress is reported for seconds. */
  readonly onGpu?: true;
}

export interface RunContext {
  readonly abort: Abort;
  readonly progress: (progress: RunProgress) => void;
}

export interface Backend {
  readonly id: BackendId;
  probe(): Promise<Availability>;
  /**
   * Runs a kernel. Does not reject for errors of a kernel, a compiler or a device: these are
   * outcomes.
   */
  run(request: RunRequest, context: RunContext): Promise<Measurement>;
}
