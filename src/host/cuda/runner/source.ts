/** Selects the source and the architecture of the CUDA runner. */
import { runnerSource } from '../sources';

/**
 * Returns the source and the compile target of the runner for a GPU of `arch`, such as `sm_90`.
 * Hopper instructions require the target `sm_90a`.
 */
export function runnerFor(arch: string): { readonly source: string; readonly arch: string } {
  const own = arch === 'sm_90' ? 'sm_90a' : arch;
  return { source: runnerSource(own), arch: own };
}
