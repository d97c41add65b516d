/**
 * Benchmarks candidate schedules in WGSL on this machine's adapter, with Dawn in this process:
 * `node out/bench/raceOnDawn.js --candidates FILE --shapes 4096x4096x4096,1024x1024x1024
 *   [--layouts rrr,rcr] [--dtype f32] [--accumulator f32] [--limits 1024x49152]
 *   [--no-robustness] [--experimental] [--rounds 7] [--batch-ms 20] [--behind 1.3]
 *   [--seconds 500] [--out FILE]`
 *
 * The candidates are a JSON list of schedules, as in a spec. `--limits` sets invocations and bytes
 * of workgroup storage per workgroup; the default is WebGPU's default limits. A Vulkan driver is
 * required. src/host/dawn/swiftShader.ts has the environment variables that select SwiftShader.
 * The output is a head line and one line of JSON per shape and layouts.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { decodeSpec } from '../../src/core/spec/decode';
import { resolve } from '../../src/core/defaults/resolve';
import type { ResolvedSpec } from '../../src/core/spec/resolved';
import { dawnToggles } from '../../src/host/dawn/toggles';
import { openAdapter } from '../../src/webgpu/adapter';
import { SUBMIT_MS, type Environment } from '../../src/webgpu/environment';
import { createGuard } from '../../src/webgpu/guard';
import { requirements } from '../../src/webgpu/limits';
import { openSession } from '../../src/webgpu/session';
import { openTimer } from '../../src/webgpu/timer';
import { emit } from '../../src/core/kernel/emit';
import { planIfLegal } from '../../src/core/plan/planner';
import { raceOnDawn } from './dispatch/dawnRace';
import { provenance } from '../../scripts/grid/provenance';

const { values: options } = parseArgs({
  options: {
    candidates: { type: 'string' },
    shapes: { type: 'string', default: '4096x4096x4096' },
    layouts: { type: 'string', default: 'rrr' },
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

if (options.candidates === undefined) throw new Error('--candidates FILE is required');
const schedules = v.parse(
  v.array(v.unknown()),
  JSON.parse(readFileSync(options.candidates, 'utf8')),
);
const layoutOf = (letter: string | undefined): 'row' | 'col' => (letter === 'c' ? 'col' : 'row');

function specOf(shape: string, layouts: string, schedule: unknown): ResolvedSpec {
  const [m, n, k] = shape.split('x').map(Number);
  const operand = (i: number) => ({ dtype: options.dtype, layout: layoutOf(layouts[i]) });
  const [invocations, workgroupStorageBytes] = options.limits?.split('x').map(Number) ?? [];
  const decoded = decodeSpec({
    problem: {
      m,
      n,
      k,
      a: operand(0),
      b: operand(1),
      c: { layout: layoutOf(layouts[2]) },
      ...(options.accumulator === undefined ? {} : { accumulator: options.accumulator }),
    },
    schedule,
    targets: ['wgsl'],
    ...(options.limits === undefined
      ? {}
      : { webgpuLimits: { invocations, workgroupStorageBytes } }),
  });
  if (!decoded.ok) throw new Error(JSON.stringify(decoded.errors));
  return resolve(decoded.spec);
}

const say = (line: object): void => {
  const text = JSON.stringify(line);
  if (options.out === undefined) console.log(text);
  else appendFileSync(options.out, `${text}\n`);
};

const guard = createGuard(environment, new AbortController().signal);
const opened = await openAdapter(environment, guard);
if (!opened.available) throw new Error(`${opened.why} ${opened.next}`);
say({
  type: 'head',
  ...provenance(`node out/bench/raceOnDawn.js ${process.argv.slice(2).join(' ')}`),
  device: opened.device,
  ...switches,
  dtype: options.dtype,
  candidates: schedules,
});
const began = performance.now();
const seconds = (): number => (performance.now() - began) / 1000;
const times = {
  batchMs: Number(options['batch-ms']),
  rounds: Number(options.rounds),
  behind: Number(options.behind),
};
for (const shape of options.shapes.split(',')) {
  for (const layouts of options.layouts.split(',')) {
    if (seconds() > Number(options.seconds)) continue;
    const specs = schedules.map(schedule => specOf(shape, layouts, schedule));
    const legal = specs.flatMap(spec => planIfLegal(spec, 'wgsl') ?? []);
    const [plan] = legal;
    if (plan === undefined) continue;
    const needs = requirements(emit(plan), opened.adapter, environment.advice);
    if (!needs.ok) throw new Error(needs.message);
    const adapter = await openAdapter(environment, guard);
    if (!adapter.available) throw new Error(adapter.why);
    const session = await openSession(environment, guard, adapter.adapter, needs.descriptor);
    const timer = await openTimer(session);
    const contestants = await raceOnDawn(session, timer, specs, times);
    const median = (values: readonly number[]): number =>
      values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;
    say({
      type: 'shape',
      shape,
      layouts,
      timer: timer.name,
      quantumNs: timer.quantumNs,
      contestants,
    });
    const best = contestants
      .map((one, at) => ({ at, gflops: median(one.gflops), why: one.why }))
      .toSorted((one, other) => other.gflops - one.gflops);
    console.error(`${seconds().toFixed(0)} s ${shape} ${layouts}:`);
    for (const { at, gflops, why } of best.slice(0, 12)) {
      console.error(
        `  ${at}: ${gflops.toPrecision(4)} GFLOP/s ${why ?? contestants[at]?.specKey ?? ''}`,
      );
    }
    session.device.destroy();
  }
}
// A regular exit would wait for Dawn's threads.
process.kill(process.pid, 'SIGKILL');
