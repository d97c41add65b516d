/** One task of a job: it reads the job in its folder, and measures its share. */
import os from 'node:os';
import path from 'node:path';
import { t } from '@vscode/l10n';
import { replaceFile } from '../files';
import { messageOf } from '../text';
import { runAuditTask } from './auditTask';
import { readJob } from './job';
import { recordFile, type Attempt, type TaskRecord } from './journals';
import { RESULT_FILE, resultText, type SlurmResult } from './result';
import type { Wave } from './script';
import { runTuneTask } from './tuneTask';

export interface TaskContext {
  /** Folder of the job. */
  readonly folder: string;
  readonly attempt: Attempt;
  /** Number of tasks of the wave. */
  readonly tasks: number;
  readonly dawnWorker: string;
  readonly abort: AbortSignal;
  readonly progress: (line: string) => void;
  /** Adds fields to the record of the attempt, and writes it. */
  readonly record: (fields: Partial<TaskRecord>) => Promise<void>;
  /** Writes the result of the job. */
  readonly finish: (result: SlurmResult) => Promise<void>;
}

export interface TaskEnd {
  readonly ended: NonNullable<TaskRecord['ended']>;
  readonly message?: string;
}

export interface TaskArguments extends Pick<TaskContext, 'folder' | 'tasks' | 'dawnWorker'> {
  readonly wave: Wave;
  readonly environment: NodeJS.ProcessEnv;
}

/** Returns the attempt of this process from the variables that Slurm defines. */
export function attemptIn(wave: Wave, environment: NodeJS.ProcessEnv): Attempt | string {
  const number = (name: string): number | undefined => {
    const text = environment[name] ?? '';
    return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  };
  const job = number('SLURM_ARRAY_JOB_ID') ?? number('SLURM_JOB_ID');
  const task = wave === 'final' ? 0 : number('SLURM_ARRAY_TASK_ID');
  if (job === undefined || task === undefined)
    return t(
      'This program runs as a task of Slurm. Fix: submit a script of its folder with sbatch.',
    );
  return { wave, task, job: String(job), restart: number('SLURM_RESTART_COUNT') ?? 0 };
}

/** Runs a task; never rejects. */
export async function runTask(
  { folder, tasks, wave, dawnWorker, environment }: TaskArguments,
  { abort, progress }: Pick<TaskContext, 'abort' | 'progress'>,
): Promise<TaskEnd> {
  const attempt = attemptIn(wave, environment);
  if (typeof attempt === 'string') return { ended: 'failed', message: attempt };
  if (wave !== 'final' && attempt.task >= tasks)
    return { ended: 'failed', message: t('There is no task {0} of {1}.', attempt.task, tasks) };
  let written: TaskRecord = { host: os.hostname(), device: null };
  const record = async (fields: Partial<TaskRecord>): Promise<void> => {
    written = { ...written, ...fields };
    await replaceFile(recordFile(folder, attempt), `${JSON.stringify(written)}\n`);
  };
  const context: TaskContext = {
    folder,
    attempt,
    tasks,
    dawnWorker,
    abort,
    progress,
    record,
    finish: result => replaceFile(path.join(folder, RESULT_FILE), resultText(attempt.job, result)),
  };
  try {
    const read = await readJob(folder);
    if (!read.ok)
      return {
        ended: 'failed',
        message: t("'{0}' is not the folder of a job: {1}", folder, read.why),
      };
    await record({});
    const { job } = read;
    const ended =
      job.kind === 'tune' ? await runTuneTask(job, context) : await runAuditTask(job, context);
    await record(ended);
    return ended;
  } catch (error) {
    const failed: TaskEnd = { ended: 'failed', message: messageOf(error) };
    await record(failed).catch(() => undefined);
    return failed;
  }
}
