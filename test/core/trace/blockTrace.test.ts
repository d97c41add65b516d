/** Steps of a block contain all data movement, and their counters are those of the analysis. */
import assert from 'node:assert/strict';
import { drawnKernels } from '../../../scripts/grid/draws';
import { FRAGMENT_SEEDS, GEMV_SEEDS, LATER_SEEDS, MATRIX_SEEDS } from '../../../scripts/grid/specs';
import { resolve } from '../../../src/core/defaults/resolve';
import { emit } from '../../../src/core/kernel/emit';
import { isLowered, type Kernel, type LoweredKernel } from '../../../src/core/kernel/kernel';
import { WARP_LANES } from '../../../src/core/hardware/warp';
import { warpAccesses } from '../../../src/core/memory/accesses';
import type { Dim3 } from '../../../src/core/plan/plan';
import { plan } from '../../../src/core/plan/planner';
import { arithmeticOf } from '../../../src/core/simulate/arithmetic';
import { blocksOf, execute } from '../../../src/core/simulate/execute';
import type { ResolvedProblem } from '../../../src/core/spec/resolved';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { toSpec } from '../../../src/core/spec/toSpec';
import { elementOf, termOf } from '../../../src/core/trace/tags';
import { traceBlock } from '../../../src/core/trace/traceBlock';
import type { StepAccesses } from '../../../src/core/trace/blockTrace';
import { createReplay } from '../../../src/core/trace/traceState';
import { roundTo } from '../../../src/core/types/rounding';
import { fillMatrix } from '../../../src/core/verify/inputs';
import { sampleOf } from '../../helpers/depth';

const NUM_SPECS = 300;
const KINDS = {
  'SIMT kernels in CUDA': { target: 'cuda', from: 0, kinds: 3, share: 0.4 },
  'SIMT kernels in WGSL': { target: 'wgsl', from: 0, kinds: 3, share: 0.3 },
  'register tiles': { target: 'cuda', from: LATER_SEEDS, kinds: 1, share: 0.1 },
  'subgroup matrices': { target: 'wgsl', from: MATRIX_SEEDS, kinds: 1, share: 0.1 },
  'mma fragments': { target: 'cuda', from: FRAGMENT_SEEDS, kinds: 1, share: 0.1 },
  'matrix-vector products': { target: 'cuda', from: GEMV_SEEDS, kinds: 1, share: 0.1 },
} as const;
const SEED = 5;

const matricesOf = ({ problem }: Kernel) => ({
  a: fillMatrix(problem, 'a', SEED),
  b: fillMatrix(problem, 'b', SEED),
  c: Float64Array.from(fillMatrix(problem, 'c', SEED)),
});

function kernelOf(spec: GemmSpec): LoweredKernel {
  const planned = plan(resolve(spec), 'cuda');
  assert.ok(planned.ok, JSON.stringify(planned));
  const kernel = emit(planned.plan);
  assert.ok(isLowered(kernel));
  return kernel;
}

