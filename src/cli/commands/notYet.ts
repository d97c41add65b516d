/** Commands of the contract that this version does not have yet. */
import type { Command } from '../command';
import { lacking } from '../result';

const notYet = (name: string, description: string): Command => ({
  meta: { name, description: `${description} (not in this version)` },
  args: {},
  run: () => Promise.reject(lacking(`${name} is not in this version of GEMM Explorer.`)),
});

export const tuneCommand = notYet('tune', 'Search schedules');
