/**
 * The cuda backend with a fake nvcc and a fake runner: what is asked, what is believed, and what is
 * kept.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as v from 'valibot';
import { emit } from '../../../src/core/kernel/emit';
import type { Runnable } from '../../../src/core/kernel/kernel';
import type { RunContext, RunRequest } from '../../../src/core/measure/backend';
import { measurementSchema, type Measurement } from '../../../src/core/measure/measurement';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import { cudaBackend, type CudaOptions } from '../../../src/host/cuda/backend';
import { endRunners } from '../../../src/host/cuda/runner/runners';
import { handWritten } from '../cudaSupport';
import { eachInHostileFolder, isRunning } from '../support';
import { fakeMachine, type FakeMachine } from './fakeMachine';

const planned = plan(
  resolve({
    problem: { m: 100, n: 70, k: 1 << 14, alpha: 2 },
    schedule: { algorithm: 'shared-tile', block: { m: 16, n: 16, k: 16 }, splitK: 2 },
  }),
  'cuda',
);
const splitKernel = (): Runnable => {
  assert.ok(planned.ok);
  return emit(planned.plan);
};

describe('the cuda backend with a fake runner (needs a C compiler on Linux)', function () {
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
  const timed: Partial<RunRequest> = { mode: 'time' };
  const idle: RunContext = { abort: new AbortController().signal, progress: () => undefined };
  const run = async (
    runnable = plain,
    more: Partial<RunRequest> = {},
    extra: Partial<CudaOptions> = {},
    context = idle,
  ): Promise<Measurement> => {
    const { environment } = machine;
    const options = { search: { environment }, where: 'cli', cacheFolder: `${folder}/cache` };
    const request: RunRequest = { runnable, mode: 'verify', seed: 7, ...more };
    const measurement = await cudaBackend({ ...options, ...extra }).run(request, context);
    assert.ok(v.is(measurementSchema, measurement), JSON.stringify(measurement));
    return measurement;
  };
  const calls = (): readonly string[] =>
    readFileSync(path.join(folder, 'calls'), 'utf8').trim().split('\n');
  const types = () => machine.requests().map(({ type }) => type);

  it('asks for what the kernel is, and gives what the compiler and the runner say', async () => {
    const stages = new Set<string>();
    const context = { ...idle, progress: ({ stage }: { stage: string }) => void stages.add(stage) };
    const { outcome, verification, resources, device } = await run(plain, {}, {}, context);
    assert.deepEqual([outcome, verification.samples], ['correct', 100]);
    const registers = { registers: 40, sharedBytes: 2048, spillStores: 0, spillLoads: 0 };
    assert.deepEqual(resources, registers);
    const adapter = 'compute capability 9.0';
    assert.deepEqual(device, { name: 'NVIDIA H200', adapter, driver: '580.1', where: 'cli' });
    assert.deepEqual(
      [...stages],
      ['Looking for nvcc and the GPU', 'compile', 'Compiling the CUDA runner (once)'].concat([
        'Starting the CUDA runner',
        'verify',
      ]),
    );
    const [asked = {}] = machine.requests();
    assert.deepEqual(
      [asked['mode'], asked['seed'], asked['cache'], asked['baselines']],
      ['verify', 7, 'cold', []],
    );
    assert.deepEqual(asked['launches'], [
      {
        symbol: '_Z4gemmv',
        grid: [5, 6, 1],
        block: [8, 8, 1],
        dynamicSharedBytes: 0,
        arguments: ['a', 'b', 'c', 'm', 'n', 'k', 'lda', 'ldb', 'ldc', 'alpha', 'beta'],
      },
    ]);
    assert.deepEqual(asked['tile'], { m: 8, n: 8 });
  });

  it('sends the launches of a generated kernel in order, with its bound', async () => {
    const kernel = splitKernel();
    assert.equal((await run(kernel)).outcome, 'correct');
    const [asked = {}] = machine.requests();
    const launches = asked['launches'] as readonly { readonly symbol: string }[];
    assert.equal(launches.length, 2);
    assert.ok(launches[0]?.symbol.includes(kernel.entry));
    assert.deepEqual(asked['workspaceBytes'], kernel.workspaceBytes);
    assert.deepEqual(asked['tile'], { m: 16, n: 16 });
    const { gamma, mayOverflow } = asked['bound'] as { gamma: number; mayOverflow: boolean };
    assert.ok(gamma > 1e-7 && gamma < 1e-3 && !mayOverflow);
  });

  it('makes its runner once, and compiles a kernel once', async () => {
    await run();
    await run();
    await run(splitKernel());
    assert.deepEqual([...calls()].sort(), ['kernel.cubin', 'kernel.cubin', 'program']);
    assert.equal(machine.pids().length, 1);
  });

  it('times with every baseline there is, compares with the first, and measures ceilings once', async () => {
    const baselines = ['cublaslt-best', 'cublas', 'cublas-pedantic'] as const;
    const found = await run(plain, { ...timed, baselines });
    assert.equal(found.outcome, 'correct', found.message);
    const { timing, baseline, ceilings, message } = found;
    assert.deepEqual(
      [timing?.samples, timing?.batch, timing?.graph, timing?.sets],
      [30, 4, true, 3],
    );
    assert.deepEqual([timing?.clocks?.smMaxMHz, timing?.powerW?.mean], [1980, 600]);
    assert.equal(timing?.temperatureC?.max, 55);
    assert.equal(baseline?.id, 'cublaslt-best');
    assert.ok(Math.abs(baseline.ratio - 0.5) < 1e-9);
    assert.deepEqual(
      found.baselines?.map(({ id }) => id),
      ['cublaslt-best', 'cublas'],
    );
    assert.match(message ?? '', /^cublas-pedantic: not in this library\.$/);
    assert.deepEqual([ceilings?.gflops, ceilings?.bandwidthGBps], [64_700, 4260]);
    assert.equal(ceilings?.list?.length, 4);

    await endRunners();
    const again = await run(plain, timed);
    assert.deepEqual(again.ceilings, ceilings);
    assert.deepEqual(types(), ['run', 'ceilings', 'run']);
    // What is not to be read is measured anew.
    for (const name of readdirSync(path.join(folder, 'ceilings'))) {
      writeFileSync(path.join(folder, 'ceilings', name), '{"how":');
    }
    assert.deepEqual((await run(plain, timed)).ceilings, ceilings);
    assert.deepEqual(types().slice(3), ['run', 'ceilings']);
  });

  it('measures the energy with full effort only, and gives the reason where it is unknown', async () => {
    const found = await run(plain, timed);
    const { energy, timing } = found;
    assert.ok(energy && timing);
    const { m, n, k } = plain.problem;
    assert.ok(Math.abs(energy.joules / (0.65 * timing.medianMs) - 1) < 1e-3);
    assert.ok(Math.abs(energy.gflopsPerWatt * energy.joules * 1e9 - 2 * m * n * k) < 1);
    assert.deepEqual([energy.watts, energy.windowMs], [650, 1000]);
    const quick = await run(plain, { ...timed, effort: 'quick' });
    assert.deepEqual([quick.energy, quick.energyUnknown], [undefined, undefined]);
    machine.order('no energy');
    const unknown = await run(plain, timed);
    assert.equal(unknown.outcome, 'correct');
    assert.equal(unknown.energy, undefined);
    assert.match(unknown.energyUnknown ?? '', /does not count the energy/);
  });

  it('takes a time that cannot be for an error', async () => {
    machine.order('too fast');
    const { outcome, message, timing } = await run(plain, timed);
    assert.deepEqual([outcome, timing], ['launch-error', undefined]);
    assert.match(
      message ?? '',
      /^Implausible result: .*GFLOP\/s timed, but the SMs peak at 66900 GFLOP\/s at 1980 MHz/,
    );
  });

  it('keeps where a result is wrong, and no time of it', async () => {
    machine.order('wrong');
    const { outcome, message, verification, timing } = await run(plain, timed);
    assert.deepEqual([outcome, timing], ['incorrect', undefined]);
    assert.match(message ?? '', /1 wrong elements/);
    assert.equal(verification.wrong?.kinds.wrong, 1);
  });

  it('says what became of a kernel that faults, hangs or is refused, and goes on', async () => {
    const said: string[] = [];
    for (const order of ['fault', 'hang', 'crash', 'no samples', 'refuse request'] as const) {
      machine.order(order);
      const { outcome, message } = await run(plain, timed, { runTimeoutMs: 1000 });
      said.push(`${outcome}: ${(message ?? '').slice(0, 40)}`);
    }
    assert.deepEqual(said, [
      'launch-error: The kernel faulted: cudaErrorIllegalAddr',
      'timeout: The kernel exceeded 1 s and was stopped.',
      'launch-error: The CUDA runner was ended by SIGSEGV.',
      'launch-error: The CUDA runner returned an invalid resp',
      'constraint: The matrices need 3 GB and 1 GB is free.',
    ]);
    machine.order('');
    assert.equal((await run(plain, timed)).outcome, 'correct');
    assert.equal(machine.pids().filter(isRunning).length, 1);
  });

  it('is cancelled', async () => {
    machine.order('hang');
    const controller = new AbortController();
    const progress: RunContext['progress'] = ({ stage }) => {
      if (stage === 'verify') controller.abort();
    };
    const { outcome } = await run(plain, {}, {}, { abort: controller.signal, progress });
    assert.equal(outcome, 'cancelled');
    assert.deepEqual(machine.pids().filter(isRunning), []);
  });

  it('runs on the GPU that is asked for, and says which there are', async () => {
    assert.equal((await run(plain, {}, { gpu: 1 })).outcome, 'correct');
    const told = readFileSync(path.join(folder, 'arguments'), 'utf8');
    assert.match(told, /"--device","1"/);
    const { outcome, message } = await run(plain, {}, { gpu: 2 });
    assert.equal(outcome, 'unavailable');
    assert.match(
      message ?? '',
      /GPU 2 does not exist.*0 \(NVIDIA H200\), 1 \(NVIDIA H200\).*--gpu/,
    );
  });

  it('instantiates the template that a launch names', async () => {
    const source = `template <int BM, int TM> __global__ void sgemm(const float* a) {}\n`;
    const launched = { ...plain, source, entry: 'sgemm<128,8>' };
    assert.equal((await run(launched)).outcome, 'correct');
    const [asked = {}] = machine.requests();
    const [launch] = asked['launches'] as readonly { readonly symbol: string }[];
    assert.equal(launch?.symbol, '_Z5sgemmILi128ELi8EEvv');
    const { outcome, message } = await run({ ...launched, entry: 'sgemm' });
    assert.equal(outcome, 'constraint');
    assert.match(message ?? '', /has no kernel 'sgemm'.*instantiate the template/);
  });

  it('gives compiler errors their lines', async () => {
    const seen: number[] = [];
    const broken = { ...plain, source: plain.source.replace('sum *= alpha', 'sum *= omega') };
    const onDiagnostics: CudaOptions['onDiagnostics'] = (_, found) => {
      seen.push(...found.map(({ line }) => line));
    };
    for (const compiler of ['nvcc', 'nvrtc'] as const) {
      machine.order('not compiled');
      const { outcome, message } = await run(broken, {}, { compiler, onDiagnostics });
      assert.equal(outcome, 'compile-error');
      assert.match(message ?? '', /^Line 3: identifier "omega" is undefined/);
    }
    assert.deepEqual(seen, [2, 2]);
  });

  it('names the step that exceeded its time limit', async () => {
    machine.order('hang');
    const limits = { compiler: 'nvrtc', compileTimeoutMs: 1000 } as const;
    const { outcome, message } = await run(plain, {}, limits);
    assert.deepEqual([outcome, message], ['timeout', 'NVRTC exceeded 1 s and was stopped.']);
  });

  it('compiles with NVRTC when asked, and when nvcc is gone but a runner was made', async () => {
    const byNvcc = await run();
    const asked = await run(plain, {}, { compiler: 'nvrtc' });
    assert.equal(asked.outcome, 'correct', asked.message);
    assert.notEqual(asked.kernelKey, byNvcc.kernelKey);
    rmSync(machine.nvcc);
    const without = await run(plain);
    assert.deepEqual([without.outcome, without.kernelKey], ['correct', asked.kernelKey]);
    assert.deepEqual(without.resources, asked.resources);
    assert.deepEqual(types(), ['run', 'compile', 'run', 'compile', 'run']);
  });

  it('says what it lacks', async () => {
    rmSync(machine.nvcc);
    const { outcome, message } = await run();
    assert.equal(outcome, 'unavailable');
    assert.match(message ?? '', /No nvcc on PATH.*Install the CUDA toolkit/);
    const nothing = await run(plain, {}, { search: { environment: { PATH: '/nowhere' } } });
    assert.equal(nothing.outcome, 'unavailable');
  });

  it('survives an nvcc that is killed half way, two builds at once, and a program that is none', async () => {
    writeFileSync(path.join(folder, 'order-nvcc'), 'program');
    const killed = await run();
    assert.equal(killed.outcome, 'unavailable');
    assert.match(killed.message ?? '', /runner could not be compiled: nvcc was ended by SIGKILL/);
    writeFileSync(path.join(folder, 'order-nvcc'), '');
    const both = await Promise.all([run(), run(handWritten({ alpha: 2 }))]);
    assert.deepEqual(
      both.map(({ outcome }) => outcome),
      ['correct', 'correct'],
    );
    await endRunners();
    const cache = path.join(folder, 'cache');
    const [entry] = readdirSync(cache).filter(name => existsSync(`${cache}/${name}/program`));
    // As after a loss of power: the first bytes are there.
    writeFileSync(path.join(cache, entry ?? '', 'program'), '\x7fELF');
    const damaged = await run();
    assert.equal(damaged.outcome, 'unavailable');
    assert.match(damaged.message ?? '', /rebuilt for the next run/);
    assert.equal((await run()).outcome, 'correct');
  });

  it('says that its folder cannot be written, and keeps what it measured', async () => {
    writeFileSync(path.join(folder, 'file'), '');
    const nowhere = await run(plain, {}, { cacheFolder: path.join(folder, 'file', 'cache') });
    assert.equal(nowhere.outcome, 'unavailable');
    assert.match(nowhere.message ?? '', /could not be saved/);
    writeFileSync(path.join(folder, 'ceilings'), '');
    const found = await run(plain, timed);
    assert.deepEqual([found.outcome, found.ceilings?.gflops], ['correct', 64_700]);
    assert.match(found.message ?? '', /its path contains a file instead of a folder/);
  });
});
