/** Link between the steps of a playback and the lines of the kernel. */
import { useEffect, useRef } from 'preact/hooks';
import type { Kernel } from '../../src/core/kernel/kernel';
import type { Lines } from '../../src/core/kernel/print/statementLines';
import { isAt } from '../cursor';
import { linkLines } from '../linkedLines';
import type { Cursor } from '../state';

/** Highlights the lines of the current step. The start has no lines and changes nothing. */
export function useLineOfStep(kernel: Kernel, lines: Lines | undefined): void {
  useEffect(() => {
    if (lines !== undefined) linkLines({ kernel, lines: [lines] });
  }, [kernel, lines?.first, lines?.last]);
}

export interface CursorInSteps {
  readonly cursor: Cursor | null;
  readonly kernel: Kernel;
  readonly numSteps: number;
  /** Number of executed steps. */
  readonly count: number;
  /** Returns the lines of the last executed step, by the number of executed steps. */
  readonly linesAfter: (executed: number) => Lines | undefined;
  readonly move: (count: number) => void;
}

/**
 * Moves to the next step that executes the line of the cursor when the cursor moves. After the last
 * such step, it moves to the first one.
 */
export function useStepAtCursor({
  cursor,
  kernel,
  numSteps,
  count,
  linesAfter,
  move,
}: CursorInSteps): void {
  const seen = useRef(cursor);
  useEffect(() => {
    if (cursor === seen.current) return;
    seen.current = cursor;
    const next = Array.from({ length: numSteps }, (_, i) => ((count + i) % numSteps) + 1).find(
      executed => {
        const lines = linesAfter(executed);
        return lines !== undefined && isAt(cursor, kernel, lines);
      },
    );
    if (next !== undefined) move(next);
  }, [cursor]);
}
