/** Finds nvcc for the kernels of a tutorial whose registers and PTX are part of its figures. */
import { inspect } from '../core/profile/listing/inspect';
import type { TutorialCompiler } from '../core/tutorials/execute';
import { ptxOf } from '../host/ptx';
import { findNvcc } from '../host/toolchain';
import type { Context } from './command';

export async function findCompiler({
  abort,
  note,
}: Context): Promise<TutorialCompiler | { readonly missing: string }> {
  const found = await findNvcc();
  if (!found.ok) return { missing: `${found.why} ${found.next}` };
  const { nvcc } = found;
  return {
    inspect,
    compile: ({ source, specKey }, arch) => {
      note(`nvcc ${nvcc.build}: ${specKey} for ${arch}`);
      return ptxOf(source, { nvcc, arch, signal: abort });
    },
  };
}
