/**
 * Installs the embedded VS Code in a per-user cache folder: code-server's build of the VS Code
 * server, the required Node version and two native modules.
 */

import { createHash, randomUUID } from 'node:crypto';
import { cp, mkdir, readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { confirmInstall, progress } from './ask';
import { installDebianPackages } from './debian';
import { isExecutable, onPath } from './find';
import { projectRoot } from './project';
import { run } from './run';

export interface VscodeHost {
  readonly node: string;
  readonly server: string;
}

/**
 * Native modules to build. The other native modules are prebuilt (terminal, file watcher) or unused
 * (Kerberos, device id). Without spdlog, output channels stay empty; without the watchdog, an
 * extension host may outlive its server.
 */
const NATIVE_MODULES = ['@vscode/spdlog', '@vscode/native-watchdog'];

const HOUR_MS = 3_600_000;

export async function ensureVscode(): Promise<VscodeHost> {
  const manifest = join(projectRoot(), 'scripts', 'install', 'vscode-host');
  const lock = await readFile(join(manifest, 'package-lock.json'), 'utf8');
  const version = createHash('sha256').update(lock).digest('hex').slice(0, 12);
  const cache = join(cacheFolder(), 'vscode-host');
  const folder = join(cache, version);
  if (isInstalled(folder)) return host(folder);

  if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch))
    throw new Error(
      'The embedded VS Code runs on Linux (x64, arm64) only. Fix: set GEMM_VSCODE to the executable of a desktop VS Code.',
    );
  await confirmInstall('The embedded VS Code (1 GB in your cache folder)', 'CI=1 npm start');
  const started = performance.now();
  progress(`Installing the embedded VS Code into ${folder} (once)`);
  await removeAbandoned(cache);
  const temporary = join(cache, `${version}.${randomUUID()}.tmp`);
  await cp(manifest, temporary, { recursive: true });
  try {
    // Registry packages do not require the compiler, so both installations run in parallel.
    await allOrFirstError([ensureCompiler(), installPackages(temporary)]);
    await buildNativeModules(temporary);
    await claim(temporary, folder);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  progress(`Embedded VS Code ready (${((performance.now() - started) / 1000).toFixed(0)} s)`);
  return host(folder);
}

const cacheFolder = (): string =>
  join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'gemm-explorer');

const vscodeFolder = (folder: string): string =>
  join(folder, 'node_modules', 'code-server', 'lib', 'vscode');

const nodeFolder = (folder: string): string =>
  join(folder, 'node_modules', `node-linux-${process.arch}`);

const host = (folder: string): VscodeHost => ({
  node: join(nodeFolder(folder), 'bin', 'node'),
  server: join(vscodeFolder(folder), 'out', 'server-main.js'),
});

// The folder is renamed only when it is complete, so the presence of its Node executable is
// sufficient.
const isInstalled = (folder: string): boolean => isExecutable(host(folder).node);

async function installPackages(folder: string): Promise<void> {
  // code-server's own install scripts reject other Node versions and build unneeded modules.
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await npm('npm ci (code-server, Node 24)', ['ci', ...options], folder);
  await npm(
    "npm install (VS Code's own packages)",
    ['install', '--omit=dev', ...options],
    vscodeFolder(folder),
  );
}

async function buildNativeModules(folder: string): Promise<void> {
  const node = nodeFolder(folder);
  const env = {
    ...process.env,
    PATH: `${join(node, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`,
    npm_config_nodedir: node,
    // Optimization of these modules is unnecessary and takes time.
    CXXFLAGS: '-O0',
  };
  const args = ['rebuild', '--loglevel=error', ...NATIVE_MODULES];
  await npm('npm rebuild (native modules)', args, vscodeFolder(folder), env);
}

function npm(
  label: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const command = onPath('npm');
  if (command === undefined)
    throw new Error('npm is not on PATH. Fix: install Node.js, which includes npm.');
  return run(label, command, args, { cwd, env: { ...env, npm_config_update_notifier: 'false' } });
}

async function ensureCompiler(): Promise<void> {
  const present = (): boolean =>
    ['python3', 'make', 'g++'].every(name => onPath(name) !== undefined);
  if (present()) return;
  await installDebianPackages({
    what: "A C++ toolchain for VS Code's native modules",
    packages: ['python3', 'make', 'g++'],
    present,
  });
}

/**
 * Renames the finished installation. If a different process finished first, keeps the existing
 * installation.
 */
async function claim(temporary: string, folder: string): Promise<void> {
  if (!isInstalled(temporary))
    throw new Error(
      'npm did not install Node 24, an optional dependency. Fix: remove `omit=optional` from your npm settings and try again.',
    );
  await mkdir(dirname(folder), { recursive: true });
  try {
    await rename(temporary, folder);
  } catch (error) {
    if (!isInstalled(folder)) throw error;
  }
}

async function removeAbandoned(cache: string): Promise<void> {
  const entries = await readdir(cache).catch(() => []);
  for (const entry of entries.filter(name => name.endsWith('.tmp'))) {
    const path = join(cache, entry);
    const info = await stat(path).catch(() => undefined);
    if (info !== undefined && Date.now() - info.mtimeMs > HOUR_MS)
      await rm(path, { recursive: true, force: true });
  }
}

/**
 * Waits until all tasks have settled, then throws the first error, so that no process writes into a
 * removed folder.
 */
async function allOrFirstError(work: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(work);
  const failed = results.find(result => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
