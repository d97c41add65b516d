/**
 * Parses the output of SGEMM_CUDA's executable, in which a line `kernel N` precedes the output of
 * each kernel.
 */

export interface SgemmRun {
  readonly kernel: number;
  /**
   * Rate printed by the executable; undefined if it printed none for this size, for example after a
   * failed verification.
   */
  readonly gflops?: number;
}

/** Kernels of SGEMM_CUDA by number, each with our algorithm that has the same optimization. */
const KERNELS: readonly (readonly [name: string, algorithm: string])[] = [
  ['cuBLAS', 'cuBLAS'],
  ['naive', 'naive'],
  ['coalesced', 'coalesced'],
  ['shared memory', 'shared-tile'],
  ['1D block tile', 'thread-tile-1d'],
  ['2D block tile', 'thread-tile-2d'],
  ['vectorized', 'vectorized'],
  ['bank conflicts, linearized', 'vectorized'],
  ['bank conflicts, extra column', 'vectorized'],
  ['autotuned', 'vectorized'],
  ['warp tile', 'warp-tile'],
  ['double buffering', 'pipelined'],
  ['double buffering, async copies', 'pipelined'],
];

export function nameOf(kernel: number): { readonly name: string; readonly algorithm: string } {
  const found = KERNELS[kernel];
  if (found === undefined) throw new Error(`SGEMM_CUDA has no kernel ${kernel}`);
  return { name: found[0], algorithm: found[1] };
}

const TIME = /performance:\s*\(\s*([\d.]+)\)\s*GFLOPS\.\s*size:\s*\((\d+)\)/;

/** Returns the GPU and the commit of the output; throws if one is missing. */
export function sgemmOrigin(text: string): { readonly gpu: string; readonly commit: string } {
  const gpu = /^NVIDIA .*$/m.exec(text)?.[0];
  const commit = /^commit (\w+)$/m.exec(text)?.[1];
  if (gpu === undefined || commit === undefined)
    throw new Error('The SGEMM_CUDA output does not contain the GPU and the commit.');
  return { gpu, commit };
}

/** Returns the numbers of kernels that have no `kernel N` line. */
export const missing = (runs: readonly SgemmRun[]): readonly number[] =>
  KERNELS.map((_, kernel) => kernel).filter(kernel => !runs.some(run => run.kernel === kernel));

/** Parses the output of each kernel; throws if there is no kernel. */
export function sgemmRuns(text: string, size: number): readonly SgemmRun[] {
  const [, ...parts] = text.split(/^kernel (?=\d+\s*$)/m);
  if (parts.length === 0)
    throw new Error('Expected SGEMM_CUDA output with lines "kernel N", got none.');
  return parts.map(part => {
    const times = [...part.matchAll(new RegExp(TIME, 'g'))];
    const gflops = times.find(([, , of]) => Number(of) === size)?.[1];
    return { kernel: parseInt(part, 10), ...(gflops !== undefined && { gflops: Number(gflops) }) };
  });
}
