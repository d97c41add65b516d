/**
 * Earlier runs on a roofline: every kernel that this machine timed for this problem, in
 * chronological order.
 */
import { deviceOf, matchDevice } from '../hardware/devices';
import type { BackendId, Measurement } from '../measure/measurement';
import { type ResolvedProblem, flops } from '../spec/resolved';
import { machineOf } from '../roofline/roofline';
import { compulsoryBytes } from '../plan/traffic';

export interface TrailRun {
  /** The kernel's readable name; an edited kernel has that of its spec. */
  readonly specKey: string;
  /** Hash of the text that ran, if the run recorded it. */
  readonly sourceHash?: string;
  readonly backend: BackendId;
  /** FLOP/B of compulsory traffic, equal for every run of a problem. */
  readonly intensity: number;
  readonly tflops: number;
  readonly errorPercent: number;
  readonly machine: string;
  /** ISO 8601, if the run recorded it. */
  readonly at?: string;
}

export interface TrailInput {
  readonly runs: readonly Measurement[];
  readonly problem: ResolvedProblem;
  /** Machine name as in the roofline. */
  readonly machine: string;
}

/** Maximum number of runs in a chart. */
export const LONGEST_TRAIL = 50;

/** Returns the newest runs, newest last. */
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
              errorPercent: run.timing.errorPercent,
              machine: machineOf(run),
              ...(run.at === undefined ? {} : { at: run.at }),
            },
          ],
    );
}

/**
 * Tests whether a run is from a roofline's machine: the device of that name, or exactly this
 * machine and host.
 */
function isMadeOn(run: Measurement, machine: string): boolean {
  if (machineOf(run) === machine) return true;
  const id = matchDevice(run.device.name) ?? matchDevice(run.device.adapter);
  return id !== undefined && deviceOf(id).name === machine;
}

/**
 * Sorts by time; a run without a time (older version, or just finished) keeps its position after
 * the previous run of its file.
 */
function inOrder(runs: readonly Measurement[]): readonly Measurement[] {
  let last = 0;
  const dated = runs.map(run => {
    last = run.at === undefined ? last : Date.parse(run.at);
    return { run, time: last };
  });
  return dated.toSorted((one, other) => one.time - other.time).map(({ run }) => run);
}

/**
 * Returns a key that is equal for problems with the same computation and the same memory layout.
 */
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
}: ResolvedProblem): string {
  const operands = [a, b, c].map(({ dtype, layout, ld, batchStride }) => [
    dtype,
    layout,
    ld,
    batchStride,
  ]);
  return JSON.stringify([m, n, k, batch, operands, accumulator, alpha, beta]);
}
