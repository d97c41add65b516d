/**
 * Installs the pinned Dawn package in a folder of the extension with the user's npm, after the user
 * has agreed. `npm ci` uses a lock file with the hash of every archive, and runs no package
 * scripts. The package is installed in a temporary folder, which is renamed when it is complete.
 */
import * as fs from 'node:fs/promises';
import path from 'node:path';
import { t } from '@vscode/l10n';
import type { SearchOptions } from '../executables';
import { explainWrite } from '../files';
import { findNpm } from '../npm';
import { runProcess } from '../process';
import { codeOf } from '../text';
import { failed, notPinned, whyNot, type Installed } from './installFailure';
import { INSTALL_FILES, PINNED } from './pinned';

export interface InstallOptions {
  /** Installation folder; npm creates `node_modules/webgpu` in it. */
  readonly folder: string;
  readonly search?: SearchOptions;
  readonly signal?: AbortSignal;
  /** Time limit in milliseconds; default 10 min. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10 * 60_000;
const DRAFT = '.dawn-draft-';

export async function installDawn(options: InstallOptions): Promise<Installed> {
  const npm = findNpm(options.search ?? {});
  if (!npm.ok) return failed(npm.why, npm.next);
  const parent = path.dirname(options.folder);
  let draft: string | undefined;
  try {
    await fs.mkdir(parent, { recursive: true });
    await removeAbandoned(parent);
    draft = await fs.mkdtemp(path.join(parent, DRAFT));
    const made = await fill(draft, [...npm.args], { ...options, npm: npm.file });
    if (made.ok) await replace(draft, options.folder);
    return made;
  } catch (error) {
    return failed(explainWrite(options.folder, error), t('Then install Dawn again.'));
  } finally {
    if (draft !== undefined) await removeFolder(draft).catch(() => undefined);
  }
}

/** Removes the installed Dawn. Also succeeds if Dawn is not installed. */
export async function removeDawn(folder: string): Promise<Installed> {
  try {
    await removeFolder(folder);
    await removeAbandoned(path.dirname(folder));
    return { ok: true };
  } catch (error) {
    return failed(
      explainWrite(folder, error),
      t('End the runs that use Dawn and try again, or delete the folder manually.'),
    );
  }
}

async function fill(
  draft: string,
  before: readonly string[],
  { npm, signal, timeoutMs = TIMEOUT_MS }: InstallOptions & { readonly npm: string },
): Promise<Installed> {
  for (const [name, text] of Object.entries(INSTALL_FILES)) {
    await fs.writeFile(path.join(draft, name), text);
  }
  // Cache and logs of npm, which are removed at the end.
  const cache = path.join(draft, '.npm');
  const args = [
    ...before,
    'ci',
    '--prefix',
    draft,
    '--cache',
    cache,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--no-update-notifier',
    '--no-bin-links',
    // These options override the user's npm configuration.
    '--global=false',
    '--package-lock=true',
    '--install-strategy=hoisted',
    '--dry-run=false',
    '--fetch-retries=1',
    '--fetch-retry-mintimeout=1000',
    '--loglevel=error',
  ];
  const ended = await runProcess(npm, args, {
    timeoutMs,
    cwd: draft,
    ...(signal === undefined ? {} : { signal }),
  });
  if (ended.code !== 0 || ended.aborted || ended.timedOut) return whyNot(ended, timeoutMs);
  const surplus = await differsFromPinned(draft);
  if (surplus !== undefined) return notPinned(surplus);
  for (const name of ['.npm', 'package-lock.json']) await removeFolder(path.join(draft, name));
  return { ok: true };
}

/**
 * Returns the name of the first installed package that differs from the pinned packages, or
 * undefined.
 */
async function differsFromPinned(draft: string): Promise<string | undefined> {
  const found = await readInstalled(draft);
  const names = new Set([...Object.keys(PINNED), ...Object.keys(found ?? {})]);
  return [...names].find(name => {
    const [is, pinned] = [found?.[name], PINNED[name]];
    return is?.integrity !== pinned?.integrity || is?.version !== pinned?.version;
  });
}

interface Entry {
  readonly version?: unknown;
  readonly integrity?: unknown;
}

async function readInstalled(folder: string): Promise<Readonly<Record<string, Entry>> | undefined> {
  try {
    const file = path.join(folder, 'node_modules', '.package-lock.json');
    const lock: unknown = JSON.parse(await fs.readFile(file, 'utf8'));
    const packages: unknown =
      typeof lock === 'object' && lock !== null ? Reflect.get(lock, 'packages') : undefined;
    if (typeof packages !== 'object' || packages === null) return undefined;
    return Object.fromEntries(
      Object.entries(packages).map(([name, entry]) => [name, Object(entry) as Entry]),
    );
  } catch {
    return undefined;
  }
}

/**
 * Replaces the old folder with the complete new folder. If another window has installed the same
 * packages in the meantime, they are kept.
 */
async function replace(draft: string, folder: string): Promise<void> {
  await removeFolder(folder);
  try {
    await fs.rename(draft, folder);
  } catch (error) {
    if (!['EEXIST', 'ENOTEMPTY', 'EPERM'].includes(codeOf(error))) throw error;
    if ((await differsFromPinned(folder)) !== undefined) throw error;
  }
}

/**
 * Removes temporary folders older than twice the default time limit. Killed installations leave
 * such folders.
 */
async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await fs.readdir(parent).catch(() => [])) {
    if (!name.startsWith(DRAFT)) continue;
    const draft = path.join(parent, name);
    const made = await fs.stat(draft).catch(() => undefined);
    if (made !== undefined && Date.now() - made.mtimeMs > 2 * TIMEOUT_MS) await removeFolder(draft);
  }
}

/**
 * Removes a folder. Retries, because Windows releases files only shortly after their process has
 * ended.
 */
const removeFolder = (folder: string): Promise<void> =>
  fs.rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
