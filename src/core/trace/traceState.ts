/** State of a traced block after a number of steps, derived from its steps alone. */
import type { BlockTrace, Step } from './blockTrace';

export interface TraceState {
  /** Tag in each element of the shared arrays; NaN if uninitialized. */
  readonly shared: Float64Array;
  /** 1 for each shared element with an asynchronous copy in flight. */
  readonly inFlight: Uint8Array;
  /** Number of FMAs that each accumulator has executed. */
  readonly products: Map<number, number>;
  /** Elements of C that have been stored. */
  readonly stored: Set<number>;
  readonly counters: StepCounters;
}

/** Totals since the start of the block. */
export interface StepCounters {
  readonly fmas: number;
  readonly sectors: number;
  readonly wavefronts: number;
}

const NO_COUNTS: StepCounters = { fmas: 0, sectors: 0, wavefronts: 0 };

/** Returns the state after the first `count` steps. */
export function stateAfter(trace: BlockTrace, count: number): TraceState {
  const size = trace.arrays.reduce(
    (sum, { stages, outer, inner }) => sum + stages * outer * inner,
    0,
  );
  let state: TraceState = {
    shared: new Float64Array(size).fill(NaN),
    inFlight: new Uint8Array(size),
    products: new Map(),
    stored: new Set(),
    counters: NO_COUNTS,
  };
  for (const step of trace.steps.slice(0, count)) state = advance(state, step);
  return state;
}

/** Applies a step. Changes the buffers of the state in place. */
function advance(state: TraceState, { accesses, products, arrivals }: Step): TraceState {
  const { shared, inFlight, stored } = state;
  arrivals.indices.forEach((index, i) => {
    shared[index] = arrivals.tags[i] ?? NaN;
    inFlight[index] = 0;
  });
  for (const { space, op, indices, tags } of accesses) {
    if (op === 'load') continue;
    indices.forEach((index, i) => {
      if (space === 'global') stored.add(index);
      else if (op === 'copy') inFlight[index] = 1;
      else shared[index] = tags[i] ?? NaN;
    });
  }
  for (const [tag, count] of products.accumulators)
    state.products.set(tag, (state.products.get(tag) ?? 0) + count);
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
