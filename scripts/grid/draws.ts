/**
 * Draws random specs from seeds, checks their properties, and formats the command that reproduces a
 * failure.
 */
import type { Backend, RunContext } from '../../src/core/measure/backend';
import type { Kernel } from '../../src/core/kernel/kernel';
import { simulateBackend } from '../../src/core/simulate/backend';
import { tooLargeText } from '../../src/core/verify/inputs';
import { decodeSpec } from '../../src/core/spec/decode';
import { TARGETS, type GemmSpec } from '../../src/core/spec/schema';
import {
  analysisFailures,
  kernelOf,
  kernelsOf,
  textFailures,
  trafficFailures,
  violationFailures,
  type Failures,
} from './properties';
import { specOf } from './specs';

export interface Draw {
  readonly seed: number;
  readonly spec: GemmSpec;
  readonly kernels: readonly Kernel[];
  readonly failures: Failures;
}

/** Maximum number of FMAs of an executed kernel, including FMAs of padding. */
const MOST_EXECUTED = 2 ** 20;

/** Kernels that are too large are only planned, emitted and analyzed. */
export const isExecuted = (kernel: Kernel): boolean =>
  workOf(kernel) <= MOST_EXECUTED && tooLargeText(kernel.problem) === undefined;

export function workOf({ plan, grid, problem }: Kernel): number {
  const blocks = grid.x * grid.y * grid.z;
  const { m, n, k } = plan.tile;
  const depth = Math.ceil(problem.k / Math.max(k, 1)) * Math.max(k, 1);
  return (blocks / (plan.split?.slices ?? 1)) * m * n * depth;
}

/** Never cancelled. */
export const PATIENT: RunContext = {
  abort: new AbortController().signal,
  progress: () => undefined,
};
/** Seed of the matrix values. */
export const INPUTS = 7;

export async function runFailures(backend: Backend, kernel: Kernel): Promise<Failures> {
  const request = { runnable: kernel, mode: 'verify', seed: INPUTS } as const;
  const { outcome, message, verification } = await backend.run(request, PATIENT);
  if (outcome === 'correct') return [];
  return [
    `${backend.id}, ${kernel.target}: ${outcome}. ${message ?? JSON.stringify(verification)}`,
  ];
}

/**
 * Checks all properties of a spec that do not require a GPU. With `traffic`, also compares the
 * counted bytes with the analysis.
 */
export async function specFailures(spec: GemmSpec, traffic: boolean): Promise<Failures> {
  const decoded = decodeSpec(spec);
  if (!decoded.ok)
    return decoded.errors.map(({ path, message }) => `not a spec: ${path} ${message}`);
  try {
    const failures = TARGETS.flatMap(target => violationFailures(spec, target));
    for (const kernel of kernelsOf(spec)) {
      failures.push(...textFailures(spec, kernel), ...analysisFailures(kernel));
      if (!isExecuted(kernel)) continue;
      if (traffic) failures.push(...trafficFailures(kernel));
      failures.push(...(await runFailures(simulateBackend, kernel)));
    }
    return failures;
  } catch (error) {
    return [`thrown: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`];
  }
}

/** Traffic is counted only for every fourth seed, because counting is slow. */
export async function draw(seed: number): Promise<Draw> {
  const spec = specOf(seed);
  const failures = await specFailures(spec, seed % 4 === 0);
  return { seed, spec, kernels: failures.length === 0 ? kernelsOf(spec) : [], failures };
}

export const replay = ({
  seed,
  spec,
  failures,
}: Pick<Draw, 'seed' | 'spec' | 'failures'>): string =>
  [
    `seed ${seed}`,
    ...failures.map(text => `  ${text}`),
    `  ${JSON.stringify(spec)}`,
    `  node out/scripts/draw.js --seed ${seed}`,
  ].join('\n');

/**
 * Enumerates the executable kernels of a target, starting with seed `from`. With `everyAdapter`,
 * WGSL kernels that need raised limits or optional features are omitted.
 */
export function* drawnKernels(
  target: Kernel['target'],
  from = 0,
  { everyAdapter = true }: { readonly everyAdapter?: boolean } = {},
): Generator<{ readonly seed: number; readonly spec: GemmSpec; readonly kernel: Kernel }> {
  for (let seed = from; ; seed++) {
    const spec = specOf(seed);
    const kernel = kernelOf(spec, target);
    const everywhere = spec.webgpuLimits === undefined && !/^enable /m.test(kernel?.source ?? '');
    const taken = target === 'cuda' || everywhere || !everyAdapter;
    if (kernel !== null && taken && isExecuted(kernel)) yield { seed, spec, kernel };
  }
}
