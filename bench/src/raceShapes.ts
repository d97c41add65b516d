/**
 * Benchmarks candidate schedules, cuBLAS and cuBLASLt at many shapes on this machine's GPU, for the
 * dispatch tables:
 * `node out/bench/raceShapes.js --candidates FILE [--out bench/h200-dispatch.jsonl]
 *   [--shapes FILE] [--layouts rrr,crr] [--seconds LIMIT] [--behind 1.25] [--batch-ms 3]
 *   [--samples 7] [--compile-only]`
 *
 * The candidates are a JSON list of schedules, as in a spec. The shapes are a JSON list of {m, n,
 * k, batch?, layouts?}. The output is one line per shape. A call with the same candidates and
 * commit continues the record.
 * Next step: node out/scripts/dispatchTable.js
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { layoutsSchema, shapeSchema, shapeText } from '../../src/core/defaults/dispatch/row';
import { decodeSpec } from '../../src/core/spec/decode';
import { resolve } from '../../src/core/defaults/resolve';
import type { ResolvedSchedule } from '../../src/core/spec/resolved';
import { endRunners } from '../../src/host/cuda/runner/runners';
import { LAYOUTS, SHAPES, type RaceInput } from './dispatch/shapes';
import { startRacing } from './dispatch/racing';

const { values: options } = parseArgs({
  options: {
    candidates: { type: 'string' },
    out: { type: 'string', default: 'bench/h200-dispatch.jsonl' },
    shapes: { type: 'string' },
    layouts: { type: 'string' },
    seconds: { type: 'string', default: '3600' },
    behind: { type: 'string', default: '1.25' },
    'batch-ms': { type: 'string', default: '3' },
    samples: { type: 'string', default: '7' },
    'compile-only': { type: 'boolean', default: false },
  },
});

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

function candidatesIn(file: string): readonly ResolvedSchedule[] {
  const list = v.parse(v.array(v.unknown()), readJson(file));
  return list.map((schedule, i) => {
    const decoded = decodeSpec({ problem: { m: 4096, n: 4096, k: 4096 }, schedule });
    if (decoded.ok) return resolve(decoded.spec).schedule;
    const [error] = decoded.errors;
    throw new Error(`${file}, candidate ${i}: ${error?.path ?? ''}: ${error?.message ?? ''}`);
  });
}

const shapesSchema = v.array(
  v.object({
    ...shapeSchema.entries,
    batch: v.optional(shapeSchema.entries.batch, 1),
    layouts: v.optional(layoutsSchema),
  }),
);

function shapesOf(file: string | undefined): readonly RaceInput[] {
  const given = options.layouts?.split(',').map(layouts => v.parse(layoutsSchema, layouts));
  const every = given ?? LAYOUTS;
  if (file === undefined) return SHAPES.filter(({ layouts }) => every.includes(layouts as never));
  return v.parse(shapesSchema, readJson(file)).flatMap(({ layouts, ...shape }) =>
    (layouts === undefined ? (given ?? ['rrr']) : [layouts]).map(one => ({
      shape,
      layouts: one,
    })),
  );
}

if (options.candidates === undefined) throw new Error('--candidates FILE is required');
const candidates = candidatesIn(options.candidates);
const shapes = shapesOf(options.shapes);
const began = performance.now();
const seconds = (): number => (performance.now() - began) / 1000;
const racing = await startRacing({
  candidates,
  shapes,
  out: options.out,
  command: `node out/bench/raceShapes.js ${process.argv.slice(2).join(' ')}`,
  behind: Number(options.behind),
  timing: {
    warmUpMs: 3,
    settleMs: 15,
    budgetMs: 2000,
    batchMs: Number(options['batch-ms']),
    samples: Number(options.samples),
  },
  workers: availableParallelism(),
  compileOnly: options['compile-only'],
});
let [raced, failed, left] = [0, 0, 0];
for (const [i, one] of racing.entries()) {
  if (seconds() > Number(options.seconds)) {
    left = racing.length - i;
    break;
  }
  const { shape, layouts } = one.input;
  const said = await one.run();
  if (said.ok) raced++;
  else failed++;
  console.log(`${seconds().toFixed(1)} s, ${shapeText(shape)} ${layouts}: ${said.text}`);
}
await endRunners();
console.log(
  `${raced} shapes measured, ${failed} failed, ${left} left for a later run, ${shapes.length - racing.length} recorded earlier; record: ${options.out}`,
);
process.exit(failed === 0 ? 0 : 1);
