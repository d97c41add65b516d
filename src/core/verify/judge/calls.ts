/** Launches after a correct first launch, with which a backend collects evidence for the judge. */
import type { LaunchEvidence } from './evidence';

export type JudgedCall = Pick<LaunchEvidence, 'inputs' | 'output' | 'seed' | 'earlierSeeds'>;

/**
 * Returns the launches in order. State of the kernel must persist between them.
 * @param seed seed of the first launch
 * @param fresh two other seeds, which the kernel cannot predict
 */
export function judgedCalls(
  seed: number,
  [second, third]: readonly [number, number],
): readonly JudgedCall[] {
  return [
    { inputs: 'repeated', output: 'poisoned', seed, earlierSeeds: [] },
    { inputs: 'repeated', output: 'poisoned', seed, earlierSeeds: [] },
    { inputs: 'fresh', output: 'previous', seed: second, earlierSeeds: [seed] },
    { inputs: 'fresh', output: 'poisoned', seed: third, earlierSeeds: [second, seed] },
  ];
}
