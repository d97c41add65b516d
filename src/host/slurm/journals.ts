/**
 * Files that the tasks of a job write: a journal and a record per attempt of a task. No file has
 * two writers, not even if a lost node still runs a task that was started again elsewhere.
 */
import * as fs from 'node:fs/promises';
import path from 'node:path';
import * as v from 'valibot';
import { createYield, type YieldIfDue } from '../../core/measure/timeSlices';
import { READ_SLICES } from '../journalFile';
import { codeOf } from '../text';
import { readRegular } from '../userFile';
import type { Wave } from './script';

export interface Attempt {
  readonly wave: Wave;
  readonly task: number;
  /** Slurm's id of the array or of the final job, and the number of restarts. */
  readonly job: string;
  readonly restart: number;
}

export const attemptName = ({ wave, task, job, restart }: Attempt): string =>
  `${wave}-${task}-${job}.${restart}`;

const NAME = /^(\d{1,3}|final)-(\d{1,4})-(\w{1,40})\.(\d{1,6})$/;

/** Returns the attempt of a file name without its ending; undefined for another file. */
export function attemptOf(name: string): Attempt | undefined {
  const [, wave, task, job, restart] = NAME.exec(name) ?? [];
  if (wave === undefined || job === undefined) return undefined;
  return {
    wave: wave === 'final' ? wave : Number(wave),
    task: Number(task),
    job,
    restart: Number(restart),
  };
}

const text = v.pipe(v.string(), v.maxLength(20_000));
const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const recordSchema = v.object({
  host: text,
  /** Measuring GPU or adapter; null if it was not opened. */
  device: v.nullable(v.object({ name: text, id: text, driver: text, compiler: text })),
  /** Number of schedules or shapes of the task, without known ones. */
  share: v.exactOptional(whole),
  /** End of the task; missing while it runs, or if it was killed. */
  ended: v.exactOptional(v.picklist(['done', 'cancelled', 'out-of-time', 'failed'])),
  message: v.exactOptional(text),
});
/** Where a task runs and how it ended. It has no times, because clocks of nodes differ. */
export type TaskRecord = v.InferOutput<typeof recordSchema>;

export interface Recorded {
  readonly attempt: Attempt;
  readonly record: TaskRecord;
}

const JOURNAL = '.jsonl';
const RECORD = '.json';
const MAX_JOURNAL_BYTES = 512 * 2 ** 20;
const MAX_RECORD_BYTES = 1_000_000;

export const journalFile = (folder: string, attempt: Attempt): string =>
  path.join(folder, 'journals', attemptName(attempt) + JOURNAL);
export const recordFile = (folder: string, attempt: Attempt): string =>
  path.join(folder, 'tasks', attemptName(attempt) + RECORD);

interface File {
  readonly attempt: Attempt;
  readonly file: string;
}

async function filesIn(folder: string, ending: string): Promise<readonly File[]> {
  const names = await fs.readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
  return names.sort().flatMap(name => {
    const attempt = name.endsWith(ending) ? attemptOf(name.slice(0, -ending.length)) : undefined;
    return attempt === undefined ? [] : [{ attempt, file: path.join(folder, name) }];
  });
}

/** Reads a file of another task; undefined if it has disappeared or cannot be read. */
const contentOf = async (file: string, mostBytes: number): Promise<string | undefined> =>
  readRegular(file, mostBytes).then(
    bytes => bytes.toString('utf8'),
    () => undefined,
  );

export async function readRecords(folder: string): Promise<readonly Recorded[]> {
  const all: Recorded[] = [];
  for (const { attempt, file } of await filesIn(path.join(folder, 'tasks'), RECORD)) {
    const decoded = v.safeParse(recordSchema, parsed(await contentOf(file, MAX_RECORD_BYTES)));
    if (decoded.success) all.push({ attempt, record: decoded.output });
  }
  return all;
}

function parsed(content: string | undefined): unknown {
  try {
    return JSON.parse(content ?? '');
  } catch {
    return undefined;
  }
}

export interface TaskLines<L> {
  readonly attempt: Attempt;
  readonly lines: readonly L[];
}

/** Reads the journals of all tasks with `read`. A truncated last line is ignored. */
export async function readJournals<L>(
  folder: string,
  read: (content: string, rest: YieldIfDue) => Promise<{ readonly lines: readonly L[] }>,
): Promise<readonly TaskLines<L>[]> {
  const rest = createYield(READ_SLICES);
  const all: TaskLines<L>[] = [];
  for (const { attempt, file } of await filesIn(path.join(folder, 'journals'), JOURNAL)) {
    const content = await contentOf(file, MAX_JOURNAL_BYTES);
    if (content !== undefined) all.push({ attempt, lines: (await read(content, rest)).lines });
  }
  return all;
}

/** Returns the number of complete lines of all journals. */
export async function countLines(folder: string): Promise<number> {
  let lines = 0;
  for (const { file } of await filesIn(path.join(folder, 'journals'), JOURNAL)) {
    const content = (await contentOf(file, MAX_JOURNAL_BYTES)) ?? '';
    for (let at = content.indexOf('\n'); at >= 0; at = content.indexOf('\n', at + 1)) lines++;
  }
  return lines;
}
