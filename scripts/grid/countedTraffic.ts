/** Counts the bytes of a kernel's accesses while the simulator executes it without values. */
import { operandOf } from '../../src/core/spec/resolved';
import { loweredLaunches, type Kernel } from '../../src/core/kernel/kernel';
import { compile } from '../../src/core/simulate/compile';
import { makeThreads } from '../../src/core/simulate/threads';
import { blocksOf } from '../../src/core/simulate/execute';
import type { Access } from '../../src/core/simulate/memory';
import { DTYPE_BYTES } from '../../src/core/types/dtype';
import { parametersOf } from '../../src/core/kernel/ir/arguments';

/**
 * Returns the bytes of all loads and stores in global memory (`l2`) and in shared memory
 * (`shared`).
 */
export function countedTraffic(kernel: Kernel): { readonly l2: number; readonly shared: number } {
  const bytes = { l2: 0, shared: 0 };
  const { problem } = kernel;
  const count = ({ space, site: { operand } }: Access): number => {
    // Elements of the workspace, and elements staged in shared memory before the store of C, have
    // the accumulator type.
    const sums = operand === 'workspace' || (operand === 'c' && space === 'shared');
    const dtype = sums ? problem.accumulator : operandOf(problem, operand).dtype;
    bytes[space === 'global' ? 'l2' : 'shared'] += DTYPE_BYTES[dtype];
    return 0;
  };
  const nothing = (): void => undefined;
  const memory = {
    load: count,
    store: count,
    storeLater: count,
    commit: nothing,
    wait: nothing,
    barrier: nothing,
    misaligned: nothing,
    diverged: nothing,
  };
  for (const { ir, grid, block: extent } of loweredLaunches(kernel)) {
    const program = compile(ir, { parameters: parametersOf(problem), memory: () => memory });
    const threads = makeThreads(extent, program);
    for (const block of blocksOf(grid)) Array.from(program.run(block, threads));
  }
  return bytes;
}
