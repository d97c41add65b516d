/** Earlier runs on a roofline: every kernel that this machine timed for this problem, in the order they were made. */
import { deviceOf, matchDevice } from '../hardware/devices';
import type { BackendId, Measurement } from '../measure/measurement';
import { type ResolvedProblem, flops } from '../spec/resolved';
import { machineOf } from '../roofline/roofline';
import { compulsoryBytes } from '../plan/traffic';

export interface TrailRun {
  /** The kernel's readable name; an edited one has that of its spec. */
  readonly specKey: string;
  /** Of the text that was run, where the run recorded it. */
  readonly sourceHash?: string;
  readonly backend: BackendId;
  /** FLOP/B of compulsory traffic, the same for every run of a problem. */
  readonly intensity: number;
  readonly tflops: number;
  readonly errorPercent: number;
  readonly machine: string;
  /** ISO 8601, where the run recorded it. */
  readonly at?: string;
}

export interface TrailInput {
  readonly runs: readonly Measurement[];
  readonly problem: ResolvedProblem;
  /** As the roofline names it. */
  readonly machine: string;
}

/** Runs that a chart can show at once. */
export const LONGEST_TRAIL = 50;

/** The newest runs, newest last. */
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

/** Whether a roofline's machine made a run: the device of that name, or just this machine and place. */
function isMadeOn(run: Measurement, machine: string): boolean {
  if (machineOf(run) === machine) return true;
  const id = matchDevice(run.device.name) ?? matchDevice(run.device.adapter);
  return id !== undefined && deviceOf(id).name === machine;
}

/** A run without a time (of an older version, or just made) stands where it is in its file: after the one before it. */
function inOrder(runs: readonly Measurement[]): readonly Measurement[] {
  let last = 0;
  const dated = runs.map(run => {
    last = run.at === undefined ? last : Date.parse(run.at);
    return { run, time: last };
  });
  return dated.toSorted((one, other) => one.time - other.time).map(({ run }) => run);
}

/** Equal for products that compute the same from operands that lie the same in memory. */
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
