/**
 * Selects the earlier runs of a roofline: the timed runs of all kernels on this machine for this
 * problem, in chronological order.
 */
import { deviceOf, matchDevice } from '../hardware/devices';
import { teraInterval, type Interval } from '../measure/intervals';
import type { BackendId, Measurement } from '../measure/measurement';
import { type ResolvedProblem, flops } from '../spec/resolved';
import { orderOf } from '../measure/runOrder';
import { machineOf } from '../roofline/roofline';
import { compulsoryBytes } from '../plan/traffic';

export interface TrailRun {
  /** Display name of the kernel; an edited kernel has the name of its spec. */
  readonly specKey: string;
  /** Hash of the kernel source, if recorded. */
  readonly sourceHash?: string;
  readonly backend: BackendId;
  /** Arithmetic intensity of the compulsory traffic in FLOP/B, equal for every run of a problem. */
  readonly intensity: number;
  readonly tflops: number;
  /** 95 % interval of the rate in TFLOP/s, if known. */
  readonly interval?: Interval;
  readonly machine: string;
  /** Time of the run in ISO 8601, if recorded. */
  readonly at?: string;
}

export interface TrailInput {
  readonly runs: readonly Measurement[];
  readonly problem: ResolvedProblem;
  readonly machine: string;
}

export const LONGEST_TRAIL = 50;

/** Returns the newest matching runs, at most `LONGEST_TRAIL`, with the newest run last. */
export function rooflineTrail(input: TrailInput): readonly TrailRun[] {
  const { runs, problem, machine } = input;
  const key = problemKey(problem);
  const timed = runs.filter(
    run =>
      run.timing !== undefined &&
      run.resolved !== null &&
      isMadeOn(run, machine) &&
      problemKey(run.resolved.problem) === key,
  );
  const intensity = flops(problem) / compulsoryBytes(problem);
  return inOrder(timed)
    .slice(-LONGEST_TRAIL)
    .flatMap(run =>
      run.timing === undefined
        ? []
        : [
            {
              specKey: run.specKey,
              backend: run.backend,
              ...(run.sourceHash === undefined ? {} : { sourceHash: run.sourceHash }),
              intensity,
              tflops: run.timing.gflops / 1000,
              ...teraInterval(run.timing),
              machine: machineOf(run),
              ...(run.at === undefined ? {} : { at: run.at }),
            },
          ],
    );
}

/**
 * Tests whether a run belongs to a roofline. `machine` is either the name of the run's own machine
 * or the name of its device model.
 */
function isMadeOn(run: Measurement, machine: string): boolean {
  if (machineOf(run) === machine) return true;
  const id = matchDevice(run.device.name) ?? matchDevice(run.device.adapter);
  return id !== undefined && deviceOf(id).name === machine;
}

/** Sorts runs by time. A run without a time stays after the run that precedes it in the list. */
function inOrder(runs: readonly Measurement[]): readonly Measurement[] {
  let last = 0;
  const dated = runs.map(run => {
    const order = orderOf(run);
    last = Number.isFinite(order) ? order : last;
    return { run, time: last };
  });
  return dated.toSorted((one, other) => one.time - other.time).map(({ run }) => run);
}

export function problemKey({
  m,
  n,
  k,
  batch,
  a,
  b,
  c,
  accumulator,
  alpha,
  beta,
  epilogue,
}: ResolvedProblem): string {
  const operands = [a, b, c].map(({ dtype, layout, ld, batchStride }) => [
    dtype,
    layout,
    ld,
    batchStride,
  ]);
  return JSON.stringify([m, n, k, batch, operands, accumulator, alpha, beta, epilogue]);
}
