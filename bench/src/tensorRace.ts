/**
 * Verifies and benchmarks tensor-core kernels on this machine's GPU, in one runner process:
 * `node out/bench/tensorRace.js [--out bench/h200-wgmma.jsonl] [--only random|shapes]
 *   [--algorithm wgmma|mma|ladder] [--count 200] [--first SEED] [--shapes bench/shapes.json]
 *   [--match PATTERN] [--seconds 540] [--budget-ms 2500] [--batch-ms 5] [--gpu 0]
 *   [--sanitized | --like RECORD] [--part 1/4]`
 *
 * `random` verifies `--count` random legal specs against f64 on the GPU. With `--sanitized`, the
 * specs are small, and some kinds of `wgmma` kernels are more frequent (sanitizedKernels.ts).
 * `--like RECORD` verifies the specs of a record. `--part 1/4` is every fourth spec.
 *
 * `shapes` benchmarks several schedules per comparison whose key matches PATTERN. Samples are
 * interleaved with the fastest cuBLASLt algorithm, and clocks and power are recorded. `wgmma`
 * measures the shapes of FILE in bf16 and f16 with layouts TN and NN. `mma` measures 8192 in all
 * layouts. `ladder` measures every tensor-core rung.
 *
 * Kernels in short batches share one GPU clock; in long batches, each kernel runs at the clock that
 * its own power permits. The output is a JSON line per result, and recorded results are not
 * repeated. The script ends before its time limit and reports the remaining work.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { endRunners } from '../../src/host/cuda/runner/runners';
import { provenance } from '../../scripts/grid/provenance';
import { contestKey, CONTESTS, readShapes, type Contest } from '../../scripts/tensor/candidates';
import { legalKernels, RANDOM, type SeededKernel } from './tensor/randomSpecs';
import { kindsOf, sanitizedKernels } from './tensor/sanitizedKernels';
import { openRecord } from './tensor/record';
import { openSession, prepare, race, verifySeeded, type Prepared } from './tensor/session';
import { inTurn } from './tensor/turns';
import { taken } from '../../scripts/grid/taken';

const { values: given } = parseArgs({
  options: {
    out: { type: 'string', default: 'bench/h200-wgmma.jsonl' },
    only: { type: 'string' },
    algorithm: { type: 'string', default: 'wgmma' },
    match: { type: 'string', default: '' },
    count: { type: 'string', default: '200' },
    first: { type: 'string', default: '0' },
    shapes: { type: 'string', default: 'bench/shapes.json' },
    seconds: { type: 'string', default: '540' },
    'budget-ms': { type: 'string', default: '2500' },
    'batch-ms': { type: 'string', default: '5' },
    gpu: { type: 'string', default: '0' },
    sanitized: { type: 'boolean', default: false },
    like: { type: 'string' },
    part: { type: 'string', default: '1/1' },
  },
});
const { only } = given;
if (only !== undefined && only !== 'random' && only !== 'shapes') {
  throw new Error(`--only must be random or shapes, got "${only}"`);
}
const { algorithm } = given;
if (algorithm !== 'wgmma' && algorithm !== 'mma' && algorithm !== 'ladder') {
  throw new Error(`--algorithm must be wgmma, mma or ladder, got "${algorithm}"`);
}
if (algorithm === 'ladder' && only !== 'shapes') {
  throw new Error('Algorithm "ladder" has no random specs. Fix: add --only shapes.');
}
if (given.sanitized && (algorithm !== 'wgmma' || only !== 'random')) {
  throw new Error('--sanitized requires --algorithm wgmma and --only random.');
}
const [part = NaN, parts = NaN] = given.part.split('/').map(Number);
if (!(part >= 1 && part <= parts)) throw new Error(`--part must be like 1/4, got "${given.part}"`);
const match = new RegExp(given.match);

/** Time reserved for the last item and the runner's exit, in milliseconds. */
const MARGIN_MS = 5000;
const randomSchema = v.object({ type: v.literal('random'), seed: v.number() });
const began = performance.now();
const endsAt = began + Number(given.seconds) * 1000 - MARGIN_MS;
const signal = AbortSignal.timeout(Number(given.seconds) * 1000);
const session = await openSession({
  workers: availableParallelism(),
  signal,
  options: { where: 'cli', ceilings: false, gpu: Number(given.gpu) },
});
const record = openRecord(given.out, {
  type: 'head',
  what: `Kernels of ${algorithm}: random specs verified, shapes benchmarked against cuBLASLt`,
  ...provenance(`node out/bench/tensorRace.js ${process.argv.slice(2).join(' ')}`),
  ...session.machine,
});
const isOver = (): boolean => signal.aborted;
const say = (text: string): void => {
  console.log(`${((performance.now() - began) / 1000).toFixed(1)} s, ${text}`);
};

