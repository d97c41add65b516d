/**
 * Checks the properties of random specs.
 *
 * For one seed, prints the spec or, if it fails, a smaller failing spec:
 * node out/scripts/draw.js --seed 17
 *
 * For many seeds, records the counts and the failures:
 * node out/scripts/draw.js --count 50000 [--from 0] [--processes 1] [--out FILE]
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { draw, isExecuted, replay, specFailures } from './grid/draws';
import type { Target } from '../src/core/spec/schema';
import { provenance } from './grid/provenance';
import { shrink } from './grid/shrink';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    from: { type: 'string', default: '0' },
    count: { type: 'string', default: '1000' },
    out: { type: 'string' },
    processes: { type: 'string', default: `${availableParallelism()}` },
    part: { type: 'boolean', default: false },
  },
});

async function one(seed: number): Promise<boolean> {
  const drawn = await draw(seed);
  const { spec, failures, kernels } = drawn;
  if (failures.length === 0) {
    const names = kernels.map(({ fileName }) => fileName).join(', ') || 'illegal for every target';
    console.log(`seed ${seed}: no failure; ${names}\n${JSON.stringify(spec, null, 2)}`);
    return true;
  }
  console.log(replay(drawn));
  const smallest = await shrink(spec, async other => (await specFailures(other, true)).length > 0);
  const reasons = await specFailures(smallest, true);
  console.log(['shrunk failing spec:', JSON.stringify(smallest), ...reasons].join('\n'));
  return false;
}

type Count = Readonly<Record<Target, number>>;

interface Range {
  readonly legal: Count;
  readonly executed: Count;
  readonly illegal: number;
  readonly failed: readonly string[];
}

async function inOneProcess(from: number, count: number): Promise<Range> {
  const legal = { cuda: 0, wgsl: 0 };
  const executed = { cuda: 0, wgsl: 0 };
  const failed: string[] = [];
  let illegal = 0;
  for (let seed = from; seed < from + count; seed++) {
    const drawn = await draw(seed);
    if (drawn.failures.length > 0) failed.push(replay(drawn));
    else if (drawn.kernels.length === 0) illegal++;
    for (const kernel of drawn.kernels) {
      legal[kernel.target]++;
      if (isExecuted(kernel)) executed[kernel.target]++;
    }
  }
  return { legal, executed, illegal, failed };
}

async function inProcesses(from: number, count: number): Promise<Range> {
  const run = promisify(execFile);
  const length = Math.ceil(count / Number(values.processes));
  const starts = Array.from({ length: Math.ceil(count / length) }, (_, i) => i * length);
  const ranges = await Promise.all(
    starts.map(async start => {
      const own = ['--part', '--from', `${from + start}`, '--count'];
      const args = [fileURLToPath(import.meta.url), ...own, `${Math.min(length, count - start)}`];
      const { stdout } = await run(process.execPath, args, { maxBuffer: 2 ** 28 });
      return JSON.parse(stdout) as Range;
    }),
  );
  const sum = (of: (range: Range) => number): number =>
    ranges.reduce((total, range) => total + of(range), 0);
  return {
    legal: { cuda: sum(({ legal }) => legal.cuda), wgsl: sum(({ legal }) => legal.wgsl) },
    executed: { cuda: sum(of => of.executed.cuda), wgsl: sum(of => of.executed.wgsl) },
    illegal: sum(({ illegal }) => illegal),
    failed: ranges.flatMap(({ failed }) => failed),
  };
}

async function many(from: number, count: number): Promise<boolean> {
  const began = performance.now();
  if (values.part) {
    console.log(JSON.stringify(await inOneProcess(from, count)));
    return true;
  }
  const { legal, executed, illegal, failed } = await inProcesses(from, count);
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log([...failed, `${count} draws: ${failed.length} failed, ${seconds} s`].join('\n'));
  if (values.out === undefined) return failed.length === 0;
  const record = {
    what: 'Properties of random specs. Legal specs: deterministic source code, a plausible analysis and, up to 2^20 FMAs, a correct result in simulate. Illegal specs: the nearest value of each violation removes it',
    ...provenance(`node out/scripts/draw.js --count ${count} --from ${from}`),
    from,
    count,
    legal,
    executed,
    illegal,
    seconds,
    failed,
  };
  writeFileSync(values.out, `${JSON.stringify(record, null, 1)}\n`);
  return failed.length === 0;
}

const holds =
  values.seed === undefined
    ? await many(Number(values.from), Number(values.count))
    : await one(Number(values.seed));
process.exitCode = holds ? 0 : 1;
