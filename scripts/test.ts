/**
 * `npm test`: everything. Types, lint and format; the tests in Node, in a browser and on Dawn; then
 * the tests in a real VS Code. Missing tools are installed first (scripts/install).
 * node out/scripts/test.js [--only check|unit|vscode|e2e]
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { ensureInstalled } from './install/index';
import { projectRoot } from './install/project';

interface Stage {
  readonly name: string;
  readonly run: () => Promise<Tally>;
}

interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const root = projectRoot();
const tool = (file: string): string => path.join(root, 'node_modules', file);
const compiled = path.join(root, 'out', 'test');

/** Runs Node on a script, shows what it prints, and gives it back with the exit code. */
function node(script: string, args: readonly string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args], {
      cwd: root,
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

/** One check is one test: it passes or it fails. */
async function command(name: string, script: string, args: readonly string[]): Promise<Tally> {
  const { code } = await node(script, args);
  console.log(`${code === 0 ? 'ok' : 'FAILED'}: ${name}`);
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 };
}

/** Counts from mocha's own closing lines; a run that ends without them has failed. */
function mochaTally({ code, output }: { code: number; output: string }): Tally {
  const count = (word: string): number =>
    Number(new RegExp(`^ *(\\d+) ${word}`, 'm').exec(output)?.[1] ?? 0);
  const tally = { passed: count('passing'), failed: count('failing'), skipped: count('pending') };
  const silent = tally.passed + tally.failed === 0;
  return (code !== 0 && tally.failed === 0) || silent
    ? { ...tally, failed: tally.failed + 1 }
    : tally;
}

const compiledTests = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter(file => file.endsWith('.test.js'))
        .map(file => path.join(folder, file))
    : [];

/** Of the test files, those that take longest: begun first, so that none is left for one process alone. */
const LONGEST = [
  ...['webview/accessibleToolkit', 'compilers/grid', 'webview/accessibleElements', 'core/draws'],
  ...['webview/accessibleBrowser', 'webview/adapts', 'extension/tune'],
  ...['core/accesses', 'webview/page', 'webgpu/dawn', 'webview/keyboard'],
  ...['webview/live', 'webview/reading', 'compilers/mixedTypes', 'zones/boundaries'],
  ...['cli/tune', 'core/tune/tune'],
];
const rank = (file: string): number => {
  const name = path.relative(compiled, file).split(path.sep).join('/').replace('.test.js', '');
  return LONGEST.includes(name) ? LONGEST.indexOf(name) : LONGEST.length;
};

/** One process, or two that take one file after the other. */
async function mocha(files: readonly string[], timeoutMs: number, jobs: 1 | 2): Promise<Tally> {
  const queue = [...files].sort((left, right) => rank(left) - rank(right));
  const inParallel = jobs === 1 ? [] : ['--parallel', '--jobs', String(jobs)];
  const args = [...inParallel, '--timeout', String(timeoutMs), '--forbid-only', '--no-color'];
  return mochaTally(await node(tool('mocha/bin/mocha.js'), [...args, ...queue]));
}

const sum = (tallies: readonly Tally[]): Tally => ({
  passed: tallies.reduce((total, { passed }) => total + passed, 0),
  failed: tallies.reduce((total, { failed }) => total + failed, 0),
  skipped: tallies.reduce((total, { skipped }) => total + skipped, 0),
});

/** Folders of `test` that need a VS Code. */
const IN_VSCODE = ['e2e', 'vscode'];

const stages: readonly Stage[] = [
  {
    name: 'check',
    run: async () =>
      sum([
        await command('types (tsc -b)', tool('typescript/bin/tsc'), ['-b']),
        ...(await Promise.all([
          command('lint (eslint)', tool('eslint/bin/eslint.js'), ['.']),
          command('format (prettier)', tool('prettier/bin/prettier.cjs'), ['--check', '.']),
        ])),
        await command(
          'tables of docs/performance.md',
          path.join(root, 'out/scripts/performance.js'),
          ['--check'],
        ),
        await command(
          'tables and plots of docs/cuda.md',
          path.join(root, 'out/scripts/cudaTables.js'),
          ['--check'],
        ),
      ]),
  },
  {
    name: 'unit',
    run: () => {
      const folderOf = (file: string): string =>
        path.relative(compiled, file).split(path.sep)[0] ?? '';
      const files = compiledTests(compiled).filter(file => !IN_VSCODE.includes(folderOf(file)));
      return mocha(files, 60_000, 2);
    },
  },
  {
    name: 'vscode',
    run: async () => mochaTally(await node(path.join(compiled, 'vscode', 'run.js'), [])),
  },
  // Kernels are timed there: a second VS Code on the same two cores would disturb them.
  { name: 'e2e', run: () => mocha(compiledTests(path.join(compiled, 'e2e')), 300_000, 1) },
];

const only = process.argv.includes('--only')
  ? process.argv[process.argv.indexOf('--only') + 1]
  : undefined;
const chosen = stages.filter(({ name }) => only === undefined || name === only);
if (chosen.length === 0)
  throw new Error(`--only takes ${stages.map(({ name }) => name).join(', ')}`);

await ensureInstalled();
const tallies: Tally[] = [];
for (const { name, run } of chosen) {
  console.log(`\n== ${name}`);
  const began = performance.now();
  tallies.push(await run());
  console.log(`== ${name}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
}
const { passed, failed, skipped } = sum(tallies);
console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed === 0 ? 0 : 1;