let [verified, raced] = [0, 0];
const failed: string[] = [];

async function verify(one: SeededKernel): Promise<boolean> {
  const line = await verifySeeded(one, session);
  if (line.outcome === 'cancelled') return false;
  const key = seedKey(one);
  record.write({
    key,
    ...line,
    ...(algorithm === 'wgmma' ? { kinds: kindsOf(one.kernel.plan) } : {}),
  });
  verified++;
  if (line.outcome !== 'correct') failed.push(key);
  const message = 'message' in line ? `: ${line.message}` : '';
  say(`${key}, ${line.specKey}: ${line.outcome}${message}`);
  return true;
}
const seedsOf = (lines: string): readonly number[] =>
  lines.split('\n').flatMap(line => {
    const found = v.safeParse(randomSchema, JSON.parse(line || 'null'));
    return found.success ? [found.output.seed] : [];
  });
function drawnKernels(specOf: (typeof RANDOM)['mma']): readonly SeededKernel[] {
  const { like, sanitized } = given;
  const [first, count] = [Number(given.first), Number(given.count)];
  if (like !== undefined)
    return seedsOf(readFileSync(like, 'utf8')).flatMap(seed =>
      taken(1, legalKernels(seed, specOf)),
    );
  return sanitized ? sanitizedKernels(first, count) : taken(count, legalKernels(first, specOf));
}
const seedKey = ({ seed }: SeededKernel): string => `seed ${seed}`;

/** Number of comparisons whose kernels are compiled ahead during a benchmark. */
const AHEAD = 3;

function shapeRaces(contests: readonly Contest[]) {
  const prepared = new Map<Contest, Promise<readonly Prepared[]>>();
  const prepareFrom = (at: number): void => {
    for (const contest of contests.slice(at, at + 1 + AHEAD)) {
      if (!prepared.has(contest)) prepared.set(contest, prepare(contest.specs, session));
    }
  };
  return async (contest: Contest, leftMs: number): Promise<boolean> => {
    prepareFrom(contests.indexOf(contest));
    const candidates = (await prepared.get(contest)) ?? [];
    prepared.set(contest, Promise.resolve([]));
    if (isOver()) return false;
    const line = await race(candidates, session, {
      timing: {
        warmUpMs: 15,
        settleMs: 60,
        batchMs: Number(given['batch-ms']),
        samples: 60,
        budgetMs: Number(given['budget-ms']),
      },
      baselines: contest.baselines,
      behind: contest.behind,
      deadlineMs: Math.max(1000, Math.min(180_000, leftMs)),
    });
    if (isOver()) return false;
    const key = contestKey(contest);
    if (typeof line === 'string') {
      failed.push(key);
      say(`${key}: ${line}`);
      return true;
    }
    const { shape, dtype, order } = contest;
    record.write({ type: 'race', key, shape, dtype, order, ...line });
    raced++;
    const wrong = line.kernels.filter(({ outcome }) => !/^(correct|illegal)$/.test(outcome));
    if (wrong.length > 0) failed.push(key);
    const { best, ratio } = line;
    const beside = ratio === null ? '' : `, ${ratio.toFixed(3)}x cuBLASLt`;
    say(`${key}: ${(best / 1000).toFixed(1)} TFLOP/s${beside}; ${wrong.length} failed`);
    return true;
  };
}

const left: string[] = [];
if (only !== 'shapes' && algorithm !== 'ladder') {
  const items = drawnKernels(RANDOM[algorithm])
    .filter((_, index) => index % parts === part - 1)
    .filter(one => !record.has(seedKey(one)));
  for (const { kernel } of items) void session.compile(kernel);
  left.push(...(await inTurn({ items, run: verify, endsAt })).map(seedKey));
}
if (only !== 'random') {
  const items = CONTESTS[algorithm](readShapes(given.shapes)).filter(
    one => match.test(contestKey(one)) && !record.has(contestKey(one)),
  );
  left.push(...(await inTurn({ items, run: shapeRaces(items), endsAt })).map(contestKey));
}
record.write({ type: 'end', verified, raced, failed, left });
await endRunners();
say(
  `${verified} verified, ${raced} benchmarked, ${failed.length} failed, ${left.length} left for a later call: ${given.out}`,
);
for (const key of failed) console.log(`failed: ${key}`);
process.exit(failed.length === 0 ? 0 : 1);
