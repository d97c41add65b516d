/**
 * A journal file: lines are appended and flushed before they count, and a lock prevents a second
 * process from writing to the file.
 */
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import path from 'node:path';
import { t } from '@vscode/l10n';
import type { EventLoop } from '../core/measure/timeSlices';
import { contentKey } from './cache';
import { explainWrite, makeMissing, noFollow } from './files';
import { tryLock, type NamedLock } from './namedLock';
import { messageOf } from './text';
import { requireRegular } from './userFile';

export interface JournalFile {
  /** Absolute path. */
  readonly name: string;
  /** Content when the file was opened. */
  readonly content: string;
  /** Reason why the file could not be locked; undefined if it is locked. */
  readonly unlocked: string | undefined;
  /** Writes a line after all earlier lines, and flushes it. Rejects with an explanation. */
  readonly append: (line: object) => Promise<void>;
  /** Terminates a line that a crash truncated. */
  readonly endLine: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface NotOpened {
  readonly ok: false;
  readonly why: 'busy' | 'unusable';
  readonly message: string;
}

export type OpenedJournalFile = { readonly ok: true; readonly file: JournalFile } | NotOpened;

export interface JournalFileOptions {
  readonly file: string;
  /** Prefix of the name of the lock. */
  readonly kind: string;
  /** Tests whether a content may belong to a journal of this kind. */
  readonly isJournal: (content: string) => boolean;
  readonly texts: {
    readonly busy: (owner: string, file: string) => string;
    readonly foreign: (file: string) => string;
  };
}

/** Maximum size of a journal in bytes. */
const MAX_BYTES = 512 * 2 ** 20;

/** Pauses between slices of parsing, so that other tasks of the process can run. */
export const READ_SLICES: EventLoop = {
  now: () => performance.now(),
  pause: () => new Promise(resolve => setImmediate(resolve)),
};

export async function openJournalFile(options: JournalFileOptions): Promise<OpenedJournalFile> {
  const file = path.resolve(options.file);
  try {
    await makeMissing(path.dirname(file));
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | noFollow;
    const handle = await fs.open(file, flags, 0o666);
    const opened = await openLocked(file, handle, options).catch(unusable(file));
    if (!opened.ok) await handle.close();
    return opened;
  } catch (error) {
    return unusable(file)(error);
  }
}

/** Builds a journal from its file; closes the file if this fails. */
export async function journalFrom<J>(
  file: JournalFile,
  build: (file: JournalFile) => Promise<J>,
): Promise<{ readonly ok: true; readonly journal: J } | NotOpened> {
  try {
    return { ok: true, journal: await build(file) };
  } catch (error) {
    await file.close();
    return unusable(file.name)(error);
  }
}

const no = (why: NotOpened['why'], message: string): NotOpened => ({
  ok: false,
  why,
  message,
});

const unusable = (file: string) => (error: unknown) => no('unusable', explainWrite(file, error));

async function openLocked(
  file: string,
  handle: fs.FileHandle,
  options: JournalFileOptions,
): Promise<OpenedJournalFile> {
  const stat = await handle.stat();
  try {
    requireRegular(stat);
  } catch (error) {
    const why = messageOf(error);
    return no('unusable', t("'{0}': {1}. Fix: choose a different file with --journal.", file, why));
  }
  const lock = await tryLock(lockName(options.kind, stat), t('process {0}', process.pid));
  if ('busy' in lock) return no('busy', options.texts.busy(lock.busy, file));
  const opened = await readLocked(file, handle, options, lock).catch(unusable(file));
  if (!opened.ok) lock.release();
  return opened;
}

async function readLocked(
  file: string,
  handle: fs.FileHandle,
  { isJournal, texts }: JournalFileOptions,
  lock: NamedLock,
): Promise<OpenedJournalFile> {
  const { size } = await handle.stat();
  if (size > MAX_BYTES) {
    const text = t(
      "'{0}' is too large for a journal ({1} bytes). Fix: choose a different file with --journal.",
      file,
      size,
    );
    return no('unusable', text);
  }
  const content = await handle.readFile('utf8');
  if (!isJournal(content)) return no('unusable', texts.foreign(file));
  return { ok: true, file: journalFile(file, handle, content, lock) };
}

/** Returns the lock name of a file, which depends on its device and inode but not on its path. */
const lockName = (
  kind: string,
  { dev, ino }: { readonly dev: number; readonly ino: number },
): string => `${kind}-${contentKey(String(dev), String(ino)).slice(0, 16)}`;

function journalFile(
  name: string,
  handle: fs.FileHandle,
  content: string,
  lock: NamedLock,
): JournalFile {
  let last: Promise<unknown> = Promise.resolve();
  const write = async (line: object): Promise<void> => {
    try {
      await handle.appendFile(`${JSON.stringify(line)}\n`);
      await handle.sync();
    } catch (error) {
      throw new Error(explainWrite(name, error));
    }
  };
  return {
    name,
    content,
    unlocked: lock.note,
    append: async line => {
      const written = last.then(() => write(line));
      last = written.catch(() => undefined);
      await written;
    },
    endLine: () => handle.appendFile('\n'),
    close: async () => {
      await last;
      lock.release();
      await handle.close().catch(() => undefined);
    },
  };
}
