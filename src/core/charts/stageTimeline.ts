/**
 * Computes the timeline of a block whose warps all copy and multiply. Follows the waits and
 * barriers of kernel/lower/pipeline.ts, kernel/lower/mma/fragmentLoop.ts and
 * kernel/lower/overlapped.ts. Assumes that the warps run in lockstep and that one block is resident
 * per SM.
 */
import type { Pipeline } from '../plan/steps';

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface StageTimes {
  readonly multiply: number;
  readonly fragments: number;
  readonly barrier: number;
  /** Duration of storing a tile from registers to shared memory. */
  readonly deposit: number;
  /**
   * Time from issuing a tile's copy to its first byte (`latency`), and from the first byte to the
   * last (`load`). Null if unknown; then waits take no time.
   */
  readonly copy: { readonly latency: number; readonly load: number } | null;
}

export interface StageShape extends Pipeline {
  readonly copies: 'registers' | 'asynchronous';
  readonly steps: number;
  /** k-steps per k-iteration; each k-step has its own fragments. */
  readonly depths: number;
  /** Number of k-steps that issue copies for a later tile. Used only with fragment prefetch. */
  readonly copyDepths: number;
  /**
   * Whether the last k-iterations copy the last tile again, so that the copies need no condition.
   */
  readonly again: boolean;
}

export interface Copied {
  readonly stage: number;
  /** Time at which the first copy is issued. */
  readonly asked: number;
  /** Time at which the last copy has arrived in its stage, or in registers. */
  readonly arrived: number;
  readonly deposit: Span | null;
}

export interface StageStep extends Copied {
  readonly step: number;
  /** Interval in which the warps wait for the tile's copies. */
  readonly waited: Span;
  readonly barrier: Span;
  readonly fragments: readonly Span[];
  readonly products: readonly Span[];
  /** Time from which the stage may be refilled. */
  readonly free: number;
}

export interface StageTimeline {
  readonly steps: readonly StageStep[];
  /** Redundant copies past the last tile. */
  readonly again: readonly Copied[];
  /**
   * Barriers that do not precede reads: before a single stage is refilled, and past the last tile.
   */
  readonly barriers: readonly Span[];
  /** Time at which no copies are in flight and all FMAs or MMAs are complete. */
  readonly end: number;
}

export const stageTimeline = (shape: StageShape, times: StageTimes): StageTimeline =>
  shape.copies === 'registers'
    ? throughRegisters(shape, times)
    : shape.buffers === 2
      ? withFragmentsAhead(shape, times)
      : timelineWithoutPrefetch(shape, times);

type Growing = {
  -readonly [key in keyof StageStep]: StageStep[key] extends readonly Span[]
    ? Span[]
    : StageStep[key];
};

const NEVER: Span = { from: 0, to: 0 };

const blank = (shape: StageShape): Growing[] =>
  Array.from({ length: shape.steps }, (_, step) => ({
    step,
    stage: step % shape.stages,
    asked: 0,
    arrived: 0,
    deposit: null,
    waited: NEVER,
    barrier: NEVER,
    fragments: [],
    products: [],
    free: 0,
  }));

const after = (from: number, length: number): Span => ({ from, to: from + length });

/**
 * Returns a function that computes the arrival time of a tile from the issue times of its first and
 * last copies. Tiles arrive one after another.
 */
function transfers({ copy, multiply }: StageTimes): (asked: number, last?: number) => number {
  let free = 0;
  return (asked, last = asked) => {
    // Without copy times, assume the duration of the FMAs or MMAs; the order of events does not
    // depend on it.
    if (copy === null) return last + multiply;
    free = Math.max(Math.max(asked + copy.latency, free) + copy.load, last + copy.latency);
    return free;
  };
}

/**
 * Returns the tile's arrival time and the intervals in which the warps wait for it and then
 * synchronize. Without copy times, the wait takes no time.
 */
function waitAndSync(
  tile: Pick<Copied, 'arrived'>,
  { now, read = now }: { readonly now: number; readonly read?: number },
  { copy, barrier }: StageTimes,
): Pick<StageStep, 'arrived' | 'waited' | 'barrier'> {
  const arrived = copy === null ? Math.max(now, tile.arrived) : tile.arrived;
  const waited = { from: now, to: Math.max(now, arrived) };
  return { arrived, waited, barrier: after(Math.max(waited.to, read), barrier) };
}

function multiplied(tile: Growing, from: number, shape: StageShape, times: StageTimes): number {
  let now = from;
  for (let depth = 0; depth < shape.depths; depth++) {
    const fragments = after(now, times.fragments);
    const products = after(fragments.to, times.multiply);
    tile.fragments.push(fragments);
    tile.products.push(products);
    now = products.to;
  }
  return now;
}

/**
 * Builds the timeline without fragment prefetch. Copies for a later tile are issued after the
 * barrier that ends the reads of its stage.
 */
