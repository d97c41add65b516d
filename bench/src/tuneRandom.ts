/**
 * Compares the default schedule at random shapes with the winner of a tuning search:
 * `node out/bench/tuneRandom.js --family NAME --seed SEED [--count 10] [--only I,J]
 *   [--tune-seconds 60] [--exhaustive] [--cli dist/cli.js] [--behind 4] [--batch-ms 300]
 *   [--samples 3] [--seconds 540] [--gpu 0] [--workers N] [--out bench/h200-tuned.jsonl]`
 *
 * The shapes are those of raceRandom.ts. For each shape, the CLI tunes from scratch; then the
 * default and the winner are benchmarked against cuBLAS and cuBLASLt by the protocol of
 * raceRandom.ts. `--exhaustive` measures every legal schedule, by default without a time limit.
 * A search starts only if the remaining time exceeds the time of the longest shape so far.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { resolve } from '../../src/core/defaults/resolve';
import { matchDevice } from '../../src/core/hardware/devices';
import { median } from '../../src/core/measure/statistics';
import { specKey } from '../../src/core/plan/specKey';
import { decodeSpec } from '../../src/core/spec/decode';
import type { GemmSpec } from '../../src/core/spec/schema';
import { endRunners } from '../../src/host/cuda/runner/runners';
import { provenance } from '../../scripts/grid/provenance';
import { libraryProtocol } from './random/protocol';
import { selectShapes, shapeText, type RandomShape } from './random/shapes';
import { tuneByCli } from './random/tuneCli';
import { openRecord } from './tensor/record';
import { fastestBaseline, openSession, prepare, race } from './tensor/session';
import { inTurn } from './tensor/turns';

const { values: given } = parseArgs({
  options: {
    family: { type: 'string' },
    seed: { type: 'string' },
    count: { type: 'string', default: '10' },
    only: { type: 'string' },
    'tune-seconds': { type: 'string' },
    exhaustive: { type: 'boolean', default: false },
    cli: { type: 'string', default: 'dist/cli.js' },
    behind: { type: 'string', default: '4' },
    'batch-ms': { type: 'string', default: '300' },
    samples: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '540' },
    gpu: { type: 'string', default: '0' },
    workers: { type: 'string', default: String(availableParallelism()) },
    out: { type: 'string', default: 'bench/h200-tuned.jsonl' },
  },
});
const isExhaustive = given.exhaustive;
const limit = given['tune-seconds'] ?? (isExhaustive ? undefined : '60');
const tuneSeconds = limit === undefined ? undefined : Number(limit);
const keyOf = ({ key }: RandomShape): string => (isExhaustive ? `${key}, exhaustive` : key);

const began = performance.now();
const endsAt = began + Number(given.seconds) * 1000 - 5000;
const signal = AbortSignal.timeout(Number(given.seconds) * 1000);
const gpu = Number(given.gpu);
const session = await openSession({
  workers: Number(given.workers),
  signal,
  options: { where: 'cli', ceilings: false, gpu },
});
const device = v.parse(
  v.string(`${session.machine.device} is not in the device table.`),
  matchDevice(session.machine.device),
);
const record = openRecord(given.out, {
  type: 'head',
  what: 'Default schedules at random shapes compared with the winners of tuning searches',
  ...provenance(`node out/bench/tuneRandom.js ${process.argv.slice(2).join(' ')}`),
  ...session.machine,
});
const say = (text: string): void => {
  console.log(`${((performance.now() - began) / 1000).toFixed(1)} s, ${text}`);
};
const precise = (value: number): number => Number(value.toPrecision(5));

function specOf(problem: GemmSpec['problem'], own: object = {}): GemmSpec {
  const decoded = decodeSpec({ version: 1, problem, device, targets: ['cuda'], ...own });
  if (!decoded.ok) throw new Error(JSON.stringify(decoded.errors));
  return decoded.spec;
}

const isOver = (): boolean => signal.aborted;
const failed: string[] = [];
const ratios: number[] = [];
const folder = mkdtempSync(path.join(tmpdir(), 'gemm-tune-random-'));

/** Tunes and benchmarks one shape; returns a message, or undefined if the time is over. */
async function compare(shape: RandomShape, leftMs: number): Promise<string | undefined> {
  const { problem } = shape;
  const startedAt = performance.now();
  const spec = specOf(problem);
  const tuned = await tuneByCli(spec, {
    cli: given.cli,
    folder,
    gpu,
    isExhaustive,
    seconds: tuneSeconds,
    signal,
  });
  if (isOver()) return undefined;
  if (typeof tuned === 'string') throw new Error(tuned);
  const { winner, ended, measuredCount, elapsedMs, notes } = tuned;
  if (winner === null) throw new Error(`The search has no winner (${ended}). ${notes.join(' ')}`);
  const isEqual = specKey(resolve(spec)) === winner.specKey;
  const specs = [spec, ...(isEqual ? [] : [specOf(problem, { schedule: winner.schedule })])];
  const line = await race(
    await prepare(specs, session),
    session,
    libraryProtocol({
      batchMs: Number(given['batch-ms']),
      samples: Number(given.samples),
      behind: Number(given.behind),
      leftMs: leftMs - (performance.now() - startedAt),
    }),
  );
  if (isOver()) return undefined;
  if (typeof line === 'string') throw new Error(line);
  const rates = line.kernels.map(one => ('gflops' in one ? (one.gflops ?? 0) : 0));
  const [own = 0, best = own] = rates;
  const library = fastestBaseline(line.baselines);
  const isComplete = rates.length === specs.length && rates.every(rate => rate > 0) && library > 0;
  record.write({
    type: 'tuned',
    key: keyOf(shape),
    problem,
    default: own,
    tuned: best,
    isEqual,
    ...(isComplete
      ? {
          ratio: precise(own / best),
          defaultToLibrary: precise(own / library),
          tunedToLibrary: precise(best / library),
        }
      : {}),
    search: {
      isExhaustive,
      seconds: elapsedMs / 1000,
      ended,
      measured: measuredCount,
      legal: tuned.space.legal,
      ties: tuned.ties.map(tie => tie.specKey),
      notes,
    },
    race: line,
  });
  const wrong = line.kernels.filter(({ outcome }) => outcome !== 'correct');
  if (wrong.length > 0) throw new Error(wrong.map(({ outcome }) => outcome).join(', '));
  if (!isComplete) throw new Error('A kernel or the library has no rate.');
  ratios.push(own / best);
  const same = isEqual ? ' (the same schedule)' : '';
  return `default ${(own / best).toFixed(3)} of tuned${same}, ${(own / library).toFixed(3)} and ${(best / library).toFixed(3)} of the library; ${measuredCount} of ${tuned.space.legal} schedules measured in ${(elapsedMs / 1000).toFixed(0)} s`;
}

async function run(shape: RandomShape, leftMs: number): Promise<boolean> {
  const title = `${keyOf(shape)}: ${shapeText(shape.problem)}`;
  try {
    const message = await compare(shape, leftMs);
    if (message === undefined) return false;
    say(`${title}: ${message}`);
  } catch (error) {
    if (isOver()) return false;
    failed.push(keyOf(shape));
    say(`${title}: ${error instanceof Error ? error.message : String(error)}`);
  }
  return true;
}

const items = selectShapes(given).filter(shape => !record.has(keyOf(shape)));
const left = await inTurn({ items, run, endsAt });
record.write({ type: 'end', compared: ratios.length, failed, left: left.map(keyOf) });
await endRunners();
rmSync(folder, { recursive: true, force: true });
const figures =
  ratios.length === 0
    ? ''
    : `, default/tuned: median ${median(ratios).toFixed(3)}, minimum ${Math.min(...ratios).toFixed(3)}`;
say(
  `${ratios.length} compared${figures}; ${failed.length} failed, ${left.length} left: ${given.out}`,
);
for (const key of failed) console.log(`failed: ${key}`);
process.exit(failed.length === 0 ? 0 : 1);
