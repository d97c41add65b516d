/**
 * Stores the journal of a tuning run on disk. Each measurement is appended and flushed before it
 * counts. A lock prevents concurrent tuning runs from using the file.
 */
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import path from 'node:path';
import { t } from '@vscode/l10n';
import type { MeasurementKey, Found, MeasurementStore } from '../../core/search/tune/bench';
import {
  isJournal,
  readJournal,
  TUNE_PROTOCOL,
  type JournalIdentity,
  type JournalLine,
} from '../../core/search/tune/journal';
import { createYield, type EventLoop } from '../../core/measure/timeSlices';
import { contentKey } from '../cache';
import { explainWrite, makeMissing, noFollow } from '../files';
import { tryLock, type NamedLock } from '../namedLock';
import { messageOf } from '../text';
import { requireRegular } from '../userFile';

export interface Journal extends MeasurementStore {
  readonly name: string;
  /** Messages about ignored lines of the file, and about a failure to lock the file. */
  readonly notes: readonly string[];
  readonly close: () => Promise<void>;
}

export type OpenedJournal =
  | { readonly ok: true; readonly journal: Journal }
  | { readonly ok: false; readonly why: 'busy' | 'unusable'; readonly message: string };

export interface JournalOptions {
  readonly file: string;
  readonly identity: JournalIdentity;
  /** Whether to ignore the measurements in the file; they are not removed. */
  readonly fresh?: boolean;
}

/** Maximum size of a journal in bytes. */
const MAX_BYTES = 512 * 2 ** 20;

/** Pauses between slices of parsing, so that other tasks of the process can run. */
const READ_SLICES: EventLoop = {
  now: () => performance.now(),
  pause: () => new Promise(resolve => setImmediate(resolve)),
};

export async function openJournal(options: JournalOptions): Promise<OpenedJournal> {
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

const no = (why: 'busy' | 'unusable', message: string): OpenedJournal => ({
  ok: false,
  why,
  message,
});

const unusable = (file: string) => (error: unknown) => no('unusable', explainWrite(file, error));

async function openLocked(
  file: string,
  handle: fs.FileHandle,
  options: JournalOptions,
): Promise<OpenedJournal> {
  const stat = await handle.stat();
  try {
    requireRegular(stat);
  } catch (error) {
    const why = messageOf(error);
    return no('unusable', t("'{0}': {1}. Fix: choose a different file with --journal.", file, why));
  }
  const lock = await tryLock(lockName(stat), t('process {0}', process.pid));
  if ('busy' in lock) {
    const text = t(
      "Another tuning run ({0}) is writing '{1}'. Fix: wait for that tuning run, or choose a different file with --journal.",
      lock.busy,
      file,
    );
    return no('busy', text);
  }
  const opened = await readLocked(file, handle, options, lock).catch(unusable(file));
  if (!opened.ok) lock.release();
  return opened;
}

async function readLocked(
  file: string,
  handle: fs.FileHandle,
  options: JournalOptions,
  lock: NamedLock,
): Promise<OpenedJournal> {
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
  if (!isJournal(content)) {
    const text = t(
      "'{0}' is not a tuning journal; it was left unchanged. Fix: choose a different file with --journal.",
      file,
    );
    return no('unusable', text);
  }
  return { ok: true, journal: await journalOf(file, handle, content, options, lock) };
}

/** Returns the lock name of a file, which depends on its device and inode but not on its path. */
const lockName = ({ dev, ino }: { readonly dev: number; readonly ino: number }): string =>
  `tune-${contentKey(String(dev), String(ino)).slice(0, 16)}`;

async function journalOf(
  file: string,
  handle: fs.FileHandle,
  content: string,
  { identity, fresh = false }: JournalOptions,
  lock: NamedLock,
): Promise<Journal> {
  const read = await readJournal(content, identity, createYield(READ_SLICES));
  // Terminates a line that a crash truncated.
  if (read.torn) await handle.appendFile('\n');
  const keyOf = ({ kernelKey, effort }: MeasurementKey): string => `${kernelKey} ${effort}`;
  const known = new Map<string, Found[]>();
  const add = (request: MeasurementKey, found: Found): void => {
    const key = keyOf(request);
    known.set(key, [...(known.get(key) ?? []), found]);
  };
  const lines = fresh ? [] : read.lines;
  for (const { measurement, effort, gpu } of lines) {
    const { kernelKey } = measurement;
    add({ kernelKey, effort }, { measurement, gpu: identity.gpus.indexOf(gpu) });
  }
  let last: Promise<unknown> = Promise.resolve();
  const write = async (line: JournalLine): Promise<void> => {
    try {
      await handle.appendFile(`${JSON.stringify(line)}\n`);
      await handle.sync();
    } catch (error) {
      throw new Error(explainWrite(file, error));
    }
  };
  return {
    name: file,
    known: lines.length,
    notes: [...read.notes, ...(lock.note === undefined ? [] : [unlockedText(lock.note)])],
    find: (request, gpu) =>
      known.get(keyOf(request))?.find(found => gpu === undefined || found.gpu === gpu),
    keep: async (request, found) => {
      const { problem, target, backend, driver, compiler } = identity;
      const line: JournalLine = {
        tune: 1,
        protocol: TUNE_PROTOCOL,
        problem,
        target,
        backend,
        driver,
        compiler,
        gpu: identity.gpus[found.gpu] ?? '',
        effort: request.effort,
        measurement: { ...found.measurement, kernelKey: request.kernelKey },
      };
      const written = last.then(() => write(line));
      last = written.catch(() => undefined);
      await written;
      add(request, found);
    },
    close: async () => {
      await last;
      lock.release();
      await handle.close().catch(() => undefined);
    },
  };
}

const unlockedText = (why: string): string =>
  t('The journal could not be locked, so another tuning run may write to it: {0}.', why);
