/** Steps of a block contain all data movement, and their counters are those of the analysis. */
import assert from 'node:assert/strict';
import { drawnKernels } from '../../../scripts/grid/draws';
import { FRAGMENT_SEEDS, LATER_SEEDS, MATRIX_SEEDS } from '../../../scripts/grid/specs';
import { resolve } from '../../../src/core/defaults/resolve';
import { emit } from '../../../src/core/kernel/emit';
import { isLowered, type Kernel, type LoweredKernel } from '../../../src/core/kernel/kernel';
import { warpAccesses } from '../../../src/core/memory/accesses';
import type { Dim3 } from '../../../src/core/plan/plan';
import { plan } from '../../../src/core/plan/planner';
import { arithmeticOf } from '../../../src/core/simulate/arithmetic';
import { blocksOf, execute } from '../../../src/core/simulate/execute';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { elementOf } from '../../../src/core/trace/tags';
import { isTraceable, traceBlock } from '../../../src/core/trace/traceBlock';
import { stateAfter } from '../../../src/core/trace/traceState';
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
    // Loads of tf32 fragments round.
    return problem[operand].dtype === 'tf32' ? roundTo('tf32', value) : value;
  };
  const accumulated = new Map<number, number>();
  const trace = traceBlock(kernel, at, {
    onFma: (accumulator, left, right) => {
      accumulated.set(
        accumulator,
        fma(valueOf(left), valueOf(right), accumulated.get(accumulator) ?? 0),
      );
    },
  });
  assert.ok(trace.steps.every(({ finding }) => finding === null));
  const fmas = trace.steps.reduce((count, { products }) => count + products.count, 0);
  assert.equal(stateAfter(trace, trace.steps.length).counters.fmas, fmas);
  const { alpha, beta, accumulator } = problem;
  const [scale, keep] = [roundTo(accumulator, alpha), roundTo(accumulator, beta)];
  for (const [tag, index] of trace.storedAt) {
    const product =
      alpha === 1 ? (accumulated.get(tag) ?? 0) : mul(scale, accumulated.get(tag) ?? 0);
    const result = beta === 0 ? product : add(product, mul(keep, before[index] ?? NaN));
    c[index] = roundTo(problem.c.dtype, result);
  }
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
        if (!isLowered(kernel) || !isTraceable(kernel.ir) || kernel.plan.split !== undefined)
          continue;
        checked++;
        algorithms.add(kernel.plan.algorithm);
        const { c } = matricesOf(kernel);
        for (const at of blocksOf(kernel.grid)) replay(kernel, at, c);
        assert.deepEqual(c, simulated(kernel), kernel.fileName);
      }
      assert.equal(checked, count);
      assert.ok(algorithms.size >= kinds, [...algorithms].join());
    });

  const block = { m: 32, n: 64, k: 8 };
  const problem = { m: 64, n: 128, k: 32 };
  const exact: readonly (readonly [name: string, spec: GemmSpec])[] = [
    ['naive', { problem, schedule: { algorithm: 'naive', block: { m: 16, n: 16 } } }],
    ['coalesced', { problem, schedule: { algorithm: 'coalesced', block: { m: 8, n: 32 } } }],
    [
      'shared-tile',
      { problem, schedule: { algorithm: 'shared-tile', block: { m: 16, n: 16, k: 16 } } },
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
      const kernel = kernelOf(spec);
      const traced = createTotals();
      for (const at of blocksOf(kernel.grid))
        for (const { accesses } of traceBlock(kernel, at).steps)
          for (const { site, space, op, requests, cost } of accesses)
            traced.add(`${space} ${site.name} ${op === 'load' ? op : 'store'}`, { requests, cost });
      const analyzed = createTotals();
      const { global, shared } = warpAccesses(kernel);
      for (const { site, op, requests, sectorsPerRequest } of global)
        analyzed.add(`global ${site} ${op}`, { requests, cost: requests * sectorsPerRequest });
      for (const { site, op, requests, wavefrontsPerRequest } of shared)
        analyzed.add(`shared ${site} ${op}`, { requests, cost: requests * wavefrontsPerRequest });
      assert.deepEqual(traced.sorted(), analyzed.sorted());
    });

  it('end with all FMAs executed and the tile of C stored', () => {
    const kernel = kernelOf({
      problem,
      schedule: { algorithm: 'thread-tile-2d', block, thread: { m: 4, n: 4 } },
    });
    const trace = traceBlock(kernel, { x: 1, y: 0, z: 0 });
    const state = stateAfter(trace, trace.steps.length);
    assert.equal(state.counters.fmas, block.m * block.n * problem.k);
    assert.equal(state.stored.size, block.m * block.n);
    assert.ok([...state.products.values()].every(count => count === problem.k));
    assert.ok(
      state.shared.every(tag => elementOf(tag)?.operand === 'a' || elementOf(tag)?.operand === 'b'),
    );
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
    const before = stateAfter(trace, firstWait);
    const inFlight = before.inFlight.reduce((sum, of) => sum + of, 0);
    assert.ok(inFlight > 0);
    const after = stateAfter(trace, firstWait + 1).inFlight.reduce((sum, of) => sum + of, 0);
    assert.ok(after < inFlight);
  });
});
