/**
 * Runs kernels of random specs with odd sizes under compute-sanitizer, in three steps:
 * node out/bench/sanitize.js prepare FOLDER [count]
 * FOLDER/run.sh RESULTS
 * node out/bench/sanitize.js collect FOLDER RESULTS OUT.json
 * The first step writes programs, matrices and run.sh. The second step requires a GPU.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { resolve } from '../../src/core/defaults/resolve';
import { checkedOf } from '../../src/core/verify/bound';
import { verifyResult } from '../../src/core/verify/verify';
import { bytesBefore, matrixOf } from '../../src/host/cpu/data';
import { INPUTS } from '../../scripts/grid/draws';
import { oddKernels } from './grid/oddKernels';
import { provenance } from '../../scripts/grid/provenance';
import { specOf } from '../../scripts/grid/specs';
import { projectRoot } from '../../scripts/install/project';
import { sanitizerProgram } from './sanitize/program';

/** Kernels per executable; executables run concurrently. */
const TOGETHER = 10;
const TOOLS = ['memcheck', 'racecheck', 'synccheck'] as const;

function prepare(folder: string, count: number): void {
  mkdirSync(path.join(folder, 'data'), { recursive: true });
  const drawn = oddKernels(count);
  const jobs = drawn.map(({ seed, kernel }) => ({ name: `s${seed}`, kernel }));
  for (const { name, kernel } of jobs)
    for (const operand of ['a', 'b', 'c'] as const)
      writeFileSync(
        path.join(folder, 'data', `${name}.${operand}`),
        bytesBefore(kernel.problem, operand, INPUTS),
      );
  for (let from = 0; from < jobs.length; from += TOGETHER) {
    const file = path.join(folder, `program${from / TOGETHER}.cu`);
    writeFileSync(file, sanitizerProgram(jobs.slice(from, from + TOGETHER)));
  }
  const made = provenance(`node out/bench/sanitize.js prepare FOLDER ${count}`);
  const specs = drawn.map(({ seed, kernel }) => ({ seed, specKey: kernel.specKey }));
  writeFileSync(path.join(folder, 'jobs.json'), JSON.stringify({ ...made, specs }, null, 1));
  copyFileSync(path.join(projectRoot(), 'bench/src/sanitize/run.sh'), path.join(folder, 'run.sh'));
}

interface Jobs {
  readonly command: string;
  readonly date: string;
  readonly commit: string;
  readonly specs: readonly { readonly seed: number; readonly specKey: string }[];
}

function collect(folder: string, results: string, out: string): boolean {
  const text = (name: string): string => readFileSync(path.join(results, name), 'utf8');
  const jobs = JSON.parse(readFileSync(path.join(folder, 'jobs.json'), 'utf8')) as Jobs;
  const logs = readdirSync(results).filter(name => /^program\d+\.\w+check\.txt$/.test(name));
  const tools = TOOLS.map(tool => {
    const own = logs.filter(name => name.includes(`.${tool}.`));
    const summaries = own.flatMap(name => text(name).match(/(?<= )[A-Z ]*SUMMARY.*/g) ?? []);
    const clean = own.filter(name => /^exit code 0$/m.test(text(name))).length;
    const ran = own.flatMap(name => text(name).match(/^ran .*/gm) ?? []).length;
    return { tool, programs: own.length, clean, ran, summaries: [...new Set(summaries)] };
  });
  const kernels = jobs.specs.map(({ seed, specKey }) => {
    const spec = resolve(specOf(seed));
    const { problem } = spec;
    const outcomes = TOOLS.map(tool => {
      const file = path.join(results, tool, `s${seed}.c`);
      // A process that stops early writes no results for its remaining kernels.
      if (!existsSync(file)) return Infinity;
      const bytes = readFileSync(file);
      return verifyResult(checkedOf({ problem, spec }), INPUTS, matrixOf(problem, bytes))
        .mismatches;
    });
    return { seed, specKey, mismatches: Math.max(...outcomes) };
  });
  const wrong = kernels.filter(({ mismatches }) => mismatches > 0);
  const record = {
    what: 'Emitted CUDA kernels of random legal specs with odd sizes under compute-sanitizer, with their results compared with f64',
    command: jobs.command,
    date: jobs.date,
    commit: jobs.commit,
    machine: text('machine.txt').trim().split('\n'),
    count: kernels.length,
    wrong: wrong.length,
    tools,
    kernels: kernels.map(({ seed, specKey }) => `${seed} ${specKey}`),
    failures: [...wrong, ...logs.filter(name => !/^exit code 0$/m.test(text(name))).map(text)],
  };
  writeFileSync(out, `${JSON.stringify(record, null, 1)}\n`);
  console.log(JSON.stringify({ ...record, kernels: kernels.length }, null, 1));
  return (
    wrong.length === 0 && tools.every(({ programs, clean }) => programs > 0 && clean === programs)
  );
}

const [mode, folder = '', third = '', out = 'bench/h200-sanitizer.json'] = process.argv.slice(2);
if (mode === 'prepare') prepare(folder, Number(third || '100'));
else if (mode === 'collect') process.exitCode = collect(folder, third, out) ? 0 : 1;
else
  throw new Error(
    'Expected sanitize.js prepare FOLDER [count], or sanitize.js collect FOLDER RESULTS OUT.json.',
  );
