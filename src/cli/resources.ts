/** Compiler facts of an analyzed kernel: resources and access sites. */
import type { CompiledResources } from '../core/occupancy/report';
import { archOf } from '../core/hardware/computeCapability';
import { deviceOf, type DeviceId } from '../core/hardware/devices';
import { recoverGenerated } from '../core/kernel/generatedKernel';
import type { Runnable } from '../core/kernel/kernel';
import type { CompiledAccesses } from '../core/memory/compiledAccesses';
import { accessesOf } from '../host/accesses';
import { symbolOf } from '../core/source/symbols';
import { cubinResources, cubinSymbols } from '../host/cuda/runner/cubin';
import { notCompiled } from '../core/source/notCompiled';
import { functionName } from '../core/source/symbols';
import { assemblePtx, compileCubin } from '../host/nvcc';
import type { SearchOptions } from '../host/executables';
import { findNvcc } from '../host/toolchain';
import type { Context } from './command';
import { inlineIncludes } from './includes';
import { readBytes } from './input';
import { interrupted } from './result';

export interface Compilation {
  readonly runnable: Runnable;
  /** Path of the spec or kernel file. Includes are relative to its folder. */
  readonly path: string;
  readonly device: DeviceId;
  /** Options of the search for nvcc. */
  readonly search?: SearchOptions;
  /** Tests whether an include may be expanded, by its real path (`inlineIncludes`). */
  readonly mayRead?: (file: string) => boolean;
}

/**
 * Compiles the kernel for the architecture of the device. Returns undefined for WGSL and for
 * devices of other vendors. If the compiler facts are unknown, prints a note and returns undefined.
 * Throws if cancelled.
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
  const status = recoverGenerated(runnable) === null ? 'unknown' : 'estimated';
  context.note(`Not compiled, so the register count and the occupancy are ${status}: ${answer}`);
  return undefined;
}

/**
 * Derives the access sites of a kernel without a spec from its PTX. Returns undefined for generated
 * and compiled kernels, for WGSL and devices of other vendors, without nvcc, and if compilation
 * fails. Throws if cancelled.
 */
export async function readAccesses(
  { runnable, path, device, search, mayRead }: Compilation,
  context: Context,
): Promise<CompiledAccesses | undefined> {
  const { computeCapability } = deviceOf(device);
  const isOwn =
    runnable.target !== 'cuda' ||
    runnable.foreign !== undefined ||
    recoverGenerated(runnable) !== null;
  if (isOwn || computeCapability === undefined) return undefined;
  const found = await findNvcc(search);
  // `compiledResources` has reported the missing compiler.
  if (!found.ok) return undefined;
  const source = await inlineIncludes(runnable.source, path, mayRead);
  const read = await accessesOf(runnable, source, {
    nvcc: found.nvcc,
    arch: archOf(computeCapability),
    signal: context.abort,
  });
  if (read.ok) return read.accesses;
  if (read.outcome === 'cancelled') throw interrupted();
  context.note(`Memory accesses are unknown: ${read.message}`);
  return undefined;
}

/** Compiles the kernel. Returns the compiler facts, or the reason why they are unknown. */
async function compile(
  { runnable, path, search, mayRead }: Compilation,
  arch: string,
  context: Context,
): Promise<CompiledResources | string> {
  if (runnable.foreign?.kind === 'cubin') {
    const bytes = await readBytes(runnable.foreign.path);
    const symbol = symbolOf(runnable.entry, cubinSymbols(bytes)) ?? '';
    return cubinResources(bytes, symbol) ?? 'the cubin does not have them.';
  }
  const found = await findNvcc(search);
  if (!found.ok) return `${found.why} ${found.next}`;
  const options = { nvcc: found.nvcc, arch, signal: context.abort };
  const { source, entry: name, foreign } = runnable;
  const instances = name.includes('<') ? [name] : [];
  const compiled =
    foreign === undefined
      ? await compileCubin(await inlineIncludes(source, path, mayRead), { ...options, instances })
      : await assemblePtx(source, options);
  if (!compiled.ok) {
    if (compiled.outcome === 'cancelled') throw interrupted();
    return compiled.message;
  }
  const [kernel, another] = compiled.kernels.filter(
    ({ entry, symbol }) => entry === functionName(name) || symbol === name,
  );
  if (kernel === undefined && compiled.unread.length > 0) return compiled.unread.join(' ');
  if (kernel === undefined) {
    const names = compiled.kernels.map(({ entry }) => entry);
    const left = notCompiled(runnable.source, names).find(({ entry }) => entry === runnable.entry);
    return left?.why ?? `the compiler output has no kernel ${runnable.entry}.`;
  }
  return another === undefined
    ? kernel
    : `the source has more than one kernel named ${runnable.entry}, for example template instances.`;
}
