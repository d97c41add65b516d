/**
 * Runs the judge on this machine's GPU:
 * `node out/bench/judgeOnGpu.js OUT_FOLDER [--random 204] [--seconds 240] [--gpu 0]`
 *
 * - `cheats.json`: every kernel of test/fixtures/cheats, timed; the judge must report the finding
 *   that the file declares.
 * - `random.json`: random kernels of the ladder and of tensor cores, timed; none may be rejected.
 * - `cost.json`: duration of a benchmark with and without the judge.
 * - `energy.json`: two benchmarks of bf16 and f32 at 4096; their energies per product must agree
 *   within 2 %.
 *
 * The exit code is 1 if an expectation is not met. Requires nvcc.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { provenance } from '../../scripts/grid/provenance';
import { drawnKernels } from '../../scripts/grid/draws';
import { FRAGMENT_SEEDS, GEMV_SEEDS, LATER_SEEDS } from '../../scripts/grid/specs';
import { taken } from '../../scripts/grid/taken';
import { emit } from '../../src/core/kernel/emit';
import type { Runnable } from '../../src/core/kernel/kernel';
import { resolve } from '../../src/core/defaults/resolve';
import type { Measurement } from '../../src/core/measure/measurement';
import type { RunRequest } from '../../src/core/measure/backend';
import { plan } from '../../src/core/plan/planner';
import { readKernelFile } from '../../src/core/source/kernelFile';
import type { GemmSpec } from '../../src/core/spec/schema';
import { rejects } from '../../src/core/verify/judge/ids';
import { cudaBackend } from '../../src/host/cuda/backend';
import { compileWithNvcc } from '../../src/host/cuda/runner/compileKernel';
import { findMachine } from '../../src/host/cuda/runner/machine';
import { endRunners } from '../../src/host/cuda/runner/runners';
import { legalKernels, RANDOM } from './tensor/randomSpecs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    random: { type: 'string', default: '204' },
    seconds: { type: 'string', default: '240' },
    gpu: { type: 'string', default: '0' },
    cheats: { type: 'string', default: 'test/fixtures/cheats' },
  },
});
const [out] = positionals;
if (out === undefined) throw new Error('Expected a folder for the records.');
mkdirSync(out, { recursive: true });
const options = { where: 'script', gpu: Number(values.gpu), ceilings: false };
const found = await findMachine(options);
if (!found.ok) throw new Error(`${found.why} ${found.next}`);
const { machine } = found;
const signal = AbortSignal.timeout(Number(values.seconds) * 1000);
const backend = cudaBackend(options);
const context = { abort: signal, progress: () => undefined };
const began = performance.now();
const record = (name: string, content: object): void => {
  const command = `node out/bench/judgeOnGpu.js ${process.argv.slice(2).join(' ')}`;
  const seconds = Math.round((performance.now() - began) / 1000);
  const head = { ...provenance(command), gpu: machine.device, seconds };
  writeFileSync(path.join(out, name), `${JSON.stringify({ ...head, ...content })}\n`);
  console.log(`${seconds} s: ${name}`);
};

const compiled = new Map<Runnable, Promise<void>>();

/** Compiles in parallel and in order, while the GPU runs earlier kernels. */
function compileAhead(runnables: readonly Runnable[]): void {
  const starts: (() => void)[] = [];
  for (const runnable of runnables) {
    const turn = new Promise<void>(resolve => starts.push(resolve));
    const compile = async (): Promise<void> => {
      await turn;
      await compileWithNvcc(runnable, { machine, options, signal, progress: () => undefined });
      starts.shift()?.();
    };
    compiled.set(runnable, compile());
  }
  for (const start of starts.splice(0, availableParallelism())) start();
}

async function run(runnable: Runnable, more: Partial<RunRequest> = {}): Promise<Measurement> {
  await compiled.get(runnable);
  const request = { mode: 'time', seed: 1, effort: 'quick', judges: true, ...more } as const;
  return await backend.run({ runnable, ...request }, context);
}

const kernelOf = (spec: GemmSpec): Runnable => {
  const planned = plan(resolve(spec), 'cuda');
  if (!planned.ok) throw new Error(JSON.stringify(planned));
  return emit(planned.plan);
};

const failures: string[] = [];

