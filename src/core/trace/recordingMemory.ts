/** Memory of the interpreter that reports accesses to global memory and holds no matrix values. */
import type { Access, Memory } from '../simulate/memory';

/**
 * Creates the memory. Loads return 0, because neither addresses nor control flow depend on values.
 */
export function recordingMemory(report: (access: Access) => void): Memory {
  const ignore = (): void => undefined;
  const noted = (access: Access): void => {
    if (access.space === 'global') report(access);
  };
  return {
    load: access => {
      noted(access);
      return 0;
    },
    store: noted,
    storeLater: ignore,
    commit: ignore,
    wait: ignore,
    barrier: ignore,
    misaligned: ignore,
    diverged: ignore,
  };
}
