/** The host function of a CUDA file that launches its kernels, for code that calls it. */
import { launchFunctionOf, callerLines } from '../wgmma/launch';
import { workspaceType } from '../wgmma/twoPass';
import { cudaType } from '../print/cudaTypes';
import { isLowered, launchesOf, type Kernel, type Launch } from '../kernel';
import type { ArgumentRole } from '../ir/arguments';
import { hostArguments, hostName } from './hostLaunch';

export interface HostCall {
  readonly name: string;
  /** Arguments in order, without the stream that follows them. */
  readonly roles: readonly ArgumentRole[];
}

/** Returns the host function; undefined for a file with a single kernel that callers launch. */
export function hostCallOf(kernel: Kernel): HostCall | undefined {
  if (kernel.plan.family === 'wgmma')
    return { name: launchFunctionOf(kernel.plan), roles: callerLines(kernel.plan).flat() };
  if (!isLowered(kernel) || launchesOf<Launch>(kernel).length === 1) return undefined;
  return { name: hostName(kernel), roles: hostArguments(kernel) };
}

/** Returns the C++ element type of the workspace that the host function takes. */
export const workspaceElement = ({ plan }: Kernel): string =>
  plan.family === 'wgmma' ? workspaceType(plan) : cudaType(plan.dtypes.workspace);
