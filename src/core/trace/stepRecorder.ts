/**
 * Groups the accesses and FMAs of a block into steps. The interpreter may run a thread through
 * several statements before it runs the next thread. A step therefore collects the executions of a
 * statement by their number in each thread, between two barriers. Consecutive executions form one
 * step, such as the FMAs of a thread tile for one k.
 */
import type { Site, Statement } from '../kernel/ir/ir';
import type { Access, Thread } from '../simulate/memory';
import type { BlockTrace, Products, Step, StepAccesses } from './blockTrace';
import { createTally, type RequestBytes, type Tally } from './requestTally';
import { wholeTag } from './tags';

interface OpenAccesses {
  readonly site: Site;
  readonly space: Access['space'];
  readonly op: StepAccesses['op'];
  readonly threads: number[];
  readonly indices: number[];
  readonly tags: number[];
  readonly tally: Tally;
}

interface OpenProducts {
  count: number;
  /** Number of FMAs by accumulator tag. */
  readonly accumulators: Map<number, number>;
  readonly elements: Set<number>;
}

interface OpenStep {
  readonly statement: Statement;
  readonly interval: number;
  readonly accesses: OpenAccesses[];
  readonly products: OpenProducts;
  readonly arrivals: { indices: number[]; tags: number[] };
  finding: string | null;
}

export interface StepRecorder {
  /** Starts the execution of a statement by a thread; the following events belong to it. */
  readonly executing: (statement: Statement, thread: Thread) => void;
  readonly accessed: (access: Access, op: StepAccesses['op'], tag: number) => void;
  readonly multiplied: (accumulator: number, left: number, right: number) => void;
  /** Attributes the FMAs of a temporary accumulator since its last promotion to an accumulator. */
  readonly promoted: (accumulator: number, temporary: number) => void;
  readonly arrived: (index: number, tag: number) => void;
  readonly found: (message: string) => void;
  /** Ends an interval between barriers. */
  readonly barrier: () => void;
  /** Number of FMAs so far. */
  readonly numFmas: () => number;
  /** Returns the trace; `storedAt` has the stored element by accumulator tag. */
  readonly finish: (
    storedAt: ReadonlyMap<number, number>,
  ) => Pick<BlockTrace, 'steps' | 'accumulators' | 'storedAt'>;
}

const MATRIX_TRANSFERS: readonly Statement['op'][] = ['loadMatrix', 'storeMatrix'];

export interface RecorderOptions {
  readonly numThreads: number;
  readonly bytesOf: RequestBytes;
  /** Returns the maximum number of consecutive executions per thread that form one step. */
  readonly mostPerStep: (statement: Statement) => number;
  /** True if the kernel adds temporary accumulators to others. */
  readonly promotes: boolean;
}

