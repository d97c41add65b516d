/** Final writer of an element of C that the reduction kernel of split-K stores. */
import { parametersOf } from '../kernel/ir/arguments';
import type { Kernel, KernelLaunch } from '../kernel/kernel';
import { statementLines } from '../kernel/print/statementLines';
import { compile } from '../simulate/compile';
import type { Access } from '../simulate/memory';
import { makeThreads } from '../simulate/threads';
import type { ResolvedProblem } from '../spec/resolved';
import type { Element, Writer } from './owner';
import { recordingMemory } from './recordingMemory';

/**
 * Finds the thread of the reduction kernel, which writes one element of C per thread. `problem` is
 * the problem that the kernel computes, with the element in its rows and columns.
 */
export function reductionWriter(
  kernel: Kernel,
  { launch, problem }: { readonly launch: KernelLaunch; readonly problem: ResolvedProblem },
  { entry, row, column }: Element,
): Writer {
  const { layout, ld, batchStride } = problem.c;
  const [x, y] = layout === 'row' ? [column, row] : [row, column];
  const index = entry * batchStride + y * ld + x;
  const block = {
    x: Math.floor(x / launch.block.x),
    y: Math.floor(y / launch.block.y),
    z: entry,
  };
  const stores: Access[] = [];
  const memory = recordingMemory(access => {
    if (access.op === 'store' && access.index === index) stores.push(access);
  });
  const program = compile(launch.ir, {
    parameters: parametersOf(problem),
    memory: () => memory,
  });
  const run = program.run(block, makeThreads(launch.block, program));
  while (run.next().done !== true);
  const [store] = stores;
  if (store === undefined) throw new Error(`${launch.entry} does not write C(${row}, ${column})`);
  const line = statementLines(kernel, launch).get(store.statement)?.first ?? null;
  return { kernel: launch.entry, block, thread: store.thread.index, line };
}
