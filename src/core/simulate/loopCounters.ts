/**
 * Integers that a loop increments: set before the first iteration and incremented after each
 * iteration.
 */
import type { Statement } from '../kernel/ir/ir';
import type { Thread } from './memory';
import type { createScope } from './values';

interface Advance {
  readonly start: (thread: Thread) => void;
  readonly add: (thread: Thread) => void;
}

export const advanced = (
  { advancing = [] }: Extract<Statement, { op: 'for' }>,
  { slot, integer }: ReturnType<typeof createScope>,
): readonly Advance[] =>
  advancing.map(({ name, from, by }) => {
    const [at, first, step] = [slot(name), integer(from), integer(by)];
    return {
      start: thread => {
        thread.integers[at] = first(thread);
      },
      add: thread => {
        thread.integers[at] = (thread.integers[at] ?? NaN) + step(thread);
      },
    };
  });
