/** A tune's journal on disk: appended, on the disk before a measurement counts, and one tune's at a time. */
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import path from 'node:path';
import type { Asked, Found, Memory } from '../../core/tune/bench';
import {
  readJournal,
  TUNE_PROTOCOL,
  type JournalIdentity,
  type JournalLine,
} from '../../core/tune/journal';
import { contentKey } from '../cache';
import { explainWrite, noFollow } from '../files';
import { tryLock } from '../namedLock';

export interface Journal extends Memory {
  readonly name: string;
  /** What of the file is left aside, and why. */
  readonly notes: readonly string[];
  /** Gives up the lock. */
  readonly close: () => Promise<void>;
}

export type OpenedJournal =
  | { readonly ok: true; readonly journal: Journal }
  | { readonly ok: false; readonly why: 'busy' | 'unusable'; readonly message: string };

export interface JournalOptions {
  readonly file: string;
  readonly identity: JournalIdentity;
  /** Nothing that is known counts; it stays in the file. */
  readonly fresh?: boolean;
}

/** Some hundred thousand measurements. */
const MAX_BYTES = 512 * 2 ** 20;

export async function openJournal(options: JournalOptions): Promise<OpenedJournal> {
  const file = path.resolve(options.file);
  const no = (why: 'busy' | 'unusable', message: string): OpenedJournal => ({
    ...{ ok: false, why, message },
  });
  try {
    await fs.mkdir(path.dirname(file), { recursive: true });
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | noFollow;
    const handle = await fs.open(file, flags, 0o666);
    const lock = await tryLock(lockName(await handle.stat()), `process ${process.pid}`);
    const refuse = async (why: 'busy' | 'unusable', message: string): Promise<OpenedJournal> => {
      await handle.close();
      return no(why, message);
    };
    if ('busy' in lock) {
      return await refuse(
        'busy',
        `Another tune (${lock.busy}) writes '${file}': wait for it, or name another file with --journal.`,
      );
    }
    const { size } = await handle.stat();
    if (size > MAX_BYTES) {
      lock.release();
      return await refuse(
        'unusable',
        `'${file}' has ${size} bytes: name another file with --journal.`,
      );
    }
    const content = await fs.readFile(file, 'utf8');
    return { ok: true, journal: await journalOf(file, handle, content, options, lock.release) };
  } catch (error) {
    return no('unusable', explainWrite(file, error));
  }
}

/** Of the file itself, whatever it is called. */
const lockName = ({ dev, ino }: { readonly dev: number; readonly ino: number }): string =>
  `tune-${contentKey(String(dev), String(ino)).slice(0, 16)}`;

async function journalOf(
  file: string,
  handle: fs.FileHandle,
  content: string,
  { identity, fresh = false }: JournalOptions,
  release: () => void,
): Promise<Journal> {
  const read = readJournal(content, identity);
  // What a crash cut short stays a line of its own.
  if (read.torn) await handle.appendFile('\n');
  const keyOf = ({ kernelKey, effort }: Asked): string => `${kernelKey} ${effort}`;
  const known = new Map<string, Found[]>();
  const add = (asked: Asked, found: Found): void => {
    const key = keyOf(asked);
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
    notes: read.notes,
    find: (asked, gpu) =>
      known.get(keyOf(asked))?.find(found => gpu === undefined || found.gpu === gpu),
    keep: async (asked, found) => {
      const { problem, target, backend, driver, compiler } = identity;
      const line: JournalLine = {
        ...{ tune: 1, protocol: TUNE_PROTOCOL, problem, target, backend, driver, compiler },
        ...{ gpu: identity.gpus[found.gpu] ?? '', effort: asked.effort },
        measurement: { ...found.measurement, kernelKey: asked.kernelKey },
      };
      const written = last.then(() => write(line));
      last = written.catch(() => undefined);
      await written;
      add(asked, found);
    },
    close: async () => {
      await last;
      release();
      await handle.close().catch(() => undefined);
    },
  };
}
