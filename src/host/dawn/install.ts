/**
 * Installs the pinned Dawn into a folder of ours, with the user's npm in a process of its own: `npm ci` on a lock file that holds the
 * hash of every archive, without a script of any package. Whoever calls it has asked the user. Made beside and renamed when whole.
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
  /** Becomes `folder/node_modules/webgpu`; its parent is made where it is missing. */
  readonly folder: string;
  readonly search?: SearchOptions;
  readonly signal?: AbortSignal;
  /** Default 10 min. */
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

/** Nothing where there was none. */
export async function removeDawn(folder: string): Promise<Installed> {
  try {
    await removeFolder(folder);
    await removeAbandoned(path.dirname(folder));
    return { ok: true };
  } catch (error) {
    return failed(
      explainWrite(folder, error),
      t('End the runs that use Dawn and try again, or delete the folder yourself.'),
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
  // npm's own copies of the archives and its logs: they go when it is done.
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
    // Against what the user's own configuration may say.
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

/** What npm says it installed against what is pinned: the first package that differs. */
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

/** The old one goes when the new one is whole; another window may have been faster, with the same bytes. */
async function replace(draft: string, folder: string): Promise<void> {
  await removeFolder(folder);
  try {
    await fs.rename(draft, folder);
  } catch (error) {
    if (!['EEXIST', 'ENOTEMPTY', 'EPERM'].includes(codeOf(error))) throw error;
    if ((await differsFromPinned(folder)) !== undefined) throw error;
  }
}

/** Of installations whose process was ended from outside: none takes as long. */
async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await fs.readdir(parent).catch(() => [])) {
    if (!name.startsWith(DRAFT)) continue;
    const draft = path.join(parent, name);
    const made = await fs.stat(draft).catch(() => undefined);
    if (made !== undefined && Date.now() - made.mtimeMs > 2 * TIMEOUT_MS) await removeFolder(draft);
  }
}

/** Windows lets go of files a moment after the process that had them. */
const removeFolder = (folder: string): Promise<void> =>
  fs.rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