const cheats = readdirSync(values.cheats).map(name => {
  const source = readFileSync(path.join(values.cheats, name), 'utf8');
  const read = readKernelFile(source, name);
  if (!read.ok) throw new Error(`${name}: ${read.reason}`);
  const expected = /^\/\/ Findings: .*cuda ([\w-]+)\.$/m.exec(source)?.[1] ?? 'none';
  return { name, expected, runnable: read.runnable };
});

async function runCheats(): Promise<void> {
  const results: object[] = [];
  for (const { name, expected, runnable } of cheats) {
    const measurement = await run(runnable);
    const { outcome, findings = [], message } = measurement;
    const ids = findings.map(({ id }) => id);
    const isNamed = expected === 'none' || ids.includes(expected);
    if (!isNamed) failures.push(`${name}: expected ${expected}, got ${outcome} ${ids.join(' ')}`);
    results.push({ name, expected, isNamed, ids, outcome, message, timing: measurement.timing });
  }
  record('cheats.json', { what: 'Kernels that cheat, and the findings of the judge', results });
}

function randomKernels(): readonly Runnable[] {
  const share = Math.ceil(Number(values.random) / 6);
  const simt = [0, LATER_SEEDS, FRAGMENT_SEEDS, GEMV_SEEDS].flatMap(from =>
    taken(share, drawnKernels('cuda', from)).map(({ kernel }) => kernel),
  );
  const tensor = taken(2 * share, legalKernels(0, RANDOM.wgmma)).map(({ kernel }) => kernel);
  return [...simt, ...tensor];
}

async function runRandom(kernels: readonly Runnable[]): Promise<void> {
  const results: object[] = [];
  for (const kernel of kernels) {
    const { specKey, outcome, message, findings = [], verification } = await run(kernel);
    if (outcome !== 'correct' || findings.some(rejects))
      failures.push(`${specKey}: ${outcome} ${message ?? ''}`);
    results.push({ specKey, outcome, message, findings, verification });
  }
  record('random.json', { what: 'Random generated kernels, timed and judged', results });
}

const large = (dtype: 'bf16' | 'f32'): GemmSpec => ({
  problem: {
    m: 4096,
    n: 4096,
    k: 4096,
    a: { dtype },
    b: { dtype },
    c: { dtype },
  },
});

const largeKernels = { bf16: kernelOf(large('bf16')), f32: kernelOf(large('f32')) };

async function measureCost(): Promise<void> {
  const results: object[] = [];
  for (const [dtype, kernel] of Object.entries(largeKernels)) {
    for (const mode of ['verify', 'time'] as const) {
      for (const judges of [false, true]) {
        const start = performance.now();
        const { outcome, timing } = await run(kernel, { mode, judges, effort: 'full' });
        const ms = Math.round(performance.now() - start);
        results.push({ dtype, mode, judges, ms, outcome, medianMs: timing?.medianMs });
      }
    }
  }
  record('cost.json', { what: 'Duration of runs with and without the judge, in ms', results });
}

/** Two benchmarks per type. The energies per product must agree within the limit. */
const MOST_ENERGY_PERCENT = 2;

async function measureEnergy(): Promise<void> {
  const results: object[] = [];
  for (const [dtype, kernel] of Object.entries(largeKernels)) {
    const runs: Measurement[] = [];
    for (let i = 0; i < 2; i++) runs.push(await run(kernel, { judges: false, effort: 'full' }));
    const joules = runs.map(({ energy }) => energy?.joules ?? NaN);
    const percent = 100 * (Math.max(...joules) / Math.min(...joules) - 1);
    if (!(percent <= MOST_ENERGY_PERCENT))
      failures.push(`energy of ${dtype}: ${joules.join(', ')} J differ by ${percent.toFixed(2)} %`);
    const shown = runs.map(({ energy, energyUnknown, timing }) => ({
      energy,
      energyUnknown,
      timing,
    }));
    results.push({ dtype, percent, runs: shown });
  }
  record('energy.json', { what: 'Energy per product at 4096, measured twice', results });
}

const kernels = randomKernels();
compileAhead([
  ...cheats.map(({ runnable }) => runnable),
  ...Object.values(largeKernels),
  ...kernels,
]);
await runCheats();
await runRandom(kernels);
await measureCost();
await measureEnergy();
await endRunners();
console.log(failures.length === 0 ? 'All expectations are met.' : failures.join('\n'));
process.exitCode = failures.length === 0 ? 0 : 1;
