/** Derives the access sites of a CUDA kernel from its compiled PTX. */
import * as fs from 'node:fs/promises';
import { readPtx } from '../core/profile/listing/ptx';
import type { Runnable } from '../core/kernel/kernel';
import { compiledAccesses } from '../core/profile/ptx/sites';
import { compilePtx, KERNEL_FILE, type Compiled, type CompileOptions } from './nvcc';
import type { CompiledAccesses } from '../core/memory/compiledAccesses';

export type ReadAccesses =
  | { readonly ok: true; readonly accesses: CompiledAccesses }
  | Extract<Compiled, { readonly ok: false }>;

/**
 * Compiles a kernel to PTX and derives its access sites. Returns the failure if compilation fails
 * or the PTX does not contain exactly one kernel with the entry name.
 * @param source source that is compiled: the runnable's source with expanded includes
 */
export async function accessesOf(
  runnable: Runnable,
  source: string,
  options: CompileOptions,
): Promise<ReadAccesses> {
  const made = await compilePtx(source, options);
  if (!made.ok) return made;
  const ptx = await fs.readFile(made.path, 'utf8');
  const own = readPtx(ptx).filter(({ entry }) => entry === runnable.entry);
  const [listing] = own;
  if (listing === undefined || own.length > 1) {
    const message =
      listing === undefined
        ? `the compiler output has no kernel ${runnable.entry}.`
        : `the source has more than one kernel named ${runnable.entry}, for example template instances.`;
    return { ok: false, outcome: 'unavailable', message, diagnostics: [] };
  }
  return {
    ok: true,
    accesses: compiledAccesses({ ptx, listing, runnable, file: KERNEL_FILE }),
  };
}
