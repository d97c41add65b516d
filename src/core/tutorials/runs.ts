/** Plans the runs of a tutorial on a backend, and the kernel files that it consists of. */
import type { BackendId } from '../measure/measurement';
import type { DeviceId } from '../hardware/devices';
import type { Kernel } from '../kernel/kernel';
import type { AdapterLimits } from '../search/ladder/fit';
import { kernelFor, type Made } from './subject';
import type { Problem, Tutorial, TutorialKernel } from './tutorial';

/** Key of a run: the kernel, and the size of a timed run or null for the verification run. */
export const runKey = (id: string, size: number | null): string =>
  size === null ? id : `${id} ${size}`;

export interface PlannedRun {
  readonly key: string;
  readonly mode: 'verify' | 'time';
  /** Text for the progress: kernel and problem size. */
  readonly text: string;
  readonly made: Made;
}

export interface RunPlan {
  readonly backend: BackendId;
  readonly device: DeviceId;
  readonly sizes: readonly number[];
  readonly limits?: AdapterLimits;
}

export const timesOn = (backend: BackendId): boolean => backend === 'cuda' || backend === 'webgpu';

/** Lists a verification run per kernel, and on backends with a timer one timed run per rate. */
export function plannedRuns({ kernels }: Tutorial, plan: RunPlan): readonly PlannedRun[] {
  const verified = kernels.map(kernel => plannedRun(kernel, kernel.verified, null, plan));
  const timed = kernels.flatMap(kernel =>
    kernel.rates === undefined || !timesOn(plan.backend)
      ? []
      : plan.sizes.map(size => plannedRun(kernel, problemAt(kernel, size), size, plan)),
  );
  return [...verified, ...timed];
}

const problemAt = ({ rates, verified }: TutorialKernel, size: number): Problem =>
  rates?.problem(size) ?? verified;

function plannedRun(
  kernel: TutorialKernel,
  problem: Problem,
  size: number | null,
  { backend, device, limits }: RunPlan,
): PlannedRun {
  const on = {
    device,
    target: backend === 'webgpu' ? 'wgsl' : 'cuda',
    ...(limits === undefined ? {} : { limits }),
  } as const;
  return {
    key: runKey(kernel.id, size),
    mode: size === null ? 'verify' : 'time',
    text: `${kernel.text}, ${problem.m} x ${problem.n} x ${problem.k}`,
    made: kernelFor(kernel, problem, on),
  };
}

/** Returns the messages about smaller schedules, by run key. */
export const adaptations = (planned: readonly PlannedRun[]): ReadonlyMap<string, string> =>
  new Map(
    planned.flatMap(({ key, made }) =>
      made.ok && made.adapted !== null ? [[key, made.adapted] as const] : [],
    ),
  );

export interface TutorialFile {
  readonly name: string;
  readonly text: string;
}

/** Problem of the kernel files: the first size of the rates, or the verified problem. */
const problemOfFile = (kernel: TutorialKernel, [size]: readonly number[]): Problem =>
  size === undefined ? kernel.verified : problemAt(kernel, size);

/** Returns the CUDA file of each kernel, numbered in their order, and the Python programs. */
export const tutorialFiles = (
  { kernels, listings }: Tutorial,
  sizes: readonly number[],
  device: DeviceId,
): readonly TutorialFile[] => [
  ...kernels.flatMap((kernel, index) => {
    const made = kernelFor(kernel, problemOfFile(kernel, sizes), { device, target: 'cuda' });
    if (!made.ok) return [];
    return [{ name: fileName(index, kernel, made.kernel), text: made.kernel.source }];
  }),
  ...listings.map(({ file }) => file),
];

const fileName = (index: number, { id }: TutorialKernel, { plan }: Kernel): string =>
  `${String(index + 1).padStart(2, '0')}-${plan.algorithm}-${id}.cu`;

/** Returns the kernels whose compiled code is part of the rows, by kernel id. */
export const kernelsToCompile = (
  { kernels, sizes }: Tutorial,
  device: DeviceId,
): ReadonlyMap<string, Kernel> =>
  new Map(
    kernels.flatMap(kernel => {
      if (kernel.compiled === undefined) return [];
      const made = kernelFor(kernel, problemOfFile(kernel, sizes), { device, target: 'cuda' });
      return made.ok ? [[kernel.id, made.kernel] as const] : [];
    }),
  );
