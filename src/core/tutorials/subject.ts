/** Plans, emits and analyzes the kernels whose figures a tutorial states. */
import { t } from '@vscode/l10n';
import type { DeviceId } from '../hardware/devices';
import type { Analysis } from '../report/analysis';
import { analyze } from '../report/analyze';
import { emit } from '../kernel/emit';
import type { Kernel } from '../kernel/kernel';
import { fitRung, type AdapterLimits } from '../search/ladder/fit';
import { demandOf } from '../search/ladder/demand';
import { WARP_LANES } from '../hardware/warp';
import { flops } from '../spec/resolved';
import type { Schedule, Target } from '../spec/schema';
import type { Outcome } from '../measure/measurement';
import type { Facts, Missing, Problem, TutorialKernel, Value } from './tutorial';

export interface Subject {
  readonly kernel: Kernel;
  readonly analysis: Analysis;
}

/**
 * Analyzes the CUDA kernel of a schedule on a device.
 * @throws {Error} if the schedule is illegal, which is an error of the declaration
 */
export function subjectOf(problem: Problem, schedule: Schedule, device: DeviceId): Subject {
  const made = kernelFor({ schedule }, problem, { device, target: 'cuda' });
  if (!made.ok) throw new Error(made.why);
  return { kernel: made.kernel, analysis: analyze(made.kernel, { device }) };
}

export interface On {
  readonly device: DeviceId;
  readonly target: Target;
  /** Limits of the WebGPU adapter that runs the kernel. */
  readonly limits?: AdapterLimits;
}

export type Made =
  | { readonly ok: true; readonly kernel: Kernel; readonly adapted: string | null }
  | { readonly ok: false; readonly why: string };

/** Emits a kernel for a problem; on WGSL adapters with small limits, with its small schedule. */
export function kernelFor(
  { schedule, small }: Pick<TutorialKernel, 'schedule' | 'small'>,
  problem: Problem,
  { device, target, limits }: On,
): Made {
  const { algorithm } = schedule;
  if (algorithm === undefined) return { ok: false, why: t('The schedule has no algorithm.') };
  const rung = { algorithm, change: '', schedule, ...(small === undefined ? {} : { small }) };
  const fitted = fitRung({ problem, device }, rung, target, limits);
  return fitted.ok
    ? { ok: true, kernel: emit(fitted.plan), adapted: fitted.adapted }
    : { ok: false, why: fitted.violations.map(({ message }) => message).join(' ') };
}

/** Counts FMAs per load from shared memory, over all lanes. */
export function fmasPerSharedLoad({ kernel, analysis }: Subject): number {
  const { sharedRequests } = demandOf(kernel, analysis);
  return flops(kernel.problem) / 2 / (sharedRequests * WARP_LANES);
}

/**
 * Returns the number of wrong elements of a verification run: 0 only if the result is correct. A
 * kernel that fails otherwise, for example by a race, returns the message.
 */
export const wrongElements =
  (id: string) =>
  ({ verified }: Facts): Value | Missing => {
    const run = verified.get(id);
    if (run === undefined) return { missing: t('The kernel was not run.') };
    if (run.outcome === 'correct') return 0;
    const message = run.message ?? run.outcome;
    if (!isFailure(run.outcome)) return { missing: message };
    return run.verification.mismatches > 0 ? run.verification.mismatches : message;
  };

/** Outcomes that are errors of the kernel, and not limits of the machine or cancellations. */
const FAILURES: readonly Outcome[] = ['incorrect', 'compile-error', 'launch-error', 'timeout'];

export const isFailure = (outcome: Outcome): boolean => FAILURES.includes(outcome);
