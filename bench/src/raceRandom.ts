/**
 * Benchmarks the default schedule at random shapes against the fastest of cuBLAS and cuBLASLt:
 * `node out/bench/raceRandom.js --family NAME --seed SEED [--count 100]
 *   [--only I,J] [--out bench/h200-random.jsonl] [--top N] [--sample N] [--schedules FILE]
 *   [--rasters 4,8,16] [--narrow]
 *   [--epilogue JSON] [--beta 1] [--square M,N,...]
 *   [--behind 1.5] [--batch-ms 300] [--samples 3] [--screen] [--seconds 540] [--gpu 0]
 *   [--workers N]`
 *
 * Shape I of a seed depends only on SEED and I; `--only` limits the run to some shapes. Other
 * schedules are also timed where they are legal: the N best predictions (`--top`), N random ones
 * of the 100 best predictions (`--sample`) and the schedules in FILE. FILE is a JSON list, or an
 * object of lists by key of a shape. `--rasters` adds the default with these groups in each
 * order, and `--narrow` tiles for few rows or columns with 1 to 8 split-K slices in a cluster.
 * With batches of 300 ms, each kernel runs at the clock that its own power permits. `--screen`
 * compares many schedules of a shape without the libraries, in short batches that share one
 * clock. `--epilogue` and `--beta` change every problem. `--square` adds squares with the types
 * and layouts of shape 0.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { resolve } from '../../src/core/defaults/resolve';
import { choiceOf } from './random/choice';
import { matchDevice } from '../../src/core/hardware/devices';
import { plan } from '../../src/core/plan/planner';
import { decodeSpec } from '../../src/core/spec/decode';
import type { EpilogueOps } from '../../src/core/spec/epilogue';
import type { GemmSpec } from '../../src/core/spec/schema';
import { endRunners } from '../../src/host/cuda/runner/runners';
import { provenance } from '../../scripts/grid/provenance';
import { choicesOf } from '../../scripts/grid/choices';
import { libraryProtocol, SCREENING } from './random/protocol';
import { narrowSchedules } from './random/narrow';
import { selectShapes, shapeText, type RandomShape } from './random/shapes';
import { openRecord } from './tensor/record';
import { fastestBaseline, openSession, prepare, race, type Prepared } from './tensor/session';
import { inTurn } from './tensor/turns';

const { values: given } = parseArgs({
  options: {
    family: { type: 'string' },
    seed: { type: 'string' },
    count: { type: 'string', default: '100' },
    only: { type: 'string' },
    out: { type: 'string', default: 'bench/h200-random.jsonl' },
    top: { type: 'string', default: '0' },
    sample: { type: 'string', default: '0' },
    schedules: { type: 'string' },
    rasters: { type: 'string' },
    narrow: { type: 'boolean', default: false },
    behind: { type: 'string', default: '1.5' },
    epilogue: { type: 'string' },
    beta: { type: 'string' },
    square: { type: 'string' },
    'batch-ms': { type: 'string', default: '300' },
    samples: { type: 'string', default: '3' },
    screen: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '540' },
    gpu: { type: 'string', default: '0' },
    workers: { type: 'string', default: String(availableParallelism()) },
  },
});
const changes = {
  ...(given.beta === undefined ? {} : { beta: Number(given.beta) }),
  ...(given.epilogue === undefined ? {} : { epilogue: JSON.parse(given.epilogue) as EpilogueOps }),
};
const suffix = Object.keys(changes).length === 0 ? '' : `, ${JSON.stringify(changes)}`;
const chosen = selectShapes(given);
const squares = (given.square?.split(',') ?? []).flatMap((side): RandomShape[] => {
  const [first] = chosen;
  if (first === undefined) return [];
  const [m, n, k] = [Number(side), Number(side), Number(side)];
  const problem = { ...first.problem, m, n, k };
  return [{ ...first, key: `${given.family ?? ''} square ${side}`, problem }];
});
const shapes = [...squares, ...chosen].map(({ key, problem, ...rest }): RandomShape => ({
  ...rest,
  key: `${key}${suffix}`,
  problem: { ...problem, ...changes },
}));
const Schedules = v.array(v.unknown());
const more: readonly unknown[] | Readonly<Record<string, readonly unknown[]>> =
  given.schedules === undefined
    ? []
    : v.parse(
        v.union([Schedules, v.record(v.string(), Schedules)]),
        JSON.parse(readFileSync(given.schedules, 'utf8')),
      );
const moreOf = (key: string): readonly unknown[] =>
  more instanceof Array ? more : (more[key] ?? []);

const began = performance.now();
const endsAt = began + Number(given.seconds) * 1000 - 5000;
const signal = AbortSignal.timeout(Number(given.seconds) * 1000);
const session = await openSession({
  workers: Number(given.workers),
  signal,
  options: { where: 'cli', ceilings: false, gpu: Number(given.gpu) },
});
const device = v.parse(
  v.string(`${session.machine.device} is not in the device table.`),
  matchDevice(session.machine.device),
);
interface Drawn {
  readonly key: string;
  readonly problem: GemmSpec['problem'];
  readonly specs: readonly GemmSpec[];
}

function drawn({ index, key, problem }: RandomShape): Drawn {
  const common = { version: 1, problem, device, targets: ['cuda'] } as const;
  const specs = [
    {},
    ...[
      ...predicted(problem, index),
      ...moreOf(key),
      ...rastersOf(problem),
      ...narrow(problem),
    ].map(schedule => ({
      schedule,
    })),
  ].flatMap((own): GemmSpec[] => {
    const decoded = decodeSpec({ ...common, ...own });
    if (!decoded.ok) throw new Error(JSON.stringify(decoded.errors));
    return plan(resolve(decoded.spec), 'cuda').ok ? [decoded.spec] : [];
  });
  return { key, problem, specs };
}

const SAMPLED = 100;

/** Returns the best predictions and a random sample of the good ones. */
function predicted(problem: GemmSpec['problem'], index: number): readonly unknown[] {
  const [top, sample] = [Number(given.top), Number(given.sample)];
  if (top + sample === 0) return [];
  const { pick } = choicesOf(index);
  const spec = resolve({ version: 1, problem, device });
  const best = choiceOf(spec, Math.max(top, SAMPLED)).map(({ schedule }) => schedule);
  const random = Array.from({ length: best.length === 0 ? 0 : sample }, () => pick(best));
  return [...best.slice(0, top), ...random];
}