/** Computes the elements of C that a block stores, from its trace alone. */
function replay(kernel: LoweredKernel, at: Dim3, c: Float64Array): void {
  const { problem } = kernel;
  const { a, b, c: before } = matricesOf(kernel);
  const { fma, mul, add } = arithmeticOf(problem.accumulator);
  const valueOf = (tag: number): number => {
    if (tag === 0) return 0;
    const element = elementOf(tag);
    assert.ok(element !== null, 'an operand is uninitialized or an accumulator');
    const { operand } = element;
    assert.ok(operand === 'a' || operand === 'b');
    const value = (operand === 'a' ? a : b)[element.index] ?? NaN;
    if (termOf(tag) > 0) return termAt(value, termOf(tag), kernel);
    // Loads of tf32 fragments round.
    return problem[operand].dtype === 'tf32' ? roundTo('tf32', value) : value;
  };
  const accumulated = new Map<number, number>();
  const trace = traceBlock(kernel, at, {
    onPromotion: (accumulator, temporary) => {
      const sum = add(accumulated.get(accumulator) ?? 0, accumulated.get(temporary) ?? 0);
      accumulated.set(accumulator, sum);
      // Lanes of gemv exchange partial results; the first lane, which stores them, adds first.
      if (kernel.plan.algorithm !== 'gemv') accumulated.delete(temporary);
    },
    onFma: (accumulator, left, right) => {
      accumulated.set(
        accumulator,
        fma(valueOf(left), valueOf(right), accumulated.get(accumulator) ?? 0),
      );
    },
  });
  assert.ok(trace.steps.every(({ finding }) => finding === null));
  const fmas = trace.steps.reduce((count, { products }) => count + products.count, 0);
  const ended = createReplay(trace).stateAfter(trace.steps.length);
  assert.equal(ended.counters.fmas, fmas);
  assert.equal(
    ended.products.reduce((sum, count) => sum + count, 0),
    fmas,
  );
  // Accumulators outside of C are not stored.
  assert.deepEqual(
    [...ended.stored],
    Array.from(trace.storedAt, index => (Number.isNaN(index) ? 0 : 1)),
  );
  const { alpha, beta, accumulator } = problem;
  const [scale, keep] = [roundTo(accumulator, alpha), roundTo(accumulator, beta)];
  for (const [position, tag] of trace.accumulators.entries()) {
    const index = trace.storedAt[position] ?? NaN;
    if (Number.isNaN(index)) continue;
    const product =
      alpha === 1 ? (accumulated.get(tag) ?? 0) : mul(scale, accumulated.get(tag) ?? 0);
    const result = beta === 0 ? product : add(product, mul(keep, before[index] ?? NaN));
    c[index] = roundTo(problem.c.dtype, result);
  }
}

/** Returns a term of FP32 emulation, counted from 1. */
function termAt(value: number, term: number, { ir }: Pick<LoweredKernel, 'ir'>): number {
  assert.ok(ir.factor !== undefined);
  const first = roundTo(ir.factor, value);
  return term === 1 ? first : termAt(Math.fround(value - first), term - 1, { ir });
}

function simulated(kernel: LoweredKernel): Float64Array {
  const matrices = matricesOf(kernel);
  for (const { findings } of execute(kernel, matrices)) assert.deepEqual(findings, []);
  return matrices.c;
}

interface Total {
  readonly requests: number;
  readonly cost: number;
}

/** Requests and their cost by access site. */
function createTotals() {
  const totals = new Map<string, Total>();
  return {
    add: (key: string, { requests, cost }: Total): void => {
      const total = totals.get(key) ?? { requests: 0, cost: 0 };
      totals.set(key, { requests: total.requests + requests, cost: total.cost + cost });
    },
    sorted: () => [...totals].sort(([left], [right]) => left.localeCompare(right)),
  };
}

function checkCounters(kernel: LoweredKernel): void {
  const traced = createTotals();
  const partial = new Set<string>();
  for (const at of blocksOf(kernel.grid))
    for (const { accesses } of traceBlock(kernel, at).steps)
      for (const access of accesses) {
        const { site, space, op, requests, cost } = access;
        const key = `${space} ${site.name} ${op === 'load' ? op : 'store'}`;
        if (requests > 0) traced.add(key, { requests, cost });
        if (!isOfFullWarps(access)) partial.add(key);
      }
  const analyzed = createTotals();
  const { global, shared } = warpAccesses(kernel);
  for (const { site, op, requests, sectorsPerRequest } of global)
    analyzed.add(`global ${site} ${op}`, { requests, cost: requests * sectorsPerRequest });
  for (const { site, op, requests, wavefrontsPerRequest } of shared)
    analyzed.add(`shared ${site} ${op}`, { requests, cost: requests * wavefrontsPerRequest });
  // The analysis takes the cost of a request of a partial warp from those of full warps.
  const compared = (totals: ReturnType<typeof createTotals>) =>
    totals
      .sorted()
      .map(([key, { requests, cost }]) => [key, requests, partial.has(key) ? null : cost]);
  assert.deepEqual(compared(traced), compared(analyzed), kernel.fileName);
}

