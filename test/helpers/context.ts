/** A run context that nobody cancels. */
import type { RunContext } from '../../src/core/measure/backend';

export const CONTEXT: RunContext = {
  abort: {
    aborted: false,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  },
  progress: () => undefined,
};
