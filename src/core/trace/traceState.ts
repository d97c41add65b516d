/** State of a traced block after a number of steps, derived from its steps alone. */
import type { BlockTrace, Step } from './blockTrace';

export interface TraceState {
  /** Tag in each element of the shared arrays; NaN if uninitialized. */
  readonly shared: Float64Array;
  /** 1 for each shared element with an asynchronous copy in flight. */
  readonly inFlight: Uint8Array;
  /** Number of executed FMAs by position in `BlockTrace.accumulators`. */
  readonly products: Int32Array;
  /** 1 for each accumulator that has been stored. */
  readonly stored: Uint8Array;
  readonly counters: StepCounters;
}

/** Totals since the start of the block. */
export interface StepCounters {
  readonly fmas: number;
  readonly sectors: number;
  readonly wavefronts: number;
}

export interface Replay {
  /** Returns the state after the first `count` steps. */
  readonly stateAfter: (count: number) => TraceState;
}

/** Minimum number of steps between two checkpoints. */
const MIN_INTERVAL = 8;
/** Maximum number of checkpoints, which bounds their memory. */
const MAX_CHECKPOINTS = 64;

/** Creates a replay that keeps checkpoints, so that it can move to any step in a short time. */
export function createReplay(trace: BlockTrace): Replay {
  const { steps } = trace;
  const interval = Math.max(MIN_INTERVAL, Math.ceil(steps.length / MAX_CHECKPOINTS));
  const positions = new Map([...trace.accumulators].map((tag, position) => [tag, position]));
  /** States after each multiple of `interval` steps, added when the replay first passes them. */
  const checkpoints: TraceState[] = [initialState(trace)];
  const from = (checkpoint: number, count: number): TraceState => {
    const state = checkpoints[checkpoint];
    if (state === undefined) throw new Error(`There is no checkpoint ${checkpoint}.`);
    return steps
      .slice(checkpoint * interval, count)
      .reduce((known, step) => advance(known, step, positions), copyOf(state));
  };
  return {
    stateAfter: count => {
      const wanted = Math.floor(count / interval);
      while (checkpoints.length <= wanted)
        checkpoints.push(from(checkpoints.length - 1, checkpoints.length * interval));
      return from(wanted, count);
    },
  };
}

function initialState({ arrays, accumulators }: BlockTrace): TraceState {
  const size = arrays.reduce((sum, { stages, outer, inner }) => sum + stages * outer * inner, 0);
  return {
    shared: new Float64Array(size).fill(NaN),
    inFlight: new Uint8Array(size),
    products: new Int32Array(accumulators.length),
    stored: new Uint8Array(accumulators.length),
    counters: { fmas: 0, sectors: 0, wavefronts: 0 },
  };
}

const copyOf = ({ shared, inFlight, products, stored, counters }: TraceState): TraceState => ({
  shared: shared.slice(),
  inFlight: inFlight.slice(),
  products: products.slice(),
  stored: stored.slice(),
  counters,
});

/** Applies a step. Changes the buffers of the state in place. */
function advance(
  state: TraceState,
  { accesses, products, arrivals }: Step,
  positions: ReadonlyMap<number, number>,
): TraceState {
  const { shared, inFlight, stored } = state;
  arrivals.indices.forEach((index, i) => {
    shared[index] = arrivals.tags[i] ?? NaN;
    inFlight[index] = 0;
  });
  for (const { space, op, indices, tags } of accesses) {
    if (op === 'load') continue;
    indices.forEach((index, i) => {
      const tag = tags[i] ?? NaN;
      if (space === 'global') stored[positions.get(tag) ?? -1] = 1;
      else if (op === 'copy') inFlight[index] = 1;
      else shared[index] = tag;
    });
  }
  products.accumulators.forEach((position, i) => {
    state.products[position] = (state.products[position] ?? 0) + (products.counts[i] ?? 0);
  });
  const costIn = (space: 'global' | 'shared'): number =>
    accesses.reduce((sum, of) => sum + (of.space === space ? of.cost : 0), 0);
  return {
    ...state,
    counters: {
      fmas: state.counters.fmas + products.count,
      sectors: state.counters.sectors + costIn('global'),
      wavefronts: state.counters.wavefronts + costIn('shared'),
    },
  };
}
