/**
 * Handles kernels with Hopper instructions (wgmma, setmaxnreg): their compile target, and assembler
 * messages that indicate an unusable kernel. Sources: PTX ISA, "Directives, .target", and ptxas of
 * CUDA 13.0.
 */
import type { KernelResources } from './ptxas';
import { printable } from './text';

const HOPPER_INSTRUCTIONS =
  /\bwgmma\.(?:mma_async|fence|commit_group|wait_group)\b|\bsetmaxnreg\.(?:inc|dec)\b/;
const COMMENTS = /\/\/[^\n]*|\/\*[\s\S]*?\*\//g;

/** Returns whether CUDA source contains Hopper instructions outside comments. */
export const usesHopperInstructions = (source: string): boolean =>
  HOPPER_INSTRUCTIONS.test(source) && HOPPER_INSTRUCTIONS.test(source.replace(COMMENTS, ' '));

export type Architecture =
  /** `flag` is the option for nvcc; NVRTC uses `arch`. */
  | { readonly ok: true; readonly arch: string; readonly flag: string }
  | { readonly ok: false; readonly message: string };

/** Major version of the first CUDA release that supports sm_90a. */
const FIRST_RELEASE = 12;

/**
 * Option that compiles only for sm_90a. With `-arch=sm_90a`, nvcc 13 also compiles for compute_90,
 * which does not support these instructions.
 */
export const HOPPER_FLAG = '-gencode=arch=compute_90a,code=sm_90a';

/**
 * Returns the compile target of CUDA source for a GPU of `arch`, such as `sm_90`, or a message if
 * the source requires a different GPU or compiler. `release` is the compiler version, such as
 * `13.0`.
 */
export function architectureOf(source: string, arch: string, release?: string): Architecture {
  if (!usesHopperInstructions(source)) return { ok: true, arch, flag: `-arch=${arch}` };
  if (arch !== 'sm_90' && arch !== 'sm_90a') {
    const message = `The kernel uses Hopper instructions (wgmma, setmaxnreg), which require compute capability 9.0, but the target is ${printable(arch, 40)}. Fix: choose a GPU with compute capability 9.0, or the algorithm mma.`;
    return { ok: false, message };
  }
  if (release !== undefined && Number.parseInt(release, 10) < FIRST_RELEASE) {
    const message = `The kernel uses Hopper instructions (wgmma, setmaxnreg), which require CUDA ${FIRST_RELEASE}.0, but the compiler is ${release}. Fix: install a newer CUDA toolkit.`;
    return { ok: false, message };
  }
  return { ok: true, arch: 'sm_90a', flag: HOPPER_FLAG };
}

/**
 * Bytes per thread that the epilogue of a generated kernel may spill. They are stored and loaded
 * once per tile, outside of the main loop.
 */
const EPILOGUE_SPILL_BYTES = 320;

/** Returns why a compiled kernel must not be run, or undefined if it may be run. */
export function assemblyFailure(
  source: string,
  log: string,
  kernels: readonly Pick<KernelResources, 'entry' | 'spillStores' | 'spillLoads'>[],
): string | undefined {
  if (!usesHopperInstructions(source)) return undefined;
  const [, code = '', words = ''] =
    /\((C75\d\d)\) Potential Performance Loss: ([^\n]{1,1000})/.exec(log) ?? [];
  if (code !== '') {
    return `ptxas ${code}: ${printable(words.trim(), 500)} ${adviceOf(words)}`;
  }
  const most = /\bapply(?:Epilogue|Gate)\(/.test(source) ? EPILOGUE_SPILL_BYTES : 0;
  const spilled = kernels.find(
    ({ spillStores, spillLoads }) => Math.max(spillStores, spillLoads) > most,
  );
  if (spilled === undefined) return undefined;
  const { entry, spillStores, spillLoads } = spilled;
  return `${printable(entry, 200)} spills registers to local memory (${spillStores} bytes stored, ${spillLoads} loaded). Fix: choose a smaller tile or more consumer warp groups to reduce the accumulators per thread.`;
}

function adviceOf(words: string): string {
  if (words.includes('setmaxnreg')) {
    return 'Fix: set __launch_bounds__ of the kernel to its block size, from which ptxas derives the initial register count.';
  }
  if (words.includes('insufficient register')) {
    return 'Fix: choose a smaller tile or more consumer warp groups to reduce the accumulators per thread.';
  }
  return 'Fix: index accumulators with constants. Between wgmma and wgmma.wait_group, do not access them with other instructions and do not call functions.';
}
