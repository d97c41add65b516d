/** What an emitter returns, and what a backend runs. */
import type { KernelIr } from '../ir/ir';
import type { Dim3, Plan } from '../plan/plan';
import type { ResolvedProblem, ResolvedSpec } from '../spec/resolved';
import type { Target } from '../spec/schema';

/** What a kernel argument stands for. */
export const ARGUMENT_ROLES = [
  'a',
  'b',
  'c',
  'm',
  'n',
  'k',
  'lda',
  'ldb',
  'ldc',
  'strideA',
  'strideB',
  'strideC',
  'alpha',
  'beta',
] as const;
export type ArgumentRole = (typeof ARGUMENT_ROLES)[number];

/**
 * Arguments in order. CUDA: the parameters. WGSL: the bindings 0, 1, ... of group 0, where a list is
 * a uniform block of 4-byte scalars in that order.
 */
export type Argument = ArgumentRole | readonly ArgumentRole[];

/** A kernel that a backend can run: generated, edited or hand-written. */
export interface Runnable {
  readonly target: Target;
  readonly entry: string;
  readonly source: string;
  readonly problem: ResolvedProblem;
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly dynamicSharedBytes: number;
  readonly arguments: readonly Argument[];
  /** Readable name of the spec, or of the file for a hand-written kernel. */
  readonly specKey: string;
  /** Absent for a hand-written kernel. */
  readonly spec?: ResolvedSpec;
}

/** A generated kernel: runnable, with the plan and the IR that its text prints. */
export interface Kernel extends Runnable {
  readonly spec: ResolvedSpec;
  readonly plan: Plan;
  readonly ir: KernelIr;
  /** File name without folder: `<specKey>.cu` or `.wgsl`. */
  readonly fileName: string;
  readonly sharedBytes: number;
}
