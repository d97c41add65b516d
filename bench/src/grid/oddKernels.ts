/**
 * Generates CUDA kernels with odd M, N and K for the default device, up to the same number per
 * algorithm.
 */
import type { Kernel } from '../../../src/core/kernel/kernel';
import { plannedAlgorithms } from '../../../src/core/plan/fields';
import { DEFAULT_DEVICE } from '../../../src/core/hardware/devices';
import { workOf } from '../../../scripts/grid/draws';
import { kernelOf } from '../../../scripts/grid/properties';
import { specOf } from '../../../scripts/grid/specs';

/** Maximum result of `workOf`, because sanitizers slow kernels down. */
const MOST_WORK = 2 ** 17;

export interface OddKernel {
  readonly seed: number;
  readonly kernel: Kernel;
}

/**
 * Maximum number of seeds tried. Algorithms that occur only at later seeds (LATER_SEEDS in
 * specs.ts) get no kernel.
 */
const MOST_SEEDS = 20_000;

export function oddKernels(count: number): readonly OddKernel[] {
  const algorithms: readonly string[] = plannedAlgorithms();
  const each = Math.ceil(count / algorithms.length);
  const found = new Map(algorithms.map(name => [name, [] as OddKernel[]]));
  const missing = (): boolean => [...found.values()].some(({ length }) => length < each);
  for (let seed = 0; seed < MOST_SEEDS && missing(); seed++) {
    const spec = specOf(seed);
    const { m, n, k } = spec.problem;
    if ([m, n, k].some(size => size % 2 === 0) || m * n * k < 64) continue;
    const device = spec.device ?? DEFAULT_DEVICE;
    const kernel = device === DEFAULT_DEVICE ? kernelOf(spec, 'cuda') : null;
    const own = kernel === null ? undefined : found.get(kernel.plan.algorithm);
    if (kernel === null || own === undefined || own.length === each) continue;
    if (workOf(kernel) <= MOST_WORK) own.push({ seed, kernel });
  }
  const inTurn = Array.from({ length: each }, (_, i) =>
    [...found.values()].flatMap(own => own[i] ?? []),
  );
  return inTurn.flat().slice(0, count);
}
