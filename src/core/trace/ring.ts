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

export interface LoadedStage {
  readonly status: 'free' | 'loading' | 'full' | 'in use';
  /** k-iteration of the tiles in the stage; null before the first load. */
  readonly iteration: number | null;
  readonly full: Mbarrier;
}

export interface RingStage extends LoadedStage {
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

export interface RingStep<Stage extends LoadedStage = RingStage> {
  readonly action: RingAction;
  readonly stage: number;
  readonly iteration: number;
  /** Parity that a wait tests; null for other actions. */
  readonly parity: 0 | 1 | null;
  /** State after the step. */
  readonly stages: readonly Stage[];
}

export const parityOf = (round: number): 0 | 1 => (round % 2 === 0 ? 0 : 1);

const other = (parity: 0 | 1): 0 | 1 => (parity === 0 ? 1 : 0);

/** Tests whether a wait for `parity` passes. */
export const passes = (barrier: Mbarrier, parity: 0 | 1): boolean => barrier.parity !== parity;

/** Starts the next phase if no arrival and no byte is pending. */
export const completed = (barrier: Mbarrier, arrivals: number): Mbarrier =>
  barrier.pendingArrivals === 0 && barrier.pendingBytes === 0
    ? { parity: other(barrier.parity), pendingArrivals: arrivals, pendingBytes: 0 }
    : barrier;

/**
 * Mistakes in the use of the mbarriers:
 *
 * - `no-release`: the consumers never arrive at `empty`
 * - `producer-parity`: the producer waits for the parity `phase` instead of `phase ^ 1`
 * - `consumer-parity`: the consumers wait for the parity `phase ^ 1` instead of `phase`
 */
export const RING_MISTAKES = ['no-release', 'producer-parity', 'consumer-parity'] as const;
export type RingMistake = (typeof RING_MISTAKES)[number];

/** A wait that never passes. */
export interface BlockedWait {
  readonly barrier: 'full' | 'empty';
  readonly stage: number;
  readonly iteration: number;
  readonly parity: 0 | 1;
}

export type RingEnd =
  | { readonly kind: 'complete' }
  /** No wait can pass; null for a thread that has no k-iteration left. */
  | {
      readonly kind: 'deadlock';
      readonly producer: BlockedWait | null;
      readonly consumer: BlockedWait;
    }
  /** The consumers read a stage before its bytes have arrived. */
  | { readonly kind: 'early-read'; readonly stage: number; readonly iteration: number };

export interface RingRun {
  readonly steps: readonly RingStep[];
  readonly end: RingEnd;
}

/**
 * Returns the steps of one tile of C without mistakes.
 *
 * @throws if the ring has one stage, because the consumers release a stage one k-iteration later
 */
export function ringSteps(options: RingOptions): readonly RingStep[] {
  if (options.stages < 2) throw new Error('A ring buffer requires at least two stages.');
  return runRing(options, null).steps;
}

/**
 * Runs the ring for one tile of C, up to its end or up to the effect of a mistake. The producer
 * loads into every free stage before a consumer proceeds. Loads complete in order, when no consumer
 * can proceed.
 */
export function runRing(options: RingOptions, mistake: RingMistake | null): RingRun {
  const { stages: numStages, iterations, bytes, releases } = options;
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

  const producerParity = (iteration: number): 0 | 1 =>
    parityOf(roundOf(iteration) + (mistake === 'producer-parity' ? 0 : 1));
  const consumerParity = (iteration: number): 0 | 1 =>
    parityOf(roundOf(iteration) + (mistake === 'consumer-parity' ? 1 : 0));

  let [issued, arrived, consumed] = [0, 0, 0];
  while (consumed < iterations) {
    const parity = producerParity(issued);
    const consumedParity = consumerParity(consumed);
    if (issued < iterations && passes(at(issued).empty, parity)) {
      record('waitEmpty', issued, {}, parity);
      const full = { ...at(issued).full, pendingArrivals: 0, pendingBytes: bytes };
      record('load', issued, { status: 'loading', iteration: issued, full });
      issued++;
    } else if (passes(at(consumed).full, consumedParity)) {
      record('waitFull', consumed, {}, consumedParity);
      if (at(consumed).status !== 'full') {
        const stage = consumed % numStages;
        return { steps, end: { kind: 'early-read', stage, iteration: consumed } };
      }
      record('multiply', consumed, { status: 'in use' });
      if (consumed > 0 && mistake !== 'no-release') release(consumed - 1);
      consumed++;
    } else if (arrived < issued) {
      const full = completed({ ...at(arrived).full, pendingBytes: 0 }, 1);
      record('arrive', arrived, { status: 'full', full });
      arrived++;
    } else {
      const wait = (barrier: 'full' | 'empty', iteration: number, of: 0 | 1): BlockedWait => ({
        barrier,
        stage: iteration % numStages,
        iteration,
        parity: of,
      });
      return {
        steps,
        end: {
          kind: 'deadlock',
          producer: issued < iterations ? wait('empty', issued, parity) : null,
          consumer: wait('full', consumed, consumedParity),
        },
      };
    }
  }
  if (mistake !== 'no-release') release(iterations - 1);
  return { steps, end: { kind: 'complete' } };
}
