/** The interface that all kernel backends implement. */
import type { Runnable } from '../kernel/kernel';
import type { WebgpuLimits } from '../spec/resolved';
import type { BackendId, Measurement } from './measurement';

/** Cancellation signal that depends on neither the DOM nor Node; AbortSignal satisfies it. */
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
 * Library baselines. `cublas` and `cublas-pedantic` are the two cuBLAS math modes. `cublaslt` and
 * `cublaslt-best` both mean the fastest measured cuBLASLt algorithm. `cublaslt-first` means the
 * first heuristic of cuBLASLt, which records before 2026-11-23 call `cublaslt`.
 */
export const BASELINES = [
  'cublas',
  'cublas-pedantic',
  'cublaslt',
  'cublaslt-best',
  'cublaslt-first',
] as const;
export type BaselineId = (typeof BASELINES)[number];

/** Timing effort. Tuning rounds use `quick` and `longer`; `bench` uses `full`. */
export const EFFORTS = ['quick', 'longer', 'full'] as const;
export type Effort = (typeof EFFORTS)[number];

export interface RunRequest {
  readonly runnable: Runnable;
  /**
   * `verify` compares the result with the reference. `time` also times the kernel if its result is
   * correct.
   */
  readonly mode: 'verify' | 'time';
  /** Seed of the matrices. Equal seeds produce equal inputs on every backend. */
  readonly seed: number;
  /**
   * Libraries to time in addition to the kernel, with the comparison baseline first. CUDA backend
   * only.
   */
  readonly baselines?: readonly BaselineId[];
  /** Timing effort. Default: `full`. */
  readonly effort?: Effort;
  /**
   * Whether the judge examines later launches too. Default: with full effort. CUDA and WebGPU
   * only; the `cpu` backend always does.
   */
  readonly judges?: boolean;
  /** Whether the energy of a timed kernel is measured. Default: with full effort. CUDA only. */
  readonly energy?: boolean;
}

export interface RunProgress {
  readonly stage: string;
  /** Completed fraction, 0..1, if known. */
  readonly fraction?: number;
  /** Set if only the GPU is working; then the next progress report may take seconds. */
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
   * Runs a kernel. Kernel, compiler and device errors are returned as outcomes and never thrown.
   */
  run(request: RunRequest, context: RunContext): Promise<Measurement>;
}
