/**
 * Compares a tuning run with an exhaustive search on a machine with a GPU. It tunes a space from
 * scratch, measures the whole space, benchmarks the two winners, and repeatedly kills and resumes a
 * tuning run:
 * node out/bench/tuneAgainstExhaustive.js [--size 2048] [--space FILE] [--budget N]
 * [--kills 20] [--gpus 0] [--out FILE]
 * Kernels are compiled into a separate, initially empty cache. The runner is built into that cache
 * first.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { emit } from '../../src/core/kernel/emit';
import { median } from '../../src/core/measure/statistics';
import { planIfLegal } from '../../src/core/plan/planner';
import { resolve } from '../../src/core/defaults/resolve';
import type { ResolvedSchedule } from '../../src/core/spec/resolved';
import type { TuneSummary } from '../../src/core/search/tune/events';
import { parseSpace } from '../../src/core/search/tune/spaceFile';
import { programOf, type RunnerContext } from '../../src/host/cuda/runner/requests';
import { compileWithNvcc } from '../../src/host/cuda/runner/compileKernel';
import { findMachine } from '../../src/host/cuda/runner/machine';
import { raceKernels, raceRate } from '../../src/host/cuda/runner/race';
import { endRunners } from '../../src/host/cuda/runner/runners';
import { runTune } from '../../src/host/tune/run';
import { provenance } from '../../scripts/grid/provenance';

const { values: options } = parseArgs({
  options: {
    size: { type: 'string', default: '2048' },
    space: { type: 'string' },
    budget: { type: 'string' },
    kills: { type: 'string', default: '20' },
    gpus: { type: 'string', default: '0' },
    out: { type: 'string', default: 'bench/h200-tune.json' },
  },
});

const SPACE = {
  algorithm: ['pipelined'],
  'block.m': [64, 128, 256],
  'block.n': [64, 128, 256],
  'block.k': [8, 16],
  warp: [
    { m: 64, n: 32 },
    { m: 32, n: 64 },
    { m: 64, n: 64 },
  ],
  thread: [
    { m: 8, n: 8 },
    { m: 16, n: 8 },
    { m: 8, n: 16 },
  ],
  stages: [2, 3, 4],
  padding: [null, { a: 4, b: 0 }],
  minBlocksPerSm: [null, 2],
};

const folder = mkdtempSync(path.join(tmpdir(), 'gemm-tune-'));
const at = (name: string): string => path.join(folder, name);
process.env['XDG_CACHE_HOME'] = at('cache');
const cacheFolder = at('cache/gemm-explorer/build');

const size = Number(options.size);
const problem = { m: size, n: size, k: size };
const spec = resolve({ problem, targets: ['cuda'] });
const spaceText =
  options.space === undefined ? JSON.stringify(SPACE) : readFileSync(options.space, 'utf8');
writeFileSync(at('space.json'), spaceText);
writeFileSync(at('spec.gemm.json'), JSON.stringify({ problem, targets: ['cuda'] }));
const gpus = options.gpus.split(',').map(Number);
const { signal } = new AbortController();

async function askingNow(): Promise<RunnerContext> {
  const own = { where: 'cli', cacheFolder, gpu: gpus[0] ?? 0, ceilings: false };
  const found = await findMachine(own);
  if (!found.ok) throw new Error(`${found.why} ${found.next}`);
  return { machine: found.machine, options: own, signal, progress: () => undefined };
}

/** Seconds from the start of each search to the end of its quick rounds. */
const quickSeconds = new Map<string, number>();

async function search(name: string, exhaustive: boolean): Promise<TuneSummary> {
  const began = performance.now();
  const decoded = parseSpace(spaceText, { problem: spec.problem, schedule: {} });
  if (!decoded.ok) throw new Error(JSON.stringify(decoded.errors));
  const ended = await runTune(
    {
      spec,
      backend: 'cuda',
      space: decoded.space,
      seeds: [],
      gpus,
      exhaustive,
      where: 'cli',
      dawn: { worker: '' },
      journal: at(`${name}.jsonl`),
      cuda: { cacheFolder },
      ...(options.budget === undefined || exhaustive ? {} : { schedules: Number(options.budget) }),
    },
    {
      abort: signal,
      progress: () => undefined,
      say: event => {
        if (event.type === 'round' && event.effort !== 'quick' && !quickSeconds.has(name)) {
          quickSeconds.set(name, (performance.now() - began) / 1000);
        }
        if (event.type === 'clock' && Math.random() > 0.02) return;
        if (event.type === 'clock')
          console.error(`${name}: ${Math.round(event.elapsedMs / 1000)} s`);
        if (event.type === 'note' || event.type === 'round') console.error(JSON.stringify(event));
      },
    },
  );
  if (!ended.ok) throw new Error(ended.message);
  return ended.summary;
}

interface Phase {
  readonly effort: string;
  readonly count: number;
}

const phases = (name: string): readonly Phase[] => {
  const counts = new Map<string, number>();
  for (const line of linesOf(at(`${name}.jsonl`))) {
    counts.set(line.effort, (counts.get(line.effort) ?? 0) + 1);
  }
  return [...counts].map(([effort, count]) => ({ effort, count }));
};

