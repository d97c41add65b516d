/**
 * Memory accesses of edited and hand-written kernels, read from PTX. Each kernel is evaluated lane
 * by lane, so kernels are processed one at a time.
 */
import { readKernel, type KernelText } from '../../core/source/kernelFile';
import type { CompileRequest, CudaCompiler } from '../abilities';
import type { CompiledFacts } from './facts';

/** Maximum number of annotations per file whose kernels are read. */
const MAX_KERNELS = 8;

export interface AccessRequest extends CompileRequest {
  readonly compiler: Pick<CudaCompiler, 'accesses'>;
}

/** Yields the facts of each kernel whose memory accesses can be read. */
export async function* readAccesses(
  file: KernelText,
  facts: readonly CompiledFacts[],
  { compiler, ...request }: AccessRequest,
): AsyncGenerator<CompiledFacts> {
  const described = file.annotations.slice(0, MAX_KERNELS);
  for (const { entry } of described) {
    if (request.signal.aborted) return;
    const fact = facts.find(known => known.entry === entry && known.arch === request.arch);
    const read = entry === undefined ? undefined : readKernel(file, entry);
    if (fact === undefined || read?.ok !== true || read.origin === 'generated') continue;
    const found = await compiler.accesses(read.runnable, request);
    if (found.ok) yield { ...fact, accesses: found.accesses };
  }
}
