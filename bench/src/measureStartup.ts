/**
 * Measures the loading and activation of the shipped extension in the real extension host, in a
 * fresh process each time, and writes bench/startup.json:
 * node out/bench/measureStartup.js
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { projectRoot } from '../../scripts/install/project';
import { measureSizes } from '../../scripts/pack/sizes';
import { stage } from '../../scripts/pack/stage';
import { runCommand, startHost } from '../../scripts/vscodeHost';

const RUNS = 10;
const WAIT_MS = 60_000;
const root = projectRoot();
const folder = join(root, 'out', 'startup');
const extension = join(folder, 'extension');
/**
 * Workspaces for both kinds of activation: a spec in the workspace activates the extension during
 * VS Code's startup; without a spec, a command activates it.
 */
const WORKSPACES = {
  startup: join(folder, 'workspace'),
  command: join(folder, 'empty'),
} as const;
type When = keyof typeof WORKSPACES;
/** Wait before the command, in milliseconds, so that VS Code can finish its startup work. */
const REST_MS = 4000;

/**
 * Source code of a wrapper that measures the bundle's load and activation times. VS Code loads and
 * calls the wrapper as if it were the bundle.
 */
const STOPWATCH = `'use strict';
const Module = require('node:module');
const { renameSync, writeFileSync } = require('node:fs');
const load = Module._load;
let times = {};
function note(more) {
  times = { ...times, ...more };
  if (!('activateMs' in times && 'coreMs' in times)) return;
  const file = process.env.GEMM_STARTUP_FILE;
  writeFileSync(file + '.new', JSON.stringify(times));
  renameSync(file + '.new', file);
}
Module._load = (name, ...others) => {
  if (name !== './core.cjs' || 'coreMs' in times) return load(name, ...others);
  const began = performance.now();
  const core = load(name, ...others);
  note({ coreMs: performance.now() - began });
  return core;
};
const loading = performance.now();
const extension = require('./extension.cjs');
const loaded = performance.now();
exports.activate = context => {
  const began = performance.now();
  const result = extension.activate(context);
  note({ loadMs: loaded - loading, activateMs: performance.now() - began });
  return result;
};
exports.deactivate = () => extension.deactivate();
`;

interface Times {
  readonly loadMs: number;
  readonly activateMs: number;
  readonly coreMs: number;
}

function prepare(): void {
  stage(extension);
  const file = join(extension, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  writeFileSync(file, JSON.stringify({ ...manifest, main: './dist/stopwatch.cjs' }));
  writeFileSync(join(extension, 'dist', 'stopwatch.cjs'), STOPWATCH);
  cpSync(join(root, 'scripts', 'sample'), WORKSPACES.startup, { recursive: true });
  mkdirSync(WORKSPACES.command, { recursive: true });
}

interface Run extends Times {
  readonly when: When;
  readonly shownByVscode: string;
  readonly load: number;
}

async function measureOnce(run: number, when: When): Promise<Run> {
  const file = join(folder, `times-${process.pid}-${when}-${run}.json`);
  const host = await startHost({
    workspace: WORKSPACES[when],
    trust: 'trusted',
    extensionPath: extension,
    height: 2600,
    env: { GEMM_STARTUP_FILE: file },
  });
  try {
    if (when === 'command') {
      await delay(REST_MS);
      await runCommand(host.page, 'GEMM: Generate tiled GEMM');
    }
    const deadline = Date.now() + WAIT_MS;
    while (!existsSync(file)) {
      if (Date.now() > deadline)
        throw new Error(`The extension and its core were not loaded within ${WAIT_MS / 1000} s.`);
      await delay(50);
    }
    const times = JSON.parse(readFileSync(file, 'utf8')) as Times;
    if (when === 'command') await host.page.keyboard.press('Escape');
    await runCommand(host.page, 'Developer: Show Running Extensions');
    const row = host.page.locator('.runtime-extensions-editor .extension', { hasText: 'GEMM' });
    const shownByVscode = (await row.locator('.activation-time').innerText()).trim();
    // Record the load average (runnable processes over one minute), because other load affects
    // all measured times.
    const load = Math.round(10 * (loadavg()[0] ?? 0)) / 10;
    return { when, ...times, shownByVscode, load };
  } finally {
    await host.close();
  }
}

prepare();
const runs: Run[] = [];
for (const when of ['command', 'startup'] as const) {
  for (let run = 0; run < RUNS; run++) {
    runs.push(await measureOnce(run, when));
    console.log(JSON.stringify(runs.at(-1)));
  }
}
const git = (...args: readonly string[]) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
const [cpu] = cpus();
const record = {
  what: 'Loading the shipped bundle (require) and `activate`, and the core at its first use, in a fresh VS Code extension host each time; sizes of shipped files',
  command: 'node out/bench/measureStartup.js',
  commit: git('rev-parse', 'HEAD'),
  machine: `${cpus().length} x ${cpu?.model.trim() ?? 'unknown CPU'}`,
  sizes: measureSizes(folder),
  runs,
};
writeFileSync(join(root, 'bench', 'startup.json'), `${JSON.stringify(record, null, 2)}\n`);
