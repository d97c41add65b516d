/** Connects cancellation in the core to child processes. */
import type { Abort } from '../core/measure/backend';

/** Calls `use` with an AbortSignal that follows the core's Abort. */
export async function withSignal<T>(
  abort: Abort,
  use: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const cancel = (): void => {
    controller.abort();
  };
  if (abort.aborted) cancel();
  abort.addEventListener('abort', cancel);
  try {
    return await use(controller.signal);
  } finally {
    abort.removeEventListener('abort', cancel);
  }
}
