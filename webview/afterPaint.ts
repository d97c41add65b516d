/** Work that a change need not wait for: done once the page has been painted and has nothing better to do. */
import { useEffect, useState } from 'preact/hooks';

export interface Later<T> {
  /** Null before the first. */
  readonly value: T | null;
  /** Of an earlier input: on its way out. */
  readonly stale: boolean;
}

/** Longest wait where the page is never idle. */
const PATIENCE_MS = 200;

/** `compute` of `input`, computed when idle; of inputs that follow each other quickly only the last. */
export function useAfterPaint<I, T>(input: I, compute: (input: I) => T): Later<T> {
  const [done, setDone] = useState<{ readonly input: I; readonly value: T } | null>(null);
  useEffect(() => {
    return whenIdle(() => {
      setDone({ input, value: compute(input) });
    });
  }, [input]);
  return { value: done?.value ?? null, stale: done?.input !== input };
}

/** Not every browser has requestIdleCallback; returns what calls it off. */
function whenIdle(act: () => void): () => void {
  if (typeof requestIdleCallback === 'function') {
    const handle = requestIdleCallback(act, { timeout: PATIENCE_MS });
    return () => {
      cancelIdleCallback(handle);
    };
  }
  const handle = setTimeout(act, 0);
  return () => {
    clearTimeout(handle);
  };
}
