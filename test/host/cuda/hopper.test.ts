/**
 * Runs of kernels with Hopper's own instructions: by nvcc and by NVRTC alike, and never timed where
 * they are lost.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Runnable } from '../../../src/core/kernel/kernel';
import { cudaBackend, type CudaOptions } from '../../../src/host/cuda/backend';
import { endRunners } from '../../../src/host/cuda/runner/runners';
import { handWritten } from '../cudaSupport';
import { eachInHostileFolder, fakeProgram } from '../support';
import { fakeMachine, type FakeMachine } from './fakeMachine';

describe('a run of Hopper’s instructions with a fake runner (needs a C compiler on Linux)', function () {
  this.timeout(30_000);
  let machine: FakeMachine;
  let folder: string;
  eachInHostileFolder(given => {
    folder = given;
  });
  beforeEach(function () {
    const made = fakeMachine(folder);
    if (made === undefined) return this.skip();
    machine = made;
  });
  afterEach(async () => {
    await endRunners();
  });

  const plain = handWritten({});
  const own: Runnable = {
    ...plain,
    source: `${plain.source}\n__device__ void f() { asm("wgmma.fence.sync.aligned;"); }\n`,
    tensorMaps: { a: { box: [32, 16], swizzleBytes: 128 } },
    arguments: ['tensorMapA', 'm'],
  };
  const run = (runnable: Runnable, compiler: CudaOptions['compiler'] = 'nvrtc') =>
    cudaBackend({
      search: { environment: machine.environment },
      where: 'cli',
      compiler,
      cacheFolder: `${folder}/cache`,
    }).run(
      { runnable, mode: 'time', seed: 7 },
      { abort: new AbortController().signal, progress: () => undefined },
    );

  it('asks NVRTC for sm_90a, and tells the runner of tensor maps', async () => {
    const found = await run(own);
    assert.equal(found.outcome, 'correct', found.message);
    await run(plain);
    const asked = machine.requests();
    const architectures = asked.filter(({ type }) => type === 'compile').map(({ arch }) => arch);
    assert.deepEqual(architectures, ['sm_90a', 'sm_90']);
    const [launch] = asked.find(({ type }) => type === 'run')?.['launches'] as readonly object[];
    assert.deepEqual((launch as Runnable).tensorMaps, own.tensorMaps);
    const [other] = asked.at(-1)?.['launches'] as readonly object[];
    assert.ok(!Object.hasOwn(other ?? {}, 'tensorMaps'));
  });

  it('does not run what NVRTC serialised, or cannot compile', async () => {
    machine.order('serialized');
    const lost = await run(own);
    assert.deepEqual([lost.outcome, lost.timing], ['compile-error', undefined]);
    assert.match(lost.message ?? '', /^ptxas C7510: wgmma.* index accumulators with constants/);
    assert.equal((await run(plain)).outcome, 'correct');
    machine.order('old nvrtc');
    const old = await run({ ...own, source: `${own.source}// again\n` });
    assert.equal(old.outcome, 'constraint');
    assert.match(
      old.message ?? '',
      /^nvrtc 11\.8 does not support sm_90a.*install CUDA 12\.0 or newer/,
    );
  });

  it('says on any other GPU that it takes Hopper, whatever compiles', async () => {
    fakeProgram(folder, 'nvidia-smi', `console.log('NVIDIA A100, 580.1, 8.0, 40960');`);
    for (const compiler of ['nvcc', 'nvrtc'] as const) {
      const found = await run(own, compiler);
      assert.equal(found.outcome, 'constraint');
      assert.match(found.message ?? '', /compute capability 9\.0, but the target is sm_80/);
    }
    assert.ok(machine.requests().every(({ type }) => type !== 'run'));
    writeFileSync(path.join(folder, 'order'), '');
  });
});
