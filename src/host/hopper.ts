/**
 * Kernels of Hopper's own instructions (wgmma, setmaxnreg): what they are compiled for, and which words of the assembler's mean
 * that the result is no kernel to time. Source of both: PTX ISA, "Directives, .target", and ptxas of CUDA 13.0.
 */
import type { KernelResources } from './ptxas';
import { printable } from './text';

const OWN = /\bwgmma\.(?:mma_async|fence|commit_group|wait_group)\b|\bsetmaxnreg\.(?:inc|dec)\b/;
const COMMENTS = /\/\/[^\n]*|\/\*[\s\S]*?\*\//g;

/** Whether a text has instructions that only Hopper knows; what its comments speak of does not count. */
export const isHoppersOwn = (source: string): boolean =>
  OWN.test(source) && OWN.test(source.replace(COMMENTS, ' '));

export type Architecture =
  /** `flag` is nvcc's; NVRTC takes `arch`. */
  | { readonly ok: true; readonly arch: string; readonly flag: string }
  | { readonly ok: false; readonly message: string };

/** The first toolkit that knows sm_90a. */
const FIRST_RELEASE = 12;

/** The GPU's code alone: for `-arch=sm_90a` nvcc 13 assembles compute_90 as well, which lacks these instructions. */
export const HOPPER_FLAG = '-gencode=arch=compute_90a,code=sm_90a';

/** What a text is compiled for where a GPU of `arch`, such as `sm_90`, is meant. `release`: the compiler's, such as `13.0`. */
export function architectureOf(source: string, arch: string, release?: string): Architecture {
  if (!isHoppersOwn(source)) return { ok: true, arch, flag: `-arch=${arch}` };
  if (arch !== 'sm_90' && arch !== 'sm_90a') {
    const message = `The kernel has instructions of Hopper (wgmma, setmaxnreg), which run on GPUs of compute capability 9.0 only, and this is for ${printable(arch, 40)}: choose such a GPU, or the algorithm mma, which runs on others.`;
    return { ok: false, message };
  }
  if (release !== undefined && Number.parseInt(release, 10) < FIRST_RELEASE) {
    const message = `The kernel has instructions of Hopper (wgmma, setmaxnreg), which compilers know from CUDA ${FIRST_RELEASE}.0 on, and this is ${release}: install a newer CUDA toolkit.`;
    return { ok: false, message };
  }
  return { ok: true, arch: 'sm_90a', flag: HOPPER_FLAG };
}

/** Why such a kernel is not one to run although it was assembled; undefined where nothing is wrong. */
export function lossOf(
  source: string,
  log: string,
  kernels: readonly Pick<KernelResources, 'entry' | 'spillStores' | 'spillLoads'>[],
): string | undefined {
  if (!isHoppersOwn(source)) return undefined;
  const [, code = '', words = ''] =
    /\((C75\d\d)\) Potential Performance Loss: ([^\n]{1,1000})/.exec(log) ?? [];
  if (code !== '') {
    return `ptxas ${code}: ${printable(words.trim(), 500)} ${adviceOf(words)}`;
  }
  const spilled = kernels.find(({ spillStores, spillLoads }) => spillStores + spillLoads > 0);
  if (spilled === undefined) return undefined;
  const { entry, spillStores, spillLoads } = spilled;
  return `${printable(entry, 200)} spills registers to memory (${spillStores} bytes stored, ${spillLoads} loaded): choose a smaller tile or more consumer warp groups, so that a thread accumulates less.`;
}

function adviceOf(words: string): string {
  if (words.includes('setmaxnreg')) {
    return 'Give the kernel __launch_bounds__ of its whole block, from which the assembler knows the registers that it starts with.';
  }
  if (words.includes('insufficient register')) {
    return 'Choose a smaller tile or more consumer warp groups, so that a thread accumulates less.';
  }
  return 'Keep accumulators in registers with constant indices, touched by nothing but wgmma until wgmma.wait_group, and let no function call stand between.';
}