/** Returns whether all lanes of each accessing warp access the same number of elements. */
function isOfFullWarps({ threads }: StepAccesses): boolean {
  const counts = new Map<number, number>();
  for (const thread of threads) counts.set(thread, (counts.get(thread) ?? 0) + 1);
  return [...counts].every(([thread, count]) => {
    const first = thread - (thread % WARP_LANES);
    return Array.from({ length: WARP_LANES }, (_, lane) => counts.get(first + lane)).every(
      other => other === count,
    );
  });
}

/**
 * Returns the kernel for two whole tiles along each dimension, because the analysis assumes that
 * boundary checks hold. Returns null for split-K, and for blocks with partial warps.
 */
function inWholeTiles({ spec, target, plan: { tile, threads, split } }: Kernel) {
  if (split !== undefined || threads % WARP_LANES !== 0) return null;
  const [m, n, k] = [2 * tile.m, 2 * tile.n, 2 * Math.max(4, tile.k)];
  const problem = { m, n, k, ...typesOf(spec.problem) };
  const planned = plan(resolve({ problem, schedule: toSpec(spec).schedule ?? {} }), target);
  if (!planned.ok) return null;
  const kernel = emit(planned.plan);
  return isLowered(kernel) && !kernel.plan.guards.k ? kernel : null;
}

const typesOf = ({ a, b, c, accumulator }: ResolvedProblem) => ({
  a: { dtype: a.dtype, layout: a.layout },
  b: { dtype: b.dtype, layout: b.layout },
  c: { dtype: c.dtype, layout: c.layout },
  accumulator,
});

