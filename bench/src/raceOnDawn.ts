/**
 * Benchmarks schedules in WGSL on this machine's adapter, with Dawn in this process:
 * `node out/bench/raceOnDawn.js --candidates FILE --shapes 4096x4096x4096,1024x1024x1024
 *   [--layouts rrr,rcr] [--dtype f32] [--accumulator f32] [OPTIONS]
 * node out/bench/raceOnDawn.js --family wgsl --seed SEED [--count 100] [--only I,J] [--sample N]
 *   [OPTIONS]`
 *
 * OPTIONS: `[--limits 1024x49152] [--no-robustness] [--experimental] [--rounds 7] [--batch-ms 20]
 *   [--behind 1.3] [--seconds 500] [--out FILE]`
 *
 * The candidates are a JSON list of schedules, as in a spec. `--family` benchmarks the default
 * schedule for this adapter at the random shapes of raceRandom.ts, with the same keys, and N random
 * candidates.
 * Next step: wgslRatios.ts
 *
 * `--limits` sets invocations and bytes of workgroup storage per workgroup; the default is WebGPU's
 * default limits. A Vulkan driver is required. src/host/dawn/swiftShader.ts has the environment
 * variables that select SwiftShader. The output is a head line, one line of JSON per problem, and
 * an end line with the failed problems and the problems left after `--seconds`.
 */
import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { adapterOf } from '../../src/core/defaults/dispatch/adapterFamily';
import { median } from '../../src/core/measure/statistics';
import { dawnToggles } from '../../src/host/dawn/toggles';
import { openAdapter } from '../../src/webgpu/adapter';
import { SUBMIT_MS, type Environment } from '../../src/webgpu/environment';
import { createGuard } from '../../src/webgpu/guard';
import { requirements } from '../../src/webgpu/limits';
import { openSession } from '../../src/webgpu/session';
import { openTimer } from '../../src/webgpu/timer';
import { emit } from '../../src/core/kernel/emit';
import { planIfLegal } from '../../src/core/plan/planner';
import {
  listedContests,
  randomContests,
  readCandidates,
  type DawnContest,
} from './dispatch/dawnContests';
import { raceOnDawn, type Contestant } from './dispatch/dawnRace';
import { provenance } from '../../scripts/grid/provenance';

const { values: options } = parseArgs({
  options: {
    candidates: { type: 'string' },
    shapes: { type: 'string', default: '4096x4096x4096' },
    layouts: { type: 'string', default: 'rrr' },
    family: { type: 'string' },
    seed: { type: 'string' },
    count: { type: 'string', default: '100' },
    only: { type: 'string' },
    sample: { type: 'string', default: '0' },
    dtype: { type: 'string', default: 'f32' },
    accumulator: { type: 'string' },
    limits: { type: 'string' },
    'no-robustness': { type: 'boolean', default: false },
    experimental: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '7' },
    'batch-ms': { type: 'string', default: '20' },
    behind: { type: 'string', default: '1.3' },
    seconds: { type: 'string', default: '500' },
    out: { type: 'string' },
  },
});

const switches = {
  robustness: options['no-robustness'] ? 'off' : 'on',
  experimental: options.experimental,
} as const;
const PACKAGE = 'webgpu';
const { create } = (await import(PACKAGE)) as { create: (options: string[]) => GPU };
const nothing = (): void => undefined;
const environment: Environment = {
  gpu: create(dawnToggles(switches)),
  now: () => performance.now(),
  after: (delayMs, action) => {
    const timer = setTimeout(action, delayMs);
    return () => {
      clearTimeout(timer);
    };
  },
  visible: () => true,
  onHidden: () => nothing,
  where: 'script',
  ceilings: new Map(),
  losses: { count: 0 },
  submitMs: SUBMIT_MS,
  ...switches,
  advice: { noApi: 'Run npm install webgpu.', noAdapter: 'Install a Vulkan driver.', restart: '' },
};

const say = (line: object): void => {
  const text = JSON.stringify(line);
  if (options.out === undefined) console.log(text);
  else appendFileSync(options.out, `${text}\n`);
};

const guard = createGuard(environment, new AbortController().signal);
const opened = await openAdapter(environment, guard);
if (!opened.available) throw new Error(`${opened.why} ${opened.next}`);
const { candidates } = options;
if ((candidates === undefined) === (options.family === undefined))
  throw new Error('Expected either --candidates FILE or --family NAME.');
const contests =
  candidates === undefined
    ? randomContests(options, {
        limits: options.limits,
        adapter: adapterOf(opened.device),
        sample: Number(options.sample),
      })
    : listedContests({ ...options, candidates });
say({
  type: 'head',
  ...provenance(`node out/bench/raceOnDawn.js ${process.argv.slice(2).join(' ')}`),
  device: opened.device,
  ...switches,
  dtype: options.dtype,
  ...(candidates === undefined ? {} : { candidates: readCandidates(candidates) }),
});
const began = performance.now();
const seconds = (): number => (performance.now() - began) / 1000;
const times = {
  batchMs: Number(options['batch-ms']),
  rounds: Number(options.rounds),
  behind: Number(options.behind),
};

/** Benchmarks one problem on a new device; returns an error message if no spec can run. */
async function contestantsOf({
  specs,
  identity,
}: DawnContest): Promise<readonly Contestant[] | string> {
  const [plan] = specs.flatMap(spec => planIfLegal(spec, 'wgsl') ?? []);
  if (plan === undefined) return 'No schedule is legal.';
  const adapter = await openAdapter(environment, guard);
  if (!adapter.available) throw new Error(adapter.why);
  const needs = requirements(emit(plan), adapter.adapter, environment.advice);
  if (!needs.ok) return needs.message;
  const session = await openSession(environment, guard, adapter.adapter, needs.descriptor);
  try {
    const timer = await openTimer(session);
    const results = await raceOnDawn(session, timer, specs, times);
    const contestants = results.map((one, at) => ({ schedule: specs[at]?.schedule, ...one }));
    const { name, quantumNs } = timer;
    say({ type: 'shape', ...identity, timer: name, quantumNs, contestants });
    return contestants;
  } finally {
    session.device.destroy();
  }
}

const failed: string[] = [];
const left: string[] = [];
for (const contest of contests) {
  const { title } = contest;
  if (seconds() > Number(options.seconds)) {
    left.push(title);
    continue;
  }
  const contestants = await contestantsOf(contest);
  if (typeof contestants === 'string') {
    failed.push(title);
    console.error(`${seconds().toFixed(0)} s ${title}: ${contestants}`);
    continue;
  }
  if (contestants.every(({ gflops }) => gflops.length === 0)) failed.push(title);
  const best = contestants
    .map(({ gflops, why }, at) => ({ at, gflops: gflops.length === 0 ? 0 : median(gflops), why }))
    .toSorted((one, other) => other.gflops - one.gflops);
  console.error(`${seconds().toFixed(0)} s ${title}:`);
  for (const { at, gflops, why } of best.slice(0, 12)) {
    console.error(
      `  ${at}: ${gflops.toPrecision(4)} GFLOP/s ${why ?? contestants[at]?.specKey ?? ''}`,
    );
  }
}
say({ type: 'end', failed, left });
console.error(`${failed.length} failed, ${left.length} left`);
// A regular exit would wait for Dawn's threads.
process.kill(process.pid, 'SIGKILL');
