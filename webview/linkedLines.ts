/**
 * Lines of a kernel that a picture refers to. The listing and the editor highlight them. They are
 * not part of the page state, because they change with every movement of the pointer.
 */
import { useEffect, useState } from 'preact/hooks';
import type { Kernel } from '../src/core/kernel/kernel';
import type { Lines } from '../src/core/kernel/print/statementLines';

export interface LinkedLines {
  readonly kernel: Kernel;
  readonly lines: readonly Lines[];
}

type Listener = (linked: LinkedLines) => void;

const listeners = new Set<Listener>();
let current: LinkedLines | null = null;

/** Highlights the lines, in place of the previous ones. */
export function linkLines({ kernel, lines: given }: LinkedLines): void {
  const lines = [...new Map(given.map(of => [`${of.first} ${of.last}`, of])).values()];
  if (current?.kernel === kernel && sameLines(current.lines, lines)) return;
  current = { kernel, lines };
  for (const listener of listeners) listener(current);
}

const sameLines = (one: readonly Lines[], other: readonly Lines[]): boolean =>
  one.length === other.length &&
  one.every(({ first, last }, i) => first === other[i]?.first && last === other[i].last);

/** Calls `listener` after each change. Returns a function that ends this. */
export function onLinkedLines(listener: Listener): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** Returns the highlighted lines of the kernel with this source. */
export function useLinkedLines(source: string): readonly Lines[] {
  const [linked, setLinked] = useState(current);
  useEffect(() => onLinkedLines(setLinked), []);
  return linked?.kernel.source === source ? linked.lines : [];
}
