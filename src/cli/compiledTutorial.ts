/** Compiles the kernels of a tutorial whose registers and PTX are part of its figures. */
import { archOf } from '../core/hardware/computeCapability';
import { deviceOf } from '../core/hardware/devices';
import { predictedDevice } from '../core/tutorials/list';
import { kernelsToCompile } from '../core/tutorials/runs';
import type { CompiledKernel, Facts, Tutorial } from '../core/tutorials/tutorial';
import { ptxOf } from '../host/ptx';
import { findNvcc, type Nvcc } from '../host/toolchain';
import type { Context } from './command';

/**
 * Compiles for the tutorial's GPU. Returns no kernel and the reason if there is no nvcc or if a
 * kernel does not compile.
 */
export async function compiledKernels(
  tutorial: Tutorial,
  context: Context,
): Promise<Pick<Facts, 'compiled' | 'notCompiled'>> {
  const device = predictedDevice(tutorial);
  const kernels = kernelsToCompile(tutorial, device);
  if (kernels.size === 0) return { compiled: new Map(), notCompiled: null };
  const found = await findNvcc();
  if (!found.ok) return { compiled: new Map(), notCompiled: `${found.why} ${found.next}` };
  const { computeCapability = '' } = deviceOf(device);
  const compiled = new Map<string, CompiledKernel>();
  for (const [id, kernel] of kernels) {
    context.note(`nvcc ${found.nvcc.build}: ${kernel.specKey}`);
    const made = await compile(kernel, archOf(computeCapability), found.nvcc, context);
    if (typeof made === 'string') return { compiled, notCompiled: made };
    compiled.set(id, made);
  }
  return { compiled, notCompiled: null };
}

/** Returns the reason if the kernel does not compile. */
async function compile(
  { source, entry }: { readonly source: string; readonly entry: string },
  arch: string,
  nvcc: Nvcc,
  { abort }: Context,
): Promise<CompiledKernel | string> {
  const made = await ptxOf(source, { nvcc, arch, signal: abort });
  if (!made.ok) return made.message;
  const found = made.kernels.find(kernel => kernel.entry === entry);
  if (found === undefined) return made.unread.join(' ');
  const { registers, sharedBytes, constantBytes } = found;
  const compiler = `nvcc ${nvcc.build}`;
  return { compiler, registers, sharedBytes, constantBytes, ptx: made.text };
}
