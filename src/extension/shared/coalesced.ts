/**
 * Returns a function that starts `run`. A call during a run leads to one more run. Waits for the
 * last run.
 */
export function coalesced(run: () => Promise<void>): () => Promise<void> {
  let isDue = false;
  let running: Promise<void> | undefined;
  const runAll = async (): Promise<void> => {
    try {
      while (isDue) {
        isDue = false;
        await run();
      }
    } finally {
      running = undefined;
    }
  };
  return () => {
    isDue = true;
    running ??= runAll();
    return running;
  };
}
