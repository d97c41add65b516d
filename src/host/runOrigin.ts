/** Determines the origin of a run for its history line: machine, commit and author. */
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { RunOrigin } from '../core/measure/measurement';
import { defaultCacheFolder } from './cache';
import { runGit } from './git';
import { readRegular } from './userFile';

export interface OriginOptions {
  /** Whether the user agreed to store the host name and `user.name` of git. */
  readonly names: boolean;
  readonly signal?: AbortSignal;
  /** Folder with the identifier of the machine; default: the cache folder of the user. */
  readonly cacheFolder?: string;
}

const TIMEOUT_MS = 10_000;
const MAX_LABEL = 200;

/**
 * Returns the origin of a run in a folder, without its order. Fields that cannot be determined are
 * missing, for example outside of a repository. Never rejects.
 */
export async function runOrigin(
  folder: string,
  { names, signal, cacheFolder = path.dirname(defaultCacheFolder()) }: OriginOptions,
): Promise<RunOrigin> {
  const options = { timeoutMs: TIMEOUT_MS, ...(signal === undefined ? {} : { signal }) };
  const git = async (...args: readonly string[]): Promise<string | undefined> => {
    const ran = await runGit(folder, args, options);
    return ran.ok && ran.code === 0 ? ran.text.trim() : undefined;
  };
  const [machine, commit, status, author] = await Promise.all([
    names ? label(os.hostname()) : machineId(cacheFolder),
    git('rev-parse', '--verify', '--quiet', 'HEAD'),
    git(
      'status',
      '--porcelain',
      '--untracked-files=no',
      '--',
      ':/',
      ':(top,exclude,glob)**/.gemm/**',
    ),
    names ? git('config', '--get', 'user.name').then(label) : undefined,
  ]);
  const isCommit = commit !== undefined && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit);
  return {
    ...(machine === undefined ? {} : { machine }),
    ...(author === undefined ? {} : { author }),
    ...(isCommit ? { commit } : {}),
    ...(isCommit && status !== undefined ? { dirty: status !== '' } : {}),
  };
}

/** Returns a name on one line; undefined for an empty name. */
function label(name: string | undefined): string | undefined {
  const text = (name ?? '')
    .replace(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, MAX_LABEL);
  return text === '' ? undefined : text;
}

const MAX_ID_BYTES = 100;
const ID = /^[0-9a-f]{12}$/;

/**
 * Returns the random identifier of this machine and user, which is created at the first use.
 * Returns undefined if it cannot be stored.
 */
async function machineId(folder: string): Promise<string | undefined> {
  const file = path.join(folder, 'machine-id');
  const read = async (): Promise<string | undefined> => {
    const bytes = await readRegular(file, MAX_ID_BYTES).catch(() => undefined);
    const text = bytes?.toString('utf8').trim() ?? '';
    return ID.test(text) ? text : undefined;
  };
  const present = await read();
  if (present !== undefined) return present;
  try {
    await fs.mkdir(folder, { recursive: true, mode: 0o700 });
    const id = randomBytes(6).toString('hex');
    await fs.writeFile(file, `${id}\n`, { flag: 'wx', mode: 0o600 });
    return id;
  } catch {
    return await read();
  }
}
