/** Kernels: the result of an emitter and the input of a backend. */
import type { KernelIr } from './ir/ir';
import type { DeviceId } from '../hardware/devices';
import type { Dim3, Plan } from '../plan/plan';
import type { OperandName, ResolvedProblem, ResolvedSpec } from '../spec/resolved';
import type { Target } from '../spec/schema';
import type { WgmmaModel } from './wgmma/model';
import type { TensorMaps } from './file/tensorMaps';
import type { ArgumentRole } from './ir/arguments';

/** Roles of tensor-map arguments (CUtensorMap by value), through which TMA accesses a matrix. */
export const TENSOR_MAP_ROLES = {
  a: 'tensorMapA',
  b: 'tensorMapB',
  c: 'tensorMapC',
  gate: 'tensorMapB2',
  residual: 'tensorMapResidual',
} as const satisfies Readonly<Record<MappedOperand | 'residual', ArgumentRole>>;
export type TensorMapName = keyof typeof TENSOR_MAP_ROLES;
export type TensorMapRole = (typeof TENSOR_MAP_ROLES)[TensorMapName];

/** Matrices of the product that TMA accesses: A, B, C and the second B of a gate. */
export type MappedOperand = OperandName | 'gate';
export const MAPPED_OPERANDS = ['a', 'b', 'c', 'gate'] as const satisfies readonly MappedOperand[];

/**
 * One kernel argument. CUDA: a parameter. WGSL: the next binding of group 0; a list is a uniform
 * buffer of 4-byte scalars.
 */
export type Argument = ArgumentRole | readonly ArgumentRole[];

export interface Launch {
  readonly entry: string;
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly dynamicSharedBytes: number;
  readonly arguments: readonly Argument[];
  readonly tensorMaps?: TensorMaps;
  /**
   * Set for programmatic dependent launch: the kernel may start before the previous kernel in the
   * stream ends, and waits for it with griddepcontrol.wait.
   */
  readonly programmatic?: true;
}

/**
 * A compiled kernel, or a function of a Python file. Paths are absolute. `execute` selects the
 * executed statements of the Python file: all statements, or the dependencies of the function.
 */
export type ForeignKernel =
  | { readonly kind: 'cubin'; readonly path: string }
  | { readonly kind: 'ptx' }
  | { readonly kind: 'python'; readonly path: string; readonly execute: 'needed' | 'all' };

/**
 * A kernel that a backend can run: generated, edited or hand-written. The object describes the main
 * launch; pre-pass and post-pass launches run in the order of `launchesOf`.
 */
export interface Runnable extends Launch {
  readonly target: Target;
  readonly source: string;
  readonly problem: ResolvedProblem;
  readonly before?: readonly Launch[];
  readonly after?: readonly Launch[];
  /** Bytes of workspace that the launches share; it need not be initialized. */
  readonly workspaceBytes?: number;
  /** Readable name of the spec; the file name if the kernel is hand-written. */
  readonly specKey: string;
  readonly spec?: ResolvedSpec;
  /** Set for kernels that are not compiled from CUDA or WGSL source. */
  readonly foreign?: ForeignKernel;
  /** Device named in the annotation; `why` is set if a similar device of the table replaces it. */
  readonly device?: { readonly id: DeviceId; readonly why?: string };
}

/**
 * Returns the device id of the spec or, if it has none, of the annotation. Returns undefined if
 * neither names a device.
 */
export const deviceNamed = ({
  spec,
  device,
}: Pick<Runnable, 'spec' | 'device'>): string | undefined => spec?.device ?? device?.id;

/** Returns all launches that compute C, in order. */
export const launchesOf = <L extends Launch>(
  runnable: L & { readonly before?: readonly L[]; readonly after?: readonly L[] },
): readonly L[] => [...(runnable.before ?? []), runnable, ...(runnable.after ?? [])];

export interface KernelLaunch extends Launch {
  readonly ir: KernelIr;
}

export interface PrePostLaunches {
  readonly before?: readonly KernelLaunch[];
  readonly after?: readonly KernelLaunch[];
  readonly workspaceBytes?: number;
}

export interface MainLaunch extends KernelLaunch, PrePostLaunches {}

interface Generated extends Runnable {
  readonly spec: ResolvedSpec;
  readonly plan: Plan;
  readonly before?: readonly KernelLaunch[];
  readonly after?: readonly KernelLaunch[];
  /** File name without folder, ending in `.cu` or `.wgsl`. */
  readonly fileName: string;
  readonly sharedBytes: number;
}

/** A generated kernel whose source is printed from loop IR. */
export interface LoweredKernel extends Generated {
  readonly ir: KernelIr;
}

/** A generated kernel with a hand-written main loop (shaders/cuda/wgmma) and a declared model. */
export interface DeclaredKernel extends Generated {
  readonly model: WgmmaModel;
}

export type Kernel = LoweredKernel | DeclaredKernel;

export const isLowered = (kernel: Kernel): kernel is LoweredKernel => 'ir' in kernel;

/** Returns the launches that are printed from loop IR, in order. */
export const loweredLaunches = (kernel: Kernel): readonly KernelLaunch[] =>
  launchesOf<Launch>(kernel).filter((launch): launch is KernelLaunch => 'ir' in launch);
