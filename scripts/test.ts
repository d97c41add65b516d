/**
 * `npm test`: everything. Types, lint and format; the tests in Node, in a browser and on Dawn; then
 * the tests in a real VS Code. Missing tools are installed first (scripts/install).
 * `npm run test:all` adds the long tier, test/long, which takes an hour.
 * node out/scripts/test.js [--all] [--only check|unit|vscode|e2e|long]
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
  /** What was printed of each failure, said again at the very end. */
  readonly failures: readonly string[];
}

const root = projectRoot();
const tool = (file: string): string => path.join(root, 'node_modules', file);
const compiled = path.join(root, 'out', 'test');
const script = (name: string): string => path.join(root, 'out', 'scripts', `${name}.js`);

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
  const { code, output } = await node(script, args);
  console.log(`${code === 0 ? 'ok' : 'FAILED'}: ${name}`);
  return code === 0
    ? { passed: 1, failed: 0, skipped: 0, failures: [] }
    : { passed: 0, failed: 1, skipped: 0, failures: [`${name}\n${output.slice(-2_000)}`] };
}

async function oneByOne(
  commands: readonly (readonly [name: string, script: string, args: readonly string[]])[],
): Promise<readonly Tally[]> {
  const tallies: Tally[] = [];
  for (const [name, file, args] of commands) tallies.push(await command(name, file, args));
  return tallies;
}

/** Counts from mocha's own closing lines; a run that ends without them has failed. */
function mochaTally({ code, output }: { code: number; output: string }): Tally {
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

const compiledTests = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter(file => file.endsWith('.test.js'))
        .map(file => path.join(folder, file))
    : [];

/** Of the test files, those that take longest: begun first, so that none is left for one process alone. */
const LONGEST = [
  ...['webview/accessible', 'compilers/grid', 'core/kernel/draws', 'compilers/wgmma'],
  ...['webview/adapts', 'extension/tune', 'host/cuda/program', 'compilers/mma'],
  ...['core/memory/accesses', 'webview/page', 'webgpu/dawn', 'webview/keyboard'],
  ...['webview/live', 'webview/reading', 'compilers/mixedTypes', 'zones/boundaries'],
  ...[
    'cli/tune',
    'core/search/tune/tune',
    'cli/closedPipe',
    'core/measure/history',
    'webview/presets',
  ],
  ...['e2e/hostile', 'e2e/hostileText', 'e2e/ownResults', 'e2e/garbageRuns'],
  ...['e2e/workbench', 'e2e/badInput', 'e2e/restricted'],
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
  failures: tallies.flatMap(({ failures }) => failures),
});

/** End-to-end tests that time kernels, or fill both cores with them: a second VS Code would disturb them. */
const ALONE = ['browserPage', 'cuda', 'job', 'kernels', 'runs', 'sameResults', 'web'];

/** Folders of `test` that need a VS Code. */
const IN_VSCODE = ['e2e', 'vscode', 'long'];

const HOUR_MS = 3_600_000;

const stages: readonly Stage[] = [
  {
    name: 'check',
    run: async () =>
      sum(
        (
          await Promise.all([
            oneByOne([['lint (eslint)', tool('eslint/bin/eslint.js'), ['.']]]),
            oneByOne([
              ['types (tsc -b)', tool('typescript/bin/tsc'), ['-b']],
              ['format (prettier)', tool('prettier/bin/prettier.cjs'), ['--check', '.']],
              ['rooms of src/core', script('rooms'), []],
              ['tables of docs/performance.md', script('performance'), ['--check']],
              ['tables and plots of docs/cuda.md', script('cudaTables'), ['--check']],
            ]),
          ])
        ).flat(),
      ),
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
  {
    name: 'e2e',
    run: async () => {
      const files = compiledTests(path.join(compiled, 'e2e'));
      const isAlone = (file: string): boolean => ALONE.includes(path.basename(file, '.test.js'));
      const others = files.filter(file => !isAlone(file));
      return sum([await mocha(others, 300_000, 2), await mocha(files.filter(isAlone), 300_000, 1)]);
    },
  },
  {
    name: 'long',
    run: () => mocha(compiledTests(path.join(compiled, 'long')), HOUR_MS, 1),
  },
];

const all = process.argv.includes('--all');
const only = process.argv.includes('--only')
  ? process.argv[process.argv.indexOf('--only') + 1]
  : undefined;
const chosen = stages.filter(({ name }) =>
  only === undefined ? all || name !== 'long' : name === only,
);
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
const { passed, failed, skipped, failures } = sum(tallies);
for (const failure of failures) console.log(`\n== FAILED\n${failure}`);
console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed === 0 ? 0 : 1;