function timelineWithoutPrefetch(shape: StageShape, times: StageTimes): StageTimeline {
  const steps = blank(shape);
  const arrival = transfers(times);
  const ask = (tile: Growing | undefined, now: number) => {
    if (tile !== undefined) Object.assign(tile, { asked: now, arrived: arrival(now) });
  };
  for (const tile of steps.slice(0, shape.stages - 1)) ask(tile, 0);
  let now = 0;
  for (const [step, tile] of steps.entries()) {
    Object.assign(tile, waitAndSync(tile, { now }, times));
    now = tile.barrier.to;
    const last = steps[step - 1];
    if (last !== undefined) last.free = now;
    ask(steps[step + shape.stages - 1], now);
    now = multiplied(tile, now, shape, times);
    tile.free = now;
  }
  return { steps, again: [], barriers: [], end: now };
}

/**
 * Builds the timeline with fragment prefetch. Each k-step loads the fragments of the next k-step,
 * even across tiles. The first `copyDepths` k-steps of a tile copy a later tile.
 */
function withFragmentsAhead(shape: StageShape, times: StageTimes): StageTimeline {
  const { stages, depths: kSteps, copyDepths: copyKSteps } = shape;
  const steps = blank(shape);
  const again: { -readonly [key in keyof Copied]: Copied[key] }[] = [];
  const arrival = transfers(times);
  const copied = (index: number, asked: number, last: number) => {
    const tile = steps[index];
    if (tile !== undefined) Object.assign(tile, { asked, arrived: arrival(asked, last) });
    else if (shape.again)
      again.push({
        stage: index % stages,
        asked,
        arrived: arrival(asked, last),
        deposit: null,
      });
  };
  for (let index = 0; index < stages - 1; index++) copied(index, 0, 0);
  const barriers: Span[] = [];
  // Shared memory serves the fragment loads one at a time.
  let loaded = 0;
  const load = (tile: Growing, from: number) => {
    const fragments = after(Math.max(from, loaded), times.fragments);
    tile.fragments.push(fragments);
    loaded = fragments.to;
  };
  const meet = (index: number, now: number): number => {
    const tile = steps[index];
    const past = again[index - steps.length];
    const synced = waitAndSync(tile ?? past ?? { arrived: now }, { now, read: loaded }, times);
    if (tile !== undefined) {
      Object.assign(tile, synced);
      load(tile, synced.barrier.to);
    } else {
      barriers.push(synced.barrier);
      if (past !== undefined) past.arrived = synced.arrived;
    }
    return synced.barrier.to;
  };
  let now = meet(0, 0);
  for (const [step, tile] of steps.entries()) {
    const asked = now;
    for (let depth = 0; depth < kSteps; depth++) {
      if (depth < kSteps - 1) load(tile, now);
      if (depth === Math.min(copyKSteps, kSteps - 1) - 1) copied(step + stages - 1, asked, now);
      if (depth === kSteps - 1) {
        now = meet(step + 1, now);
        tile.free = now;
      }
      const products = after(Math.max(now, tile.fragments[depth]?.to ?? now), times.multiply);
      tile.products.push(products);
      now = products.to;
    }
  }
  // The kernel waits for all copies in flight before the epilogue.
  for (const past of again.slice(1)) past.arrived = waitAndSync(past, { now }, times).arrived;
  const end = again.reduce((latest, { arrived }) => Math.max(latest, arrived), now);
  return { steps, again, barriers, end };
}

/**
 * Builds the timeline with prefetch in registers. The next tile is loaded during the FMAs or MMAs
 * of the current tile and then stored to its stage.
 */
function throughRegisters(shape: StageShape, times: StageTimes): StageTimeline {
  const { stages } = shape;
  const steps = blank(shape);
  const arrival = transfers(times);
  const barriers: Span[] = [];
  const deposited = (tile: Growing, from: number): number => {
    const synced = waitAndSync(tile, { now: from }, times);
    const deposit = after(synced.waited.to, times.deposit);
    const barrier = after(deposit.to, times.barrier);
    Object.assign(tile, { ...synced, deposit, barrier });
    return barrier.to;
  };
  let now = 0;
  for (const [step, tile] of steps.entries()) {
    if (step === 0) {
      tile.arrived = arrival(0);
      now = deposited(tile, 0);
    }
    const next = steps[step + 1];
    if (next !== undefined) Object.assign(next, { asked: now, arrived: arrival(now) });
    now = multiplied(tile, now, shape, times);
    tile.free = now;
    if (next === undefined) break;
    if (stages === 1) {
      const barrier = after(now, times.barrier);
      barriers.push(barrier);
      now = barrier.to;
      tile.free = now;
      now = deposited(next, now);
    } else {
      now = deposited(next, now);
      tile.free = now;
    }
  }
  return { steps, again: [], barriers, end: now };
}
