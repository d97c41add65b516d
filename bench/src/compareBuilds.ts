/**
 * Compares the output of two builds of the CLI for random specs, byte by byte: `check --json`,
 * `analyze --estimate --json` and every generated file. Use it to verify that a refactoring did not
 * change behavior:
 * node out/bench/compareBuilds.js BASE/cli.js NEW/cli.js [--count 500] [--seed N]
 * [--out bench/FILE.json]
 */
import { execFile } from 'node:child_process';
import { createHash, randomInt } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { FRAGMENT_SEEDS, LATER_SEEDS, MATRIX_SEEDS, specOf } from '../../scripts/grid/specs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '500' },
    seed: { type: 'string', default: `${randomInt(100_000)}` },
    out: { type: 'string' },
  },
});
const [base, next] = positionals;
if (base === undefined || next === undefined)
  throw new Error('Expected two builds: compareBuilds.js BASE/cli.js NEW/cli.js');
const [count, first] = [Number(values.count), Number(values.seed)];

const FAMILIES = [0, LATER_SEEDS, MATRIX_SEEDS, FRAGMENT_SEEDS];
const seedOf = (index: number): number =>
  (FAMILIES[index % FAMILIES.length] ?? 0) + first + Math.floor(index / FAMILIES.length);

interface Printed {
  readonly code: number;
  readonly output: string;
}

const call = (cli: string, args: readonly string[], cwd: string): Promise<Printed> =>
  new Promise(resolve => {
    const options = { cwd, maxBuffer: 2 ** 28 };
    execFile(process.execPath, [path.resolve(cli), ...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr });
    });
  });

async function madeOf(cli: string, spec: object): Promise<Readonly<Record<string, string>>> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gemm-builds-'));
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
  try {
    writeFileSync(path.join(folder, 'spec.gemm.json'), JSON.stringify(spec));
    const made: Record<string, string> = {};
    const commands = [
      ['check', 'spec.gemm.json', '--json'],
      ['analyze', 'spec.gemm.json', '--estimate', '--json'],
      ['generate', 'spec.gemm.json', '--out', 'files', '--with-main', '--json'],
    ];
    for (const args of commands) {
      const { code, output } = await call(cli, args, folder);
      made[args[0] ?? ''] = hash(`${code}\n${output.replaceAll(folder, '')}`);
    }
    const files = path.join(folder, 'files');
    if (readdirSync(folder).includes('files'))
      for (const name of readdirSync(files).sort())
        made[name] = hash(readFileSync(path.join(files, name), 'utf8'));
    return made;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const different: { readonly seed: number; readonly what: readonly string[] }[] = [];
let [compared, files, index] = [0, 0, 0];

async function work(from: string, to: string): Promise<void> {
  while (index < count) {
    const seed = seedOf(index++);
    const spec = specOf(seed);
    const before = await madeOf(from, spec);
    const after = await madeOf(to, spec);
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    const what = names.filter(name => before[name] !== after[name]);
    if (what.length > 0) different.push({ seed, what });
    compared++;
    files += names.length;
  }
}

await Promise.all(Array.from({ length: availableParallelism() }, () => work(base, next)));
if (files === 3 * compared)
  throw new Error('Neither build generated a file. Fix: rebuild both builds.');
const record = {
  at: new Date().toISOString(),
  command: `node out/bench/compareBuilds.js BASE/cli.js NEW/cli.js --count ${count} --seed ${first}`,
  specs: compared,
  outputs: files,
  different,
};
console.log(JSON.stringify(record, null, 2));
if (values.out !== undefined) writeFileSync(values.out, `${JSON.stringify(record, null, 2)}\n`);
process.exitCode = different.length === 0 ? 0 : 1;
