/** Follows a submitted job until its final task has ended. */
import { setTimeout as wait } from 'node:timers/promises';
import { t } from '@vscode/l10n';
import { countLines, readRecords, type Recorded } from './journals';
import { accountingOf, queueOf, type Slurm } from './programs';
import type { QueuedTask } from './queue';
import { readResult, type SlurmResult } from './result';
import { idsOf, type OpenedJob } from './submissions';

export interface JobProgress {
  readonly measurements: number;
  readonly pending: number;
  readonly running: number;
  /** Reason why tasks wait, in words of Slurm; empty if none waits. */
  readonly reason: string;
  /** Why the state of the tasks is unknown; undefined if it is known. */
  readonly unknown?: string;
}

export type FollowEnd =
  | { readonly ok: true; readonly result: SlurmResult }
  | { readonly ok: false; readonly why: 'detached' }
  /** All tasks have ended without a result. */
  | { readonly ok: false; readonly why: 'ended'; readonly message: string };

export interface FollowContext {
  readonly signal: AbortSignal;
  readonly progress: (progress: JobProgress) => void;
}

/** First and longest interval between two queries in milliseconds. */
const FIRST_MS = 300;
const LONGEST_MS = 10_000;
/**
 * Number of queries after the end of all tasks for which the result may be missing, because network
 * file systems show new files late.
 */
const LATE_QUERIES = 5;

export async function followJob(
  slurm: Slurm,
  { folder, ids, id }: Pick<OpenedJob, 'folder' | 'ids' | 'id'>,
  { signal, progress }: FollowContext,
): Promise<FollowEnd> {
  const jobs = idsOf(ids);
  let intervalMs = FIRST_MS;
  let missing = 0;
  for (;;) {
    const result = await readResult(folder, ids.final);
    if (result !== undefined) return { ok: true, result };
    if (isAborted(signal)) return { ok: false, why: 'detached' };
    const queue = await queueOf(slurm, jobs, signal);
    if (isAborted(signal)) continue;
    const tasks = queue.ok ? queue.tasks : [];
    progress({
      ...progressOf(tasks),
      measurements: await countLines(folder),
      ...(queue.ok ? {} : { unknown: queue.why }),
    });
    const isEnded = queue.ok && tasks.every(({ state }) => state === 'ended');
    missing = isEnded ? missing + 1 : 0;
    if (missing > LATE_QUERIES)
      return { ok: false, why: 'ended', message: await reasonOf(slurm, jobs, folder, id) };
    await wait(isEnded ? FIRST_MS : intervalMs, undefined, { signal }).catch(() => undefined);
    intervalMs = Math.min(LONGEST_MS, 1.5 * intervalMs);
  }
}

/** Reads the current state, because it changes while this process waits. */
const isAborted = (signal: AbortSignal): boolean => signal.aborted;

const sum = (tasks: readonly QueuedTask[]): number =>
  tasks.reduce((total, { count }) => total + count, 0);

export function progressOf(
  tasks: readonly QueuedTask[],
): Pick<JobProgress, 'pending' | 'running' | 'reason'> {
  const pending = tasks.filter(({ state }) => state === 'pending');
  const reasons = pending
    .map(({ reason }) => reason)
    .filter(one => !/^(None|Dependency|)$/.test(one));
  return {
    pending: sum(pending),
    running: sum(tasks.filter(({ state }) => state === 'running')),
    reason: reasons[0] ?? '',
  };
}

/** Explains why a job ended without a result, from sacct and from the records of its tasks. */
async function reasonOf(
  slurm: Slurm,
  jobs: readonly string[],
  folder: string,
  id: string,
): Promise<string> {
  const accounting = await accountingOf(slurm, jobs);
  const states = accounting.ok
    ? accounting.tasks
        .filter(({ state }) => !state.startsWith('COMPLETED'))
        .slice(0, MAX_SHOWN)
        .map(one => `${one.id} ${one.state}${one.nodes === '' ? '' : ` (${one.nodes})`}`)
        .join(', ')
    : accounting.why;
  const records = await readRecords(folder);
  const messages = failuresOf(records.filter(({ attempt }) => jobs.includes(attempt.job)));
  return [
    t('All tasks have ended, but the final task has no result.'),
    ...(states === '' ? [] : [states.endsWith('.') ? states : `${states}.`]),
    ...messages,
    t(
      "Measurements are saved. Fix: read the logs in '{0}', and continue with --resume {1}.",
      `${folder}/logs`,
      id,
    ),
  ].join(' ');
}

const MAX_SHOWN = 8;

const failuresOf = (records: readonly Recorded[]): readonly string[] =>
  [
    ...new Set(
      records.flatMap(({ record: { message, host } }) =>
        message === undefined ? [] : [`${host}: ${message}`],
      ),
    ),
  ].slice(0, MAX_SHOWN);
