/**
 * Runs mocha on test files and reads its summary. Files without a recorded time start first,
 * followed by the slowest recorded files.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { projectRoot } from '../install/project';

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly string[];
}

export const root = projectRoot();
export const compiled = path.join(root, 'out', 'test');
export const tool = (file: string): string => path.join(root, 'node_modules', file);

/**
 * File with the duration of each test file in seconds, by path below `test`. `--record` writes it.
 */
export const RECORDED_TIMES = path.join(root, 'bench', 'test-times.json');

const UNRECORDED_S = 3600;

export interface MochaOptions {
  readonly files: readonly string[];
  readonly timeoutMs: number;
  /**
   * `machine` uses one process per core; `one` is for tests that time kernels or use all cores
   * themselves.
   */
  readonly jobs: 'machine' | 'one';
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs Node on a script and shows its output. Returns its standard output and exit code. */
export function node(
  script: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args], {
      cwd: root,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      process.stdout.write(chunk);
    });
    child.on('error', reject);
    child.on('close', code => {
      resolve({ code: code ?? 1, output });
    });
  });
}

export async function mocha(options: MochaOptions): Promise<Tally> {
  const { files, timeoutMs, jobs, environment } = options;
  if (files.length === 0)
    throw new Error('No test file was built for this stage. Fix: npm run build.');
  const times = recordedTimes();
  const seconds = (file: string): number => times[nameOf(file)] ?? UNRECORDED_S;
  const queue = [...files].sort((left, right) => seconds(right) - seconds(left));
  const numJobs = jobs === 'one' ? 1 : availableParallelism();
  const args = [
    ...(numJobs === 1 ? [] : ['--parallel', '--jobs', String(numJobs)]),
    '--timeout',
    String(timeoutMs),
    '--forbid-only',
    '--no-color',
    '--require',
    path.join(compiled, 'setup.js'),
    '--reporter',
    path.join(root, 'scripts', 'tests', 'timesReporter.cjs'),
    ...queue,
  ];
  return mochaTally(await node(tool('mocha/bin/mocha.js'), args, environment));
}

/**
 * Parses mocha's summary. A run without a summary, or with an error exit code but no failed test,
 * counts as one failure.
 */
export function mochaTally({ code, output }: { code: number; output: string }): Tally {
  const count = (word: string): number =>
    Number(new RegExp(`^ *(\\d+) ${word}`, 'm').exec(output)?.[1] ?? 0);
  const failing = /^ *\d+ failing[^]*/m.exec(output)?.[0];
  const tally = {
    passed: count('passing'),
    failed: count('failing'),
    skipped: count('pending'),
    failures: failing === undefined ? [] : [failing.slice(0, 8_000)],
  };
  const silent = tally.passed + tally.failed === 0;
  return (code !== 0 && tally.failed === 0) || silent
    ? {
        ...tally,
        failed: tally.failed + 1,
        failures: [`exit code ${code}\n${output.slice(-2_000)}`],
      }
    : tally;
}

export const sum = (tallies: readonly Tally[]): Tally => ({
  passed: tallies.reduce((total, { passed }) => total + passed, 0),
  failed: tallies.reduce((total, { failed }) => total + failed, 0),
  skipped: tallies.reduce((total, { skipped }) => total + skipped, 0),
  failures: tallies.flatMap(({ failures }) => failures),
});

export const testFiles = (...folders: readonly string[]): readonly string[] =>
  folders.flatMap(folder => {
    const below = path.join(compiled, folder);
    if (!existsSync(below))
      throw new Error(`No test of test/${folder} is built. Fix: npm run build.`);
    return readdirSync(below, { recursive: true, encoding: 'utf8' })
      .filter(file => file.endsWith('.test.js'))
      .map(file => path.join(below, file));
  });

/**
 * Returns the source path of a built test file below `test`, such as `core/plan/limits.test.ts`.
 */
const nameOf = (file: string): string =>
  path.relative(compiled, file).split(path.sep).join('/').replace(/\.js$/, '.ts');

function recordedTimes(): Readonly<Record<string, number>> {
  if (!existsSync(RECORDED_TIMES)) return {};
  const record = JSON.parse(readFileSync(RECORDED_TIMES, 'utf8')) as {
    readonly files?: Readonly<Record<string, number>>;
  };
  return record.files ?? {};
}
