/** Names of thread and block indices in emitted comments. */
import type { Plan } from '../../plan/plan';

/** Returns the name of an index in the language of the target: "threadIdx.x" in CUDA, "thread.x" in WGSL. */
export const indexOf = (
  { target }: Plan,
  of: 'thread' | 'block',
  axis: 'x' | 'y' | 'z' = 'x',
): string => `${of}${target === 'cuda' ? 'Idx' : ''}.${axis}`;
