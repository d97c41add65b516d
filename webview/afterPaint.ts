/** Computation that is deferred until the page has painted and is idle. */
import { useEffect, useState } from 'preact/hooks';

export interface Later<T> {
  /** Newest result; null before the first result. */
  readonly value: T | null;
  /** True until the value belongs to the current input. */
  readonly stale: boolean;
}

/** False in the extension host, which renders the first frame and runs no effects. */
export const IN_PAGE = typeof document !== 'undefined';
/** True while views that mount must compute their values before they render. */
let atOnce = !IN_PAGE;
/** Maximum wait in milliseconds for an idle page. */
const PATIENCE_MS = 200;

/**
 * Runs `render` without deferral of the views that mount in it, so that they show no placeholder.
 */
export function renderAtOnce(render: () => void): void {
  atOnce = true;
  try {
    render();
  } finally {
    atOnce = !IN_PAGE;
  }
}

/**
 * Runs `compute(input)` when the page is idle and returns its newest result. Superseded inputs are
 * skipped.
 */
export function useAfterPaint<I, T>(input: I, compute: (input: I) => T): Later<T> {
  const [done, setDone] = useState<{ readonly input: I; readonly value: T } | null>(
    atOnce ? () => ({ input, value: compute(input) }) : null,
  );
  useEffect(() => {
    if (done?.input === input) return undefined;
    return whenIdle(() => {
      setDone({ input, value: compute(input) });
    });
  }, [input]);
  return { value: done?.value ?? null, stale: done?.input !== input };
}

/**
 * Calls `act` when the page has painted and is idle, and returns a function that cancels the call.
 * An idle callback alone could run between an event and the frame that shows its effect. A hidden
 * page has no frames, so the wait for a frame is limited.
 */
export function whenIdle(act: () => void): () => void {
  let cancelIdle: () => void = () => undefined;
  const proceed = (): void => {
    cancelFrame();
    cancelIdle = requestIdle(act);
  };
  const frame = requestAnimationFrame(proceed);
  const timer = setTimeout(proceed, PATIENCE_MS);
  const cancelFrame = (): void => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
  return () => {
    cancelFrame();
    cancelIdle();
  };
}

/** Some browsers do not have requestIdleCallback. */
function requestIdle(act: () => void): () => void {
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
