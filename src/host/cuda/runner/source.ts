/** The CUDA runner's program: its text, and what that is compiled for. */
import { runnerSource } from '../sources';

/** For a GPU of `arch`, such as `sm_90`, whose own instructions only `sm_90a` has. */
export function runnerFor(arch: string): { readonly source: string; readonly arch: string } {
  const own = arch === 'sm_90' ? 'sm_90a' : arch;
  return { source: runnerSource(own), arch: own };
}
