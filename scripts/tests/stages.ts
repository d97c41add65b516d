/** Defines the stages of the test tiers. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { compiled, mocha, mochaTally, node, root, sum, testFiles, tool, type Tally } from './mocha';

export const TIERS = ['fast', 'default', 'all'] as const;
export type Tier = (typeof TIERS)[number];

export interface Stage {
  readonly name: string;
  readonly tiers: readonly Tier[];
  readonly run: (environment: Readonly<Record<string, string>>) => Promise<Tally>;
}

const script = (name: string): string => path.join(root, 'out', 'scripts', `${name}.js`);

/** Tests without a browser, compiler or child process. */
const FAST = ['core', 'webview'];
const IN_VSCODE = ['e2e', 'vscode'];
const LONG = 'long';

const MINUTE_MS = 60_000;

/** End-to-end tests that time kernels or use all cores, so no second VS Code may run. */
const ALONE = [
  'browserPage',
  'cuda',
  'job',
  'kernels',
  'keyboardWalk',
  'runs',
  'sameResults',
  'web',
];

export const STAGES: readonly Stage[] = [
  { name: 'fast', tiers: ['fast'], run: environment => unit(FAST, environment) },
  { name: 'check', tiers: ['default', 'all'], run: check },
  {
    name: 'unit',
    tiers: ['default', 'all'],
    run: environment => {
      const folders = readdirSync(compiled, { withFileTypes: true })
        .filter(entry => entry.isDirectory())
        .map(({ name }) => name);
      const others = folders.filter(name => name !== LONG && !IN_VSCODE.includes(name));
      return unit(others, environment);
    },
  },
  {
    name: 'long-unit',
    tiers: ['all'],
    run: environment => {
      const folders = readdirSync(path.join(compiled, LONG)).filter(name => name !== 'e2e');
      return unit(
        folders.map(name => path.join(LONG, name)),
        environment,
      );
    },
  },
  {
    name: 'vscode',
    tiers: ['default', 'all'],
    run: async () => mochaTally(await node(path.join(compiled, 'vscode', 'run.js'), [])),
  },
  { name: 'e2e', tiers: ['default', 'all'], run: environment => endToEnd('e2e', environment) },
  {
    name: 'long-e2e',
    tiers: ['all'],
    run: environment => endToEnd(path.join(LONG, 'e2e'), environment),
  },
];

const unit = (
  folders: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Tally> =>
  mocha({ files: testFiles(...folders), timeoutMs: 2 * MINUTE_MS, jobs: 'machine', environment });

async function endToEnd(
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<Tally> {
  const files = testFiles(folder);
  const isAlone = (file: string): boolean => ALONE.includes(path.basename(file, '.test.js'));
  const options = { timeoutMs: 5 * MINUTE_MS, environment };
  const groups = [
    { files: files.filter(file => !isAlone(file)), jobs: 'machine' },
    { files: files.filter(isAlone), jobs: 'one' },
  ] as const;
  const tallies: Tally[] = [];
  for (const group of groups)
    if (group.files.length > 0) tallies.push(await mocha({ ...options, ...group }));
  return sum(tallies);
}

async function check(): Promise<Tally> {
  const oneByOne = async (
    commands: readonly (readonly [name: string, script: string, args: readonly string[]])[],
  ): Promise<readonly Tally[]> => {
    const tallies: Tally[] = [];
    for (const [name, file, args] of commands) tallies.push(await command(name, file, args));
    return tallies;
  };
  const chains = await Promise.all([
    oneByOne([['lint (eslint)', tool('eslint/bin/eslint.js'), ['.']]]),
    oneByOne([
      ['types (tsc -b)', tool('typescript7/bin/tsc'), ['-b']],
      ['order of layers', script('rooms'), []],
      ['format (prettier)', tool('prettier/bin/prettier.cjs'), ['--check', '--cache', '.']],
      ['tables of bench/reports/performance.md', script('performance'), ['--check']],
      ['tables and plots of bench/reports/cuda.md', script('cudaTables'), ['--check']],
    ]),
  ]);
  return sum(chains.flat());
}

async function command(name: string, file: string, args: readonly string[]): Promise<Tally> {
  const { code, output } = await node(file, args);
  console.log(`${code === 0 ? 'ok' : 'FAILED'}: ${name}`);
  return code === 0
    ? { passed: 1, failed: 0, skipped: 0, failures: [] }
    : { passed: 0, failed: 1, skipped: 0, failures: [`${name}\n${output.slice(-2_000)}`] };
}
