/** Describes the launch of a generated kernel. */
import type { Kernel } from '../core/kernel/kernel';
import type { Dim3 } from '../core/plan/plan';

const extents = ({ x, y, z }: Dim3): readonly number[] => [x, y, z];

/** Returns what a caller needs to launch a generated kernel. */
export const launchFacts = (kernel: Kernel, path: string) => ({
  target: kernel.target,
  specKey: kernel.specKey,
  path,
  entry: kernel.entry,
  grid: extents(kernel.grid),
  block: extents(kernel.block),
  sharedBytes: kernel.sharedBytes,
  /** Global memory besides A, B and C; 0 if the kernel needs none. */
  workspaceBytes: kernel.workspaceBytes ?? 0,
  /** CUDA: the parameters in order. WGSL: bindings 0, 1, ...; a nested list is a uniform block. */
  bindings: kernel.arguments,
});