describe('the steps of a block', function () {
  this.timeout(30_000);

  for (const [name, { target, from, share, kinds }] of Object.entries(KINDS))
    it(`reproduce C exactly for random specs: ${name}`, function () {
      this.timeout(900_000);
      const count = Math.ceil(share * sampleOf(NUM_SPECS, 16));
      const algorithms = new Set<string>();
      let checked = 0;
      for (const { kernel } of drawnKernels(target, from, { everyAdapter: false })) {
        if (checked === count) break;
        if (!isLowered(kernel) || kernel.plan.split !== undefined) continue;
        checked++;
        algorithms.add(kernel.plan.algorithm);
        const { c } = matricesOf(kernel);
        for (const at of blocksOf(kernel.grid)) replay(kernel, at, c);
        assert.deepEqual(c, simulated(kernel), kernel.fileName);
      }
      assert.equal(checked, count);
      assert.ok(algorithms.size >= kinds, [...algorithms].join());
    });

  for (const split of ['bf16x3', 'bf16x9', 'tf32x3'] as const)
    it(`reproduce C exactly with FP32 emulation: ${split}`, () => {
      const kernel = kernelOf({
        problem: { m: 40, n: 64, k: 48 },
        schedule: {
          algorithm: 'mma',
          split,
          block: { m: 32, n: 64, k: 16 },
          warp: { m: 16, n: 32 },
        },
      });
      const { c } = matricesOf(kernel);
      for (const at of blocksOf(kernel.grid)) replay(kernel, at, c);
      assert.deepEqual(c, simulated(kernel));
    });

  const block = { m: 32, n: 64, k: 8 };
  const problem = { m: 64, n: 128, k: 32 };
  /** For kernels whose every FMA accesses memory. */
  const small = { m: 32, n: 64, k: 32 };
  const exact: readonly (readonly [name: string, spec: GemmSpec])[] = [
    ['naive', { problem: small, schedule: { algorithm: 'naive', block: { m: 16, n: 16 } } }],
    ['coalesced', { problem: small, schedule: { algorithm: 'coalesced', block: { m: 8, n: 32 } } }],
    [
      'shared-tile',
      {
        problem: small,
        schedule: { algorithm: 'shared-tile', block: { m: 16, n: 16, k: 16 } },
      },
    ],
    [
      'thread-tile-2d',
      { problem, schedule: { algorithm: 'thread-tile-2d', block, thread: { m: 4, n: 4 } } },
    ],
    [
      'vectorized',
      { problem, schedule: { algorithm: 'vectorized', block, thread: { m: 4, n: 4 } } },
    ],
    [
      'pipelined',
      {
        problem,
        schedule: {
          algorithm: 'pipelined',
          block,
          thread: { m: 4, n: 4 },
          warp: { m: 16, n: 32 },
          stages: 3,
        },
      },
    ],
    [
      'mma',
      {
        problem: { ...problem, a: { dtype: 'f16' }, b: { dtype: 'f16' } },
        schedule: { algorithm: 'mma', block: { m: 32, n: 64, k: 16 }, warp: { m: 16, n: 32 } },
      },
    ],
  ];
  for (const [name, spec] of exact)
    it(`count the requests and costs of the analysis at every site: ${name}`, () => {
      checkCounters(kernelOf(spec));
    });

  for (const [name, { target, from, share }] of Object.entries(KINDS))
    it(`count the requests and costs of the analysis for random specs: ${name}`, function () {
      this.timeout(900_000);
      const count = Math.ceil(share * sampleOf(NUM_SPECS, 16));
      let checked = 0;
      for (const drawn of drawnKernels(target, from, { everyAdapter: false })) {
        if (checked === count) break;
        const kernel = inWholeTiles(drawn.kernel);
        if (kernel === null) continue;
        checked++;
        checkCounters(kernel);
      }
      assert.equal(checked, count);
    });

  it('end with all FMAs executed and the tile of C stored', () => {
    const kernel = kernelOf({
      problem,
      schedule: { algorithm: 'thread-tile-2d', block, thread: { m: 4, n: 4 } },
    });
    const trace = traceBlock(kernel, { x: 1, y: 0, z: 0 });
    const state = createReplay(trace).stateAfter(trace.steps.length);
    assert.equal(state.counters.fmas, block.m * block.n * problem.k);
    assert.equal(state.stored.length, block.m * block.n);
    assert.ok(state.stored.every(stored => stored === 1));
    assert.ok(state.products.every(count => count === problem.k));
    assert.ok(
      state.shared.every(tag => elementOf(tag)?.operand === 'a' || elementOf(tag)?.operand === 'b'),
    );
  });

  it('have the same state whether they are replayed in order or not', () => {
    const kernel = kernelOf({
      problem,
      schedule: { algorithm: 'vectorized', block, thread: { m: 4, n: 4 } },
    });
    const trace = traceBlock(kernel, { x: 0, y: 0, z: 0 });
    const inOrder = createReplay(trace);
    const backwards = createReplay(trace);
    const counts = Array.from({ length: trace.steps.length + 1 }, (_, count) => count);
    const states = counts.map(inOrder.stateAfter);
    for (const count of counts.toReversed())
      assert.deepEqual(backwards.stateAfter(count), states[count]);
  });

  it('show the race at its step if a barrier is removed', () => {
    const kernel = kernelOf({
      problem,
      schedule: { algorithm: 'shared-tile', block: { m: 16, n: 16, k: 16 } },
    });
    const at = { x: 0, y: 0, z: 0 };
    const barriers = new Set(
      traceBlock(kernel, at)
        .steps.filter(({ statement }) => statement.op === 'barrier')
        .map(({ statement }) => statement),
    );
    assert.equal(barriers.size, 2);
    for (const barrier of barriers) {
      const { steps } = traceBlock(kernel, at, { without: barrier });
      const racing = steps.filter(({ finding }) => finding !== null);
      assert.ok(racing.length > 0);
      assert.match(racing[0]?.finding ?? '', /without a barrier in between|uninitialized/);
    }
  });

  it('mark asynchronous copies as in flight until their thread waits', () => {
    const kernel = kernelOf({
      problem,
      schedule: {
        algorithm: 'pipelined',
        block,
        thread: { m: 4, n: 4 },
        warp: { m: 16, n: 32 },
        stages: 3,
      },
    });
    const trace = traceBlock(kernel, { x: 0, y: 0, z: 0 });
    const firstWait = trace.steps.findIndex(({ statement }) => statement.op === 'wait');
    const { stateAfter } = createReplay(trace);
    const before = stateAfter(firstWait);
    const inFlight = before.inFlight.reduce((sum, of) => sum + of, 0);
    assert.ok(inFlight > 0);
    const after = stateAfter(firstWait + 1).inFlight.reduce((sum, of) => sum + of, 0);
    assert.ok(after < inFlight);
  });
});