const narrow = (problem: GemmSpec['problem']): readonly unknown[] =>
  given.narrow ? narrowSchedules(problem) : [];

/** Returns the default with each order and group of `--rasters`. */
function rastersOf(problem: GemmSpec['problem']): readonly unknown[] {
  const { schedule } = resolve({ version: 1, problem, device, targets: ['cuda'] });
  const groups = given.rasters?.split(',').map(Number) ?? [];
  return (['row', 'col'] as const).flatMap(order =>
    groups.map(group => ({ ...schedule, raster: { order, group } })),
  );
}

const record = openRecord(given.out, {
  type: 'head',
  what: 'Default schedules (first of each list of kernels) at random shapes',
  ...provenance(`node out/bench/raceRandom.js ${process.argv.slice(2).join(' ')}`),
  ...session.machine,
});
const say = (text: string): void => {
  console.log(`${((performance.now() - began) / 1000).toFixed(1)} s, ${text}`);
};

const AHEAD = 4;
const items = shapes.map(drawn).filter(({ key }) => !record.has(key));
const prepared = new Map<Drawn, Promise<readonly Prepared[]>>();
const prepareFrom = (at: number): void => {
  for (const item of items.slice(at, at + 1 + AHEAD))
    if (!prepared.has(item)) prepared.set(item, prepare(item.specs, session));
};

const isOver = (): boolean => signal.aborted;
const failed: string[] = [];
const ratios: number[] = [];
async function run(item: Drawn, leftMs: number): Promise<boolean> {
  prepareFrom(items.indexOf(item));
  const candidates = (await prepared.get(item)) ?? [];
  prepared.set(item, Promise.resolve([]));
  if (isOver()) return false;
  const line = await race(
    candidates,
    session,
    given.screen
      ? SCREENING
      : libraryProtocol({
          batchMs: Number(given['batch-ms']),
          samples: Number(given.samples),
          behind: Number(given.behind),
          leftMs,
        }),
  );
  if (isOver()) return false;
  if (typeof line === 'string') {
    failed.push(item.key);
    say(`${item.key}: ${line}`);
    return true;
  }
  record.write({ type: 'race', key: item.key, problem: item.problem, ...line });
  const [own] = line.kernels;
  const library = fastestBaseline(line.baselines);
  const reference = given.screen ? line.best : library;
  const rate = own !== undefined && 'gflops' in own ? (own.gflops ?? 0) : 0;
  const wrong = line.kernels.filter(({ outcome }) => !/^(correct|illegal)$/.test(outcome));
  if (wrong.length > 0 || reference === 0) failed.push(item.key);
  ratios.push(rate / reference);
  say(
    `${item.key}: ${shapeText(item.problem)} default ${(rate / reference).toFixed(3)}, best ${(line.best / reference).toFixed(3)} of ${(reference / 1000).toFixed(1)} TFLOP/s; ${wrong.length} failed`,
  );
  return true;
}

const left = await inTurn({ items, run, endsAt });
const mean = Math.exp(ratios.reduce((sum, one) => sum + Math.log(one), 0) / ratios.length);
record.write({ type: 'end', raced: ratios.length, failed, left: left.map(({ key }) => key) });
await endRunners();
say(
  `${ratios.length} benchmarked, geometric mean ${mean.toFixed(3)}, lowest ${Math.min(...ratios).toFixed(3)}; ${failed.length} failed, ${left.length} left: ${given.out}`,
);
for (const key of failed) console.log(`failed: ${key}`);
process.exit(failed.length === 0 ? 0 : 1);
