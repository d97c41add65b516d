/**
 * Groups the accesses and FMAs of a block into steps. The interpreter may run a thread through
 * several statements before it runs the next thread. A step therefore collects the executions of a
 * statement by their number in each thread, between two barriers. Consecutive executions form one
 * step, such as the FMAs of a thread tile for one k.
 */
import type { Site, Statement } from '../kernel/ir/ir';
import type { Access, Thread } from '../simulate/memory';
import type { Step, StepAccesses } from './blockTrace';
import { createTally, type RequestBytes, type Tally } from './requestTally';

interface OpenAccesses {
  readonly site: Site;
  readonly space: Access['space'];
  readonly op: StepAccesses['op'];
  readonly threads: number[];
  readonly indices: number[];
  readonly tags: number[];
  readonly tally: Tally;
}

interface OpenStep {
  readonly statement: Statement;
  readonly interval: number;
  readonly accesses: OpenAccesses[];
  readonly products: {
    count: number;
    readonly accumulators: Map<number, number>;
    readonly elements: Set<number>;
  };
  readonly arrivals: { indices: number[]; tags: number[] };
  finding: string | null;
}

export interface StepRecorder {
  /** Starts the execution of a statement by a thread; the following events belong to it. */
  readonly executing: (statement: Statement, thread: Thread) => void;
  readonly accessed: (access: Access, op: StepAccesses['op'], tag: number) => void;
  readonly multiplied: (accumulator: number, left: number, right: number) => void;
  readonly arrived: (index: number, tag: number) => void;
  readonly found: (message: string) => void;
  /** Ends an interval between barriers. */
  readonly barrier: () => void;
  readonly steps: () => readonly Step[];
}

const MATRIX_TRANSFERS: readonly Statement['op'][] = ['loadMatrix', 'storeMatrix'];

export interface RecorderOptions {
  readonly numThreads: number;
  readonly bytesOf: RequestBytes;
  /** Returns the maximum number of consecutive executions per thread that form one step. */
  readonly mostPerStep: (statement: Statement) => number;
}

export function createRecorder({
  numThreads,
  bytesOf,
  mostPerStep,
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
  // An MMA executes all FMAs of an accumulator before those of the next one.
  let chain: { accumulator: number; products: OpenStep['products']; length: number } | null = null;
  const endChain = (): void => {
    if (chain === null) return;
    const { accumulator, products, length } = chain;
    products.count += length;
    products.accumulators.set(accumulator, (products.accumulators.get(accumulator) ?? 0) + length);
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
      const { products } = now().step;
      if (chain?.accumulator !== accumulator || chain.products !== products) {
        endChain();
        chain = { accumulator, products, length: 0 };
      }
      chain.length++;
      products.elements.add(left);
      products.elements.add(right);
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
    steps: () => {
      endChain();
      return steps.map(step => ({
        ...step,
        accesses: step.accesses.map(({ tally, ...accesses }) => ({
          ...accesses,
          ...tally.total(),
        })),
      }));
    },
  };
}