export function createRecorder({
  numThreads,
  bytesOf,
  mostPerStep,
  promotes,
}: RecorderOptions): StepRecorder {
  const steps: OpenStep[] = [];
  let interval = 0;
  let executions = new Map<
    Statement,
    { readonly counts: Int32Array; readonly steps: OpenStep[] }
  >();
  let current: { readonly step: OpenStep; readonly execution: number } | null = null;

  const open = (statement: Statement, execution: number): OpenStep => {
    const last = steps.at(-1);
    const isFull = execution % mostPerStep(statement) === 0;
    if (last?.statement === statement && last.interval === interval && !isFull) return last;
    const step: OpenStep = {
      statement,
      interval,
      accesses: [],
      products: { count: 0, accumulators: new Map(), elements: new Set() },
      arrivals: { indices: [], tags: [] },
      finding: null,
    };
    steps.push(step);
    return step;
  };
  let numFmas = 0;
  // An MMA executes all FMAs of an accumulator before those of the next one.
  let chain: { accumulator: number; products: OpenProducts; length: number } | null = null;
  /** Steps that updated each accumulator since its last promotion. */
  const updates = new Map<number, OpenProducts[]>();
  const endChain = (): void => {
    if (chain === null) return;
    const { accumulator, products, length } = chain;
    products.count += length;
    addTo(products.accumulators, accumulator, length);
    if (promotes) {
      const known = updates.get(accumulator);
      if (known === undefined) updates.set(accumulator, [products]);
      else if (known.at(-1) !== products) known.push(products);
    }
    chain = null;
  };
  const now = () => {
    if (current === null) throw new Error('No statement is being executed.');
    return current;
  };

  return {
    executing: (statement, thread) => {
      const known = executions.get(statement) ?? {
        counts: new Int32Array(numThreads),
        steps: [],
      };
      executions.set(statement, known);
      const execution = known.counts[thread.index] ?? 0;
      known.counts[thread.index] = execution + 1;
      const step = (known.steps[execution] ??= open(statement, execution));
      current = { step, execution };
    },
    accessed: (access, op, tag) => {
      const { step, execution } = now();
      const { site, space, thread, index } = access;
      let accesses = step.accesses.find(
        known => known.site === site && known.space === space && known.op === op,
      );
      if (accesses === undefined) {
        const tally = createTally({ space, op }, bytesOf(access));
        accesses = { site, space, op, threads: [], indices: [], tags: [], tally };
        step.accesses.push(accesses);
      }
      accesses.threads.push(thread.index);
      accesses.indices.push(index);
      accesses.tags.push(tag);
      // The driver chooses which lane accesses which element of a subgroup matrix.
      if (!MATRIX_TRANSFERS.includes(step.statement.op)) accesses.tally.add(access, execution);
    },
    multiplied: (accumulator, left, right) => {
      numFmas++;
      const { products } = now().step;
      if (chain?.accumulator !== accumulator || chain.products !== products) {
        endChain();
        chain = { accumulator, products, length: 0 };
      }
      chain.length++;
      products.elements.add(wholeTag(left));
      products.elements.add(wholeTag(right));
    },
    promoted: (accumulator, temporary) => {
      endChain();
      for (const { accumulators } of updates.get(temporary) ?? []) {
        addTo(accumulators, accumulator, accumulators.get(temporary) ?? 0);
        accumulators.delete(temporary);
      }
      updates.delete(temporary);
    },
    arrived: (index, tag) => {
      const { arrivals } = now().step;
      arrivals.indices.push(index);
      arrivals.tags.push(tag);
    },
    found: message => {
      now().step.finding ??= message;
    },
    barrier: () => {
      interval++;
      executions = new Map();
    },
    numFmas: () => numFmas,
    finish: storedAt => {
      endChain();
      const tags = new Set(storedAt.keys());
      for (const { products } of steps)
        for (const tag of products.accumulators.keys()) tags.add(tag);
      const accumulators = Float64Array.from(tags).sort();
      const positions = new Map([...accumulators].map((tag, position) => [tag, position]));
      return {
        steps: steps.map(step => closed(step, positions)),
        accumulators,
        storedAt: accumulators.map(tag => storedAt.get(tag) ?? NaN),
      };
    },
  };
}

function addTo(counts: Map<number, number>, tag: number, count: number): void {
  counts.set(tag, (counts.get(tag) ?? 0) + count);
}

const closed = (
  { accesses, products, arrivals, ...step }: OpenStep,
  positions: ReadonlyMap<number, number>,
): Step => ({
  ...step,
  accesses: accesses.map(({ tally, threads, indices, tags, ...access }) => ({
    ...access,
    threads: Int32Array.from(threads),
    indices: Float64Array.from(indices),
    tags: Float64Array.from(tags),
    ...tally.total(),
  })),
  products: closedProducts(products, positions),
  arrivals: {
    indices: Float64Array.from(arrivals.indices),
    tags: Float64Array.from(arrivals.tags),
  },
});

const closedProducts = (
  { count, accumulators, elements }: OpenProducts,
  positions: ReadonlyMap<number, number>,
): Products => ({
  count,
  accumulators: Int32Array.from(accumulators.keys(), tag => positions.get(tag) ?? 0),
  counts: Int32Array.from(accumulators.values()),
  elements: Float64Array.from(elements),
});
