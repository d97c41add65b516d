/** Names of thread and block indices in emitted comments. */
import type { Plan } from '../../plan/plan';

export const indexOf = (
  { target }: Plan,
  of: 'thread' | 'block',
  axis: 'x' | 'y' | 'z' = 'x',
): string => `${of}${target === 'cuda' ? 'Idx' : ''}.${axis}`;
