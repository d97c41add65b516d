/**
 * Steps of the shared-memory ring buffer of `wgmma`: one producer fills the stages by TMA, and the
 * consumers release them. The mbarriers follow the PTX ISA ("mbarrier"): a phase completes when all
 * arrivals and bytes have arrived, and a wait for a parity passes once the phase with that parity
 * has completed.
 */

export interface RingOptions {
  readonly stages: number;
  /** Number of k-iterations. */
  readonly iterations: number;
  /** Bytes per stage. */
  readonly bytes: number;
  /** Arrivals that complete a phase of an `empty` mbarrier. */
  readonly releases: number;
}

export interface Mbarrier {
  /** Parity of the current phase, which has not completed. */
  readonly parity: 0 | 1;
  readonly pendingArrivals: number;
  readonly pendingBytes: number;
}

export interface RingStage {
  readonly status: 'free' | 'loading' | 'full' | 'in use';
  /** k-iteration of the tiles in the stage; null before the first load. */
  readonly iteration: number | null;
  readonly full: Mbarrier;
  readonly empty: Mbarrier;
}

export type RingAction =
  /** The producer has waited for an `empty` mbarrier. */
  | 'waitEmpty'
  /** The producer arrives, expects the bytes of a stage, and issues its TMA loads. */
  | 'load'
  /** The bytes of a stage have arrived. */
  | 'arrive'
  /** The consumers have waited for a `full` mbarrier. */
  | 'waitFull'
  /** The consumers issue the wgmma instructions of a k-iteration. */
  | 'multiply'
  /** The consumers have waited for the previous wgmma group and release its stage. */
  | 'release';

export interface RingStep {
  readonly action: RingAction;
  readonly stage: number;
  readonly iteration: number;
  /** Parity that a wait tests; null for other actions. */
  readonly parity: 0 | 1 | null;
  /** State after the step. */
  readonly stages: readonly RingStage[];
}

const parityOf = (round: number): 0 | 1 => (round % 2 === 0 ? 0 : 1);

const other = (parity: 0 | 1): 0 | 1 => (parity === 0 ? 1 : 0);

/** Tests whether a wait for `parity` passes. */
export const passes = (barrier: Mbarrier, parity: 0 | 1): boolean => barrier.parity !== parity;

/** Starts the next phase if no arrival and no byte is pending. */
const completed = (barrier: Mbarrier, arrivals: number): Mbarrier =>
  barrier.pendingArrivals === 0 && barrier.pendingBytes === 0
    ? { parity: other(barrier.parity), pendingArrivals: arrivals, pendingBytes: 0 }
    : barrier;

/**
 * Returns the steps of one tile of C. The producer loads into every free stage before a consumer
 * proceeds. Loads complete in order, when no consumer can proceed.
 *
 * @throws if the ring has one stage, because the consumers release a stage one k-iteration later
 */
export function ringSteps(options: RingOptions): readonly RingStep[] {
  const { stages: numStages, iterations, bytes, releases } = options;
  if (numStages < 2) throw new Error('A ring buffer requires at least two stages.');
  const steps: RingStep[] = [];
  let stages: readonly RingStage[] = Array.from({ length: numStages }, () => ({
    status: 'free',
    iteration: null,
    full: { parity: 0, pendingArrivals: 1, pendingBytes: 0 },
    empty: { parity: 0, pendingArrivals: releases, pendingBytes: 0 },
  }));
  const at = (iteration: number): RingStage => {
    const stage = stages[iteration % numStages];
    if (stage === undefined) throw new Error('A ring has at least one stage.');
    return stage;
  };
  const record = (
    action: RingAction,
    iteration: number,
    change: Partial<RingStage>,
    parity: 0 | 1 | null = null,
  ): void => {
    const stage = iteration % numStages;
    stages = stages.map((known, i) => (i === stage ? { ...known, ...change } : known));
    steps.push({ action, stage, iteration, parity, stages });
  };
  const release = (iteration: number): void => {
    const empty = { ...at(iteration).empty, pendingArrivals: 0 };
    record('release', iteration, { status: 'free', empty: completed(empty, releases) });
  };
  const roundOf = (iteration: number): number => Math.floor(iteration / numStages);

  let [issued, arrived, consumed] = [0, 0, 0];
  while (consumed < iterations) {
    const parity = parityOf(roundOf(issued) + 1);
    if (issued < iterations && passes(at(issued).empty, parity)) {
      record('waitEmpty', issued, {}, parity);
      const full = { ...at(issued).full, pendingArrivals: 0, pendingBytes: bytes };
      record('load', issued, { status: 'loading', iteration: issued, full });
      issued++;
    } else if (consumed < arrived) {
      record('waitFull', consumed, {}, parityOf(roundOf(consumed)));
      record('multiply', consumed, { status: 'in use' });
      if (consumed > 0) release(consumed - 1);
      consumed++;
    } else {
      const full = completed({ ...at(arrived).full, pendingBytes: 0 }, 1);
      record('arrive', arrived, { status: 'full', full });
      arrived++;
    }
  }
  release(iterations - 1);
  return steps;
}
