/** The threads of a block, grouped by quad and warp. */
import { WARP_LANES } from '../hardware/warp';
import type { Dim3 } from '../plan/plan';
import type { Program } from './compile';
import type { Thread } from './memory';
import { slotOf } from './values';

export const AXES = ['x', 'y', 'z'] as const;

export function makeThreads(
  block: Dim3,
  program: Pick<Program, 'integerSlots' | 'registerSlots' | 'matrixSlots'>,
): readonly Thread[] {
  const quads: Thread[][] = [];
  const warps: { threads: Thread[]; matrices: Float64Array }[] = [];
  return Array.from({ length: block.x * block.y * block.z }, (_, index) => {
    const at = {
      x: index % block.x,
      y: Math.floor(index / block.x) % block.y,
      z: Math.floor(index / (block.x * block.y)),
    };
    const integers = new Float64Array(program.integerSlots);
    for (const axis of AXES) integers[slotOf.threadIdx(axis)] = at[axis];
    const quad = (quads[Math.floor(index / 4)] ??= []);
    const registers = new Float64Array(program.registerSlots);
    const warp = (warps[Math.floor(index / WARP_LANES)] ??= {
      threads: [],
      matrices: new Float64Array(program.matrixSlots),
    });
    const thread: Thread = { index, ...at, integers, registers, quad, warp };
    quad.push(thread);
    warp.threads.push(thread);
    return thread;
  });
}
