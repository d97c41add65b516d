/** What an emitter returns, and what a backend runs. */
import type { KernelIr } from './ir/ir';
import type { DeviceId } from '../hardware/devices';
import type { Dim3, Plan } from '../plan/plan';
import type { OperandName, ResolvedProblem, ResolvedSpec } from '../spec/resolved';
import type { Target } from '../spec/schema';
import type { WgmmaModel } from './wgmma/model';
import type { TensorMaps } from './file/tensorMaps';
import type { ArgumentRole } from './ir/arguments';

/** The argument, a CUtensorMap by value, through which TMA reads or writes an operand. */
export const TENSOR_MAP_ROLES = {
  a: 'tensorMapA',
  b: 'tensorMapB',
  c: 'tensorMapC',
} as const satisfies Readonly<Record<OperandName, ArgumentRole>>;
export type TensorMapRole = (typeof TENSOR_MAP_ROLES)[OperandName];

/**
 * Arguments in order. CUDA: the parameters. WGSL: the bindings 0, 1, ... of group 0, where a list is
 * a uniform block of 4-byte scalars in that order.
 */
export type Argument = ArgumentRole | readonly ArgumentRole[];

/** One launch of a kernel of the file. */
export interface Launch {
  readonly entry: string;
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly dynamicSharedBytes: number;
  readonly arguments: readonly Argument[];
  /** One an argument that is a tensor map. */
  readonly tensorMaps?: TensorMaps;
  /** It may begin while the one before it in the stream ends, and waits for that by itself. */
  readonly programmatic?: true;
}

/**
 * A kernel that a backend can run: generated, edited or hand-written. It is a launch itself, the one that multiplies;
 * some need others around it, which run one after the other in the order of `launchesOf`.
 */
export interface Runnable extends Launch {
  readonly target: Target;
  readonly source: string;
  readonly problem: ResolvedProblem;
  readonly before?: readonly Launch[];
  readonly after?: readonly Launch[];
  /** Memory that the launches share beside the matrices; what is in it before does not matter. */
  readonly workspaceBytes?: number;
  /** Readable name of the spec, or of the file for a hand-written kernel. */
  readonly specKey: string;
  /** Absent for a hand-written kernel. */
  readonly spec?: ResolvedSpec;
  /** That its comment names; `why` where another one of the table stands for it. */
  readonly device?: { readonly id: DeviceId; readonly why?: string };
}

/** Of the table; undefined where nothing names one. */
export const deviceNamed = ({
  spec,
  device,
}: Pick<Runnable, 'spec' | 'device'>): string | undefined => spec?.device ?? device?.id;

/** All launches that compute C, in order. */
export const launchesOf = <L extends Launch>(
  runnable: L & { readonly before?: readonly L[]; readonly after?: readonly L[] },
): readonly L[] => [...(runnable.before ?? []), runnable, ...(runnable.after ?? [])];

/** A launch with the IR that its text prints. */
export interface KernelLaunch extends Launch {
  readonly ir: KernelIr;
}

/** Generated launches around the one that multiplies. */
export interface LaunchesAround {
  readonly before?: readonly KernelLaunch[];
  readonly after?: readonly KernelLaunch[];
  readonly workspaceBytes?: number;
}

/** The launch that multiplies, with those around it. */
export interface MainLaunch extends KernelLaunch, LaunchesAround {}

interface Generated extends Runnable {
  readonly spec: ResolvedSpec;
  readonly plan: Plan;
  readonly before?: readonly KernelLaunch[];
  readonly after?: readonly KernelLaunch[];
  /** File name without folder: `<specKey>.cu` or `.wgsl`. */
  readonly fileName: string;
  readonly sharedBytes: number;
}

/** Whose text prints a loop IR. */
export interface LoweredKernel extends Generated {
  readonly ir: KernelIr;
}

/** Whose main loop is written by hand (shaders/cuda/wgmma); what it does is declared. */
export interface DeclaredKernel extends Generated {
  readonly model: WgmmaModel;
}

/** A generated kernel: runnable, with the plan, and the IR that its text prints or the model that is declared of it. */
export type Kernel = LoweredKernel | DeclaredKernel;

export const isLowered = (kernel: Kernel): kernel is LoweredKernel => 'ir' in kernel;

/** The launches of a kernel whose text prints a loop IR, in order. */
export const loweredLaunches = (kernel: Kernel): readonly KernelLaunch[] =>
  launchesOf<Launch>(kernel).filter((launch): launch is KernelLaunch => 'ir' in launch);
