/** The one interface of everything that can run a kernel: simulate, webgpu, cuda. */
import type { Runnable } from '../kernel/kernel';
import type { WebgpuLimits } from '../spec/resolved';
import type { BackendId, Measurement } from './measurement';

/** Cancellation without the DOM or Node; an AbortSignal is one. */
export interface Abort {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

export type Availability =
  | {
      readonly available: true;
      readonly device: Measurement['device'];
      /** What an adapter offers a workgroup; only WebGPU has any. */
      readonly limits?: WebgpuLimits;
    }
  /** `why` says what is missing, `next` what to do about it. */
  | { readonly available: false; readonly why: string; readonly next: string };

/**
 * cuBLAS as it is and in its pedantic mode; the fastest of cuBLASLt's choices, each measured, by its two names; its first
 * choice, which records before 2026-11-23 call `cublaslt`.
 */
export const BASELINES = [
  'cublas',
  'cublas-pedantic',
  'cublaslt',
  'cublaslt-best',
  'cublaslt-first',
] as const;
export type BaselineId = (typeof BASELINES)[number];

/** How long a kernel is timed. `quick` and `longer` are for rounds of a tune, `full` is the protocol of `bench`. */
export const EFFORTS = ['quick', 'longer', 'full'] as const;
export type Effort = (typeof EFFORTS)[number];

export interface RunRequest {
  readonly runnable: Runnable;
  /** `verify`: compare with the reference. `time`: verify, then time; a wrong result is never timed. */
  readonly mode: 'verify' | 'time';
  /** Seeds the matrices: same seed, same inputs on every backend. */
  readonly seed: number;
  /** Libraries to time beside the kernel, the one to compare with first; only the cuda backend has any. */
  readonly baselines?: readonly BaselineId[];
  /** Default `full`. */
  readonly effort?: Effort;
}

export interface RunProgress {
  readonly stage: string;
  /** 0..1 when it is known. */
  readonly fraction?: number;
  /** The GPU works and nothing else does: whoever hears nothing for seconds may give it up. */
  readonly onGpu?: true;
}

export interface RunContext {
  readonly abort: Abort;
  readonly progress: (progress: RunProgress) => void;
}

export interface Backend {
  readonly id: BackendId;
  probe(): Promise<Availability>;
  /** Never rejects for what a kernel, a compiler or a device does: that is an outcome. */
  run(request: RunRequest, context: RunContext): Promise<Measurement>;
}
