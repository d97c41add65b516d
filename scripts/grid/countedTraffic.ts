/** The bytes of a kernel's accesses, counted one by one while the simulator executes it without values. */
import type { Kernel } from '../../src/core/emit/kernel';
import { compile, makeThreads } from '../../src/core/simulate/compile';
import { blocksOf, parametersOf } from '../../src/core/simulate/execute';
import type { Access } from '../../src/core/simulate/memory';
import { DTYPE_BYTES } from '../../src/core/spec/dtype';

/** Bytes asked of global memory (l2) and of shared memory. */
export function countedTraffic(kernel: Kernel): { readonly l2: number; readonly shared: number } {
  const bytes = { l2: 0, shared: 0 };
  const count = ({ space, site }: Access): number => {
    bytes[space === 'global' ? 'l2' : 'shared'] += DTYPE_BYTES[kernel.problem[site.operand].dtype];
    return 0;
  };
  const nothing = (): void => undefined;
  const memory = {
    ...{ load: count, store: count, storeLater: count, commit: nothing, wait: nothing },
    ...{ barrier: nothing, misaligned: nothing, diverged: nothing },
  };
  const program = compile(kernel.ir, {
    parameters: parametersOf(kernel.problem),
    memory: () => memory,
  });
  const threads = makeThreads(kernel.block, program);
  for (const block of blocksOf(kernel.grid)) Array.from(program.run(block, threads));
  return bytes;
}
