/** Turns what the CUDA program printed, or failed to print, into a Measurement. */
import { kernelKey } from '../../core/emit/hash';
import type { Runnable } from '../../core/emit/kernel';
import { sourceHashOf } from '../../core/emit/sourceHash';
import type { RunRequest } from '../../core/measure/backend';
import { NOT_VERIFIED, type Measurement, type Outcome } from '../../core/measure/measurement';
import { flops, median, timingOf } from '../../core/measure/statistics';
import { inputsText } from '../../core/verify/inputs';
import type { ProcessResult } from '../process';
import type { KernelResources } from '../ptxas';
import { whatWentWrong } from '../toolchain';
import { decodeResult, type ProgramResult } from './output';

export type Report = (
  outcome: Outcome,
  message?: string,
  more?: Partial<Measurement>,
) => Measurement;

/** Measurements of one kernel, whatever became of it. */
export const reporter =
  (runnable: Runnable, where: string): Report =>
  (outcome, message, more = {}) => ({
    specKey: runnable.specKey,
    // Nothing was compiled yet: the text alone names the kernel.
    kernelKey: kernelKey({ source: runnable.source, architecture: '', compiler: '', flags: [] }),
    sourceHash: sourceHashOf(runnable),
    resolved: runnable.spec ?? null,
    backend: 'cuda',
    device: { name: 'none', adapter: 'none', driver: 'none', where },
    outcome,
    ...(message === undefined || message === '' ? {} : { message }),
    verification: NOT_VERIFIED,
    ...more,
  });

/** What a program's end means. */
export function measurementOf(
  request: RunRequest,
  answer: ProcessResult,
  report: Report,
  known: Partial<Measurement> & Pick<Measurement, 'device'>,
): Measurement {
  if (answer.aborted) return report('cancelled', 'The run was cancelled.', known);
  const result = decodeResult(answer.stdout);
  if (result === undefined) {
    return answer.timedOut
      ? report('timeout', 'The kernel did not finish in time and was stopped.', known)
      : report(
          'launch-error',
          `The kernel's program gave no result: it ${whatWentWrong(answer)}`,
          known,
        );
  }
  const timed = result.outcome === 'correct' && request.mode === 'time';
  if (timed && result.timing === undefined) {
    return report('launch-error', 'The kernel’s program gave no timing.', known);
  }
  // A result without its comparison is no result.
  if (result.outcome === 'correct' && result.verification === undefined) {
    return report('launch-error', 'The kernel’s program did not verify the result.', known);
  }
  return report(result.outcome, [result.message, result.baselineNote].filter(Boolean).join(' '), {
    ...known,
    device: deviceOf(result, known.device),
    verification: result.verification ?? NOT_VERIFIED,
    ...(timed ? timesOf(result, request.runnable) : {}),
    ...(result.ceilings === undefined ? {} : { ceilings: result.ceilings }),
  });
}

const deviceOf = (result: ProgramResult, listed: Measurement['device']): Measurement['device'] => ({
  ...listed,
  ...(result.device === undefined ? {} : { name: result.device.name }),
  ...(result.driver === undefined ? {} : { driver: result.driver }),
});

function timesOf(
  { timing, baseline }: ProgramResult,
  { problem }: Runnable,
): Pick<Measurement, 'timing' | 'baseline'> {
  if (timing === undefined) return {};
  const { timer, quantumNs, warmUp, batch, cache, clocks } = timing;
  const ours = timingOf({
    ...{ timer, quantumNs, warmUp, batch, problem, cache },
    batchTimesMs: timing.batchMs,
    inputs: inputsText(problem),
  });
  if (baseline === undefined) return { timing: { ...ours, ...(clocks && { clocks }) } };
  const batchMs = median(baseline.batchMs);
  const medianMs = batchMs / baseline.batch;
  return {
    timing: { ...ours, ...(clocks && { clocks }) },
    baseline: {
      name: baseline.name,
      medianMs,
      gflops: flops(problem) / (medianMs * 1e6),
      ratio: medianMs / ours.medianMs,
      errorPercent: (100 * quantumNs * 1e-6) / batchMs,
    },
  };
}

/** What the kernel takes in all: ptxas knows the static shared memory, the launch adds the dynamic. */
export const resourcesOf = (
  { registers, sharedBytes, spillStores, spillLoads }: KernelResources,
  { dynamicSharedBytes }: Runnable,
): NonNullable<Measurement['resources']> => ({
  ...{ registers, spillStores, spillLoads },
  sharedBytes: sharedBytes + dynamicSharedBytes,
});
