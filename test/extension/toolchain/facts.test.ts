/** What compilers said of kernels: merged, and never counted twice. */
import assert from 'node:assert/strict';
import { analyze } from '../../../src/core/report/analyze';
import { emit } from '../../../src/core/kernel/emit';
import { NOT_VERIFIED, type Measurement } from '../../../src/core/measure/measurement';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import { factsOfRun, mergeFacts, type CompiledFacts } from '../../../src/extension/toolchain/facts';
import { resourcesOf } from '../../../src/host/cuda/result';

const planned = plan(resolve({ problem: { m: 256, n: 256, k: 256 } }), 'cuda');
assert.ok(planned.ok);
const kernel = { ...emit(planned.plan), dynamicSharedBytes: 1000 };

const found = {
  entry: kernel.entry,
  arch: 'sm_90',
  registers: 32,
  sharedBytes: 24,
  spillStores: 0,
  spillLoads: 0,
  stackBytes: 0,
  constantBytes: 0,
  warnings: [],
  symbol: 'gemm',
};
const measurement: Measurement = {
  specKey: 'k',
  kernelKey: 'x',
  resolved: null,
  backend: 'cuda',
  outcome: 'compile-error',
  device: { name: 'GPU', adapter: 'compute capability 9.0', driver: '1', where: 'cli' },
  verification: NOT_VERIFIED,
  resources: resourcesOf(found, kernel),
};

const facts = (entry: string, arch: string, registers: number): CompiledFacts => ({
  entry,
  arch,
  registers,
  compiler: 'nvcc',
  sharedBytes: 0,
  spillStores: 0,
  spillLoads: 0,
});

describe('compiler facts', () => {
  it('of a run are of its architecture, and hold static shared memory only', () => {
    const learnt = factsOfRun(kernel, measurement, 'nvcc 13.0.88');
    assert.deepEqual([learnt?.arch, learnt?.sharedBytes], ['sm_90', 24]);
    const { occupancy } = analyze(kernel, { device: 'h200', resources: learnt! });
    assert.equal(occupancy?.sharedBytes.value, 1024);
    assert.equal(factsOfRun(kernel, { ...measurement, resources: undefined! }, ''), undefined);
  });

  it('of one kernel leave those of the others, and of other architectures', () => {
    const older = [facts('a', 'sm_90', 1), facts('b', 'sm_90', 2), facts('a', 'sm_75', 3)];
    assert.deepEqual(
      mergeFacts(older, [facts('a', 'sm_90', 9)]).map(({ registers }) => registers),
      [2, 3, 9],
    );
  });
});