interface Line {
  readonly effort: string;
  readonly measurement: { readonly kernelKey: string };
}
const linesOf = (file: string): readonly Line[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line.startsWith('{') && line.endsWith('}'))
    .map(line => JSON.parse(line) as Line);

/** Returns the rates of both winners in GFLOP/s (null if not timed) for three rounds. */
async function raced(
  schedules: readonly ResolvedSchedule[],
): Promise<readonly (number | null)[][]> {
  const asking = await askingNow();
  const made = await programOf(asking);
  if (!made.ok) throw new Error(made.message);
  const kernels = [];
  for (const schedule of schedules) {
    const plan = planIfLegal({ ...spec, schedule }, 'cuda');
    if (plan === null) throw new Error('Expected the winner to be legal.');
    const runnable = emit(plan);
    const compiled = await compileWithNvcc(runnable, asking);
    if (!compiled.ok) throw new Error(compiled.message);
    kernels.push({ runnable, compiled });
  }
  const rates: (number | null)[][] = [];
  for (let round = 0; round < 3; round++) {
    const race = await raceKernels(
      { kernels, seed: 1, cache: 'cold', baselines: [], deadlineMs: 120_000 },
      made.program,
      asking,
    );
    if (!race.ok) throw new Error(race.message);
    rates.push(race.answer.contestants.map(one => raceRate(one, spec.problem)));
  }
  return rates;
}

/**
 * Runs `tune` in a process, kills it after random times, and counts lost and repeated measurements
 * in its journal.
 */
async function killed(times: number): Promise<object> {
  const journal = at('killed.jsonl');
  const args = ['dist/cli.js', 'tune', at('spec.gemm.json'), '--space', at('space.json')];
  const run = async (killAfterMs?: number): Promise<readonly string[]> => {
    const child = spawn(
      process.execPath,
      [...args, '--backend', 'cuda', '--journal', journal, '--gpus', options.gpus, '--json'],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const ended = new Promise(resolveEnd => child.once('close', resolveEnd));
    if (killAfterMs !== undefined) {
      await Promise.race([wait(killAfterMs), ended]);
      child.kill('SIGKILL');
    }
    await ended;
    return text.split('\n').slice(0, -1);
  };
  let lost = 0;
  for (let kill = 0; kill < times; kill++) {
    const lines = await run(500 + Math.random() * 2500);
    const known = new Set(linesOf(journal).map(({ measurement }) => measurement.kernelKey));
    for (const line of lines) {
      const { kernelKey } = JSON.parse(line) as { readonly kernelKey?: string };
      if (kernelKey !== undefined && !known.has(kernelKey)) lost++;
    }
  }
  const summary = JSON.parse((await run()).at(-1) ?? '{}') as TuneSummary;
  const keys = linesOf(journal).map(
    ({ effort, measurement }) => `${measurement.kernelKey} ${effort}`,
  );
  const repeated = keys.length - new Set(keys).size;
  const { ended, winner } = summary;
  return { kills: times, lost, repeated, ended, winner: winner?.specKey, tflops: winner?.tflops };
}

async function main(): Promise<void> {
  const asking = await askingNow();
  const made = await programOf(asking);
  if (!made.ok) throw new Error(made.message);
  const found = await search('tune', false);
  const all = await search('exhaustive', true);
  const winners = [found, all].map(({ winner, ties }) => (winner ?? ties[0])?.schedule);
  const [first, second] = winners;
  if (first === undefined || second === undefined)
    throw new Error('Expected two winners: a search measured no schedule.');
  const rates = await raced([first, second]);
  const of = (index: number): number => median(rates.map(round => round[index] ?? NaN));
  const described = (name: string, summary: TuneSummary) => ({
    measuredCount: summary.measuredCount,
    measuredShare: summary.measuredShare,
    seconds: summary.elapsedMs / 1000,
    phases: phases(name),
    quickSeconds: quickSeconds.get(name),
    /**
     * Measured schedules per second of quick rounds, including opening the GPU and enumerating the
     * space.
     */
    schedulesPerSecond: summary.measuredCount / (quickSeconds.get(name) ?? NaN),
    winner: summary.winner,
    ties: summary.ties.length,
    failures: summary.failures.length,
    notes: summary.notes,
  });
  const record = {
    what: 'A tuning run compared with an exhaustive search, with both winners benchmarked by the full protocol, and a tuning run that is killed and resumed',
    ...provenance(`node out/bench/tuneAgainstExhaustive.js --size ${size}`),
    problem,
    space: JSON.parse(spaceText) as unknown,
    count: all.space,
    gpu: found.measuredOn,
    tune: described('tune', found),
    exhaustive: described('exhaustive', all),
    raced: { gflops: rates, ratio: of(0) / of(1) },
    killed: await endRunners().then(() => killed(Number(options.kills))),
  };
  writeFileSync(options.out, `${JSON.stringify(record, null, 1)}\n`);
  console.log(
    `${found.measuredCount} of ${all.space.legal} schedules were measured, and the best reaches ${(100 * record.raced.ratio).toFixed(1)} % of the best exhaustive rate; ` +
      `tuning ran at ${record.tune.schedulesPerSecond.toFixed(1)} schedules per second, the exhaustive search at ${record.exhaustive.schedulesPerSecond.toFixed(1)}`,
  );
}

await main().finally(async () => {
  await endRunners();
  rmSync(folder, { recursive: true, force: true });
});
