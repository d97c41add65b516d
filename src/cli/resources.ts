/** What nvcc says of a kernel that is analysed: registers, spills and static shared memory. */
import type { CompiledResources } from '../core/occupancy/report';
import { archOf } from '../core/hardware/computeCapability';
import { deviceOf, type DeviceId } from '../core/hardware/devices';
import { generatedKernel } from '../core/kernel/generatedKernel';
import type { Runnable } from '../core/kernel/kernel';
import type { CompiledAccesses } from '../core/memory/compiledAccesses';
import { accessesOf } from '../host/accesses';
import { notCompiled } from '../core/source/notCompiled';
import { compileCubin } from '../host/nvcc';
import { findNvcc } from '../host/toolchain';
import type { Context } from './command';
import { inlineIncludes } from './includes';
import { interrupted } from './result';

export interface Compilation {
  readonly runnable: Runnable;
  /** Includes are found beside it. */
  readonly path: string;
  readonly device: DeviceId;
}

/**
 * The compiler's facts for the device's architecture; undefined where nvcc has no part (WGSL, a GPU
 * that is not NVIDIA's), and where it has none to give, for which a note says why.
 */
export async function compiledResources(
  compilation: Compilation,
  context: Context,
): Promise<CompiledResources | undefined> {
  const { runnable, device } = compilation;
  const { computeCapability } = deviceOf(device);
  if (runnable.target !== 'cuda' || computeCapability === undefined) return undefined;
  const answer = await compile(compilation, archOf(computeCapability), context);
  if (typeof answer !== 'string') return answer;
  const instead = generatedKernel(runnable) === null ? 'not known' : 'estimated';
  context.note(`Not compiled, so registers and occupancy are ${instead}: ${answer}`);
  return undefined;
}

/** Access sites of a text that no spec gives, read from its PTX; undefined where there is none to read, as above. */
export async function readAccesses(
  { runnable, path, device }: Compilation,
  context: Context,
): Promise<CompiledAccesses | undefined> {
  const { computeCapability } = deviceOf(device);
  const isOwn = runnable.target !== 'cuda' || generatedKernel(runnable) !== null;
  if (isOwn || computeCapability === undefined) return undefined;
  const found = await findNvcc();
  // Why there are no registers was said already.
  if (!found.ok) return undefined;
  const source = await inlineIncludes(runnable.source, path);
  const read = await accessesOf(runnable, source, {
    nvcc: found.nvcc,
    arch: archOf(computeCapability),
    signal: context.abort,
  });
  if (read.ok) return read.accesses;
  if (read.outcome === 'cancelled') throw interrupted();
  context.note(`Memory access is not known: ${read.message}`);
  return undefined;
}

/** The facts, or why there are none. */
async function compile(
  { runnable, path }: Compilation,
  arch: string,
  context: Context,
): Promise<CompiledResources | string> {
  const found = await findNvcc();
  if (!found.ok) return `${found.why} ${found.next}`;
  const compiled = await compileCubin(await inlineIncludes(runnable.source, path), {
    nvcc: found.nvcc,
    arch,
    signal: context.abort,
  });
  if (!compiled.ok) {
    if (compiled.outcome === 'cancelled') throw interrupted();
    return compiled.message;
  }
  const [kernel, another] = compiled.kernels.filter(({ entry }) => entry === runnable.entry);
  if (kernel === undefined && compiled.unread.length > 0) return compiled.unread.join(' ');
  if (kernel === undefined) {
    const names = compiled.kernels.map(({ entry }) => entry);
    const left = notCompiled(runnable.source, names).find(({ entry }) => entry === runnable.entry);
    return left?.why ?? `the compiler made no kernel ${runnable.entry}.`;
  }
  return another === undefined
    ? kernel
    : `the text has several kernels ${runnable.entry}, such as instances of a template.`;
}
