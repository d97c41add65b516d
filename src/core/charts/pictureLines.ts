/** Lines below the title of a saved picture. */
import { scheduleName, specKey } from '../plan/specKey';
import { problemName } from '../spec/problemName';
import type { ResolvedSpec } from '../spec/resolved';

/** Returns the problem with the schedule, and the machine. */
export const pictureLines = (spec: ResolvedSpec, machine: string): readonly string[] => [
  `${problemName(spec.problem)}, ${scheduleName(specKey(spec))}`,
  machine,
];
