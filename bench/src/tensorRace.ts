/**
 * Verifies and races kernels of tensor cores on this machine's GPU, in one runner process:
 * node out/bench/tensorRace.js [--out bench/h200-wgmma.jsonl] [--only random|shapes] [--algorithm wgmma|mma|ladder]
 *   [--count 200] [--first SEED] [--shapes bench/shapes.json] [--match PATTERN] [--seconds 540] [--budget-ms 2500] [--batch-ms 5]
 * `random`: that many random legal specs, each verified against f64 on the GPU. `shapes`: of `wgmma` the shapes of FILE in bf16
 * and f16, TN and NN, of `mma` 8192 in all layouts, of `ladder` every rung of tensor cores, those whose key PATTERN matches; several schedules each beside the fastest
 * algorithm of cuBLASLt, all taking turns, with clocks and power. Short turns share one clock; in long ones each has the clock
 * that its own power leaves. A JSON line as each is made; what stands in the file is not done again. It ends before its time
 * does, and says what it left.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { endRunners } from '../../src/host/cuda/runner/runners';
import { provenance } from '../../scripts/grid/provenance';
import { contestKey, CONTESTS, readShapes, type Contest } from '../../scripts/tensor/candidates';
import { legalKernels, RANDOM, type SeededKernel } from './tensor/randomSpecs';
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
  },
});
const { only } = given;
if (only !== undefined && only !== 'random' && only !== 'shapes') {
  throw new Error(`--only is random or shapes, not "${only}"`);
}
const { algorithm } = given;
if (algorithm !== 'wgmma' && algorithm !== 'mma' && algorithm !== 'ladder') {
  throw new Error(`--algorithm is wgmma, mma or ladder, not "${algorithm}"`);
}
if (algorithm === 'ladder' && only !== 'shapes') {
  throw new Error('--algorithm ladder races alone: add --only shapes');
}
const match = new RegExp(given.match);

/** For the last piece and the runner's end. */
const MARGIN_MS = 5000;
const began = performance.now();
const endsAt = began + Number(given.seconds) * 1000 - MARGIN_MS;
const signal = AbortSignal.timeout(Number(given.seconds) * 1000);
const session = await openSession({ workers: availableParallelism(), signal });
const record = openRecord(given.out, {
  type: 'head',
  what: `Kernels of ${algorithm}: random ones verified, shapes raced with cuBLASLt`,
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
  record.write({ key, ...line });
  verified++;
  if (line.outcome !== 'correct') failed.push(key);
  const message = 'message' in line ? `: ${line.message}` : '';
  say(`${key}, ${line.specKey}: ${line.outcome}${message}`);
  return true;
}
const seedKey = ({ seed }: SeededKernel): string => `seed ${seed}`;

/** Schedules of some contests ahead are compiled while one is raced. */
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
    say(`${key}: ${(best / 1000).toFixed(1)} TFLOP/s${beside}; ${wrong.length} not right`);
    return true;
  };
}

const left: string[] = [];
if (only !== 'shapes' && algorithm !== 'ladder') {
  const drawn = taken(Number(given.count), legalKernels(Number(given.first), RANDOM[algorithm]));
  const items = drawn.filter(one => !record.has(seedKey(one)));
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
  `${verified} verified, ${raced} raced, ${failed.length} not right, ${left.length} left for another call: ${given.out}`,
);
for (const key of failed) console.log(`not right: ${key}`);
process.exit(failed.length === 0 ? 0 : 1);
