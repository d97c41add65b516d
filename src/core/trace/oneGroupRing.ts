/**
 * Steps of the shared-memory ring buffer of a kernel without warp specialization: thread 0 of the
 * only warp group issues the TMA loads, and a barrier of the block releases a stage.
 */
import {
  completed,
  parityOf,
  passes,
  type BlockedWait,
  type LoadedStage,
  type RingOptions,
  type RingStep,
} from './ring';

/**
 * Mistakes in the main loop:
 *
 * - `no-refill`: thread 0 loads only the first stages
 * - `early-refill`: thread 0 refills the stage of the current k-iteration while it is read: with
 *   `wgmma`, instead of the stage of the previous k-iteration; with `mma`, before the barrier
 * - `parity`: the threads wait for the parity `phase ^ 1` instead of `phase`
 */
export const ONE_GROUP_MISTAKES = ['no-refill', 'early-refill', 'parity'] as const;
export type OneGroupMistake = (typeof ONE_GROUP_MISTAKES)[number];

export type OneGroupEnd =
  | { readonly kind: 'complete' }
  /** The threads wait for bytes that no load brings. */
  | { readonly kind: 'deadlock'; readonly wait: BlockedWait }
  /** The threads read a stage before its bytes have arrived. */
  | { readonly kind: 'early-read'; readonly stage: number; readonly iteration: number }
  /** A load overwrites a stage that the instructions of the k-iteration read. */
  | { readonly kind: 'overwrite'; readonly stage: number; readonly iteration: number };

export interface OneGroupRun {
  readonly steps: readonly RingStep<LoadedStage>[];
  readonly end: OneGroupEnd;
}

export interface OneGroupOptions extends Omit<RingOptions, 'releases'> {
  /** Number of k-iterations whose instructions still read shared memory after the barrier. */
  readonly inFlight: 0 | 1;
}

/**
 * Runs the ring for one tile of C, up to its end or up to the effect of a mistake. Loads complete
 * in order, when the threads cannot proceed.
 */
export function runOneGroupRing(
  { stages: numStages, iterations, bytes, inFlight }: OneGroupOptions,
  mistake: OneGroupMistake | null,
): OneGroupRun {
  const steps: RingStep<LoadedStage>[] = [];
  let stages: readonly LoadedStage[] = Array.from({ length: numStages }, () => ({
    status: 'free',
    iteration: null,
    full: { parity: 0, pendingArrivals: 1, pendingBytes: 0 },
  }));
  const at = (iteration: number): LoadedStage => {
    const stage = stages[iteration % numStages];
    if (stage === undefined) throw new Error('A ring has at least one stage.');
    return stage;
  };
  const record = (
    action: RingStep['action'],
    iteration: number,
    change: Partial<LoadedStage>,
    parity: 0 | 1 | null = null,
  ): void => {
    const stage = iteration % numStages;
    stages = stages.map((known, i) => (i === stage ? { ...known, ...change } : known));
    steps.push({ action, stage, iteration, parity, stages });
  };
  const load = (iteration: number): void => {
    const full = { ...at(iteration).full, pendingArrivals: 0, pendingBytes: bytes };
    record('load', iteration, { status: 'loading', iteration, full });
  };
  const ended = (end: OneGroupEnd): OneGroupRun => ({ steps, end });
  let [loaded, arrived] = [Math.min(numStages, iterations), 0];
  for (let i = 0; i < loaded; i++) load(i);
  for (let iteration = 0; iteration < iterations; iteration++) {
    const stage = iteration % numStages;
    const pass = Math.floor(iteration / numStages);
    const parity = parityOf(pass + (mistake === 'parity' ? 1 : 0));
    while (!passes(at(iteration).full, parity)) {
      if (arrived === loaded) {
        return ended({ kind: 'deadlock', wait: { barrier: 'full', stage, iteration, parity } });
      }
      const full = completed({ ...at(arrived).full, pendingBytes: 0 }, 1);
      record('arrive', arrived, { status: 'full', full });
      arrived++;
    }
    record('waitFull', iteration, {}, parity);
    if (at(iteration).status !== 'full') return ended({ kind: 'early-read', stage, iteration });
    record('multiply', iteration, { status: 'in use' });
    const released = iteration - inFlight;
    const refilled = mistake === 'early-refill' ? iteration : released;
    const isRefilled = mistake !== 'no-refill' && refilled >= 0 && loaded < iterations;
    const isBeforeBarrier = isRefilled && refilled === released && mistake === 'early-refill';
    if (released >= 0 && !isBeforeBarrier) record('release', released, { status: 'free' });
    if (!isRefilled) continue;
    const isRead = at(refilled).status === 'in use';
    load(loaded++);
    if (isRead) return ended({ kind: 'overwrite', stage, iteration });
  }
  if (inFlight === 1) record('release', iterations - 1, { status: 'free' });
  return ended({ kind: 'complete' });
}
