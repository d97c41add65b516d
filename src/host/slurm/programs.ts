/** Calls the programs of Slurm. Calls use no shell, and each has a time limit. */
import { t } from '@vscode/l10n';
import { findExecutable, type SearchOptions } from '../executables';
import { runProcess, type ProcessResult } from '../process';
import { printable } from '../text';
import {
  parseSacct,
  parseSbatch,
  parseSqueue,
  SACCT_FORMAT,
  SQUEUE_FORMAT,
  type EndedTask,
  type QueuedTask,
} from './queue';

export interface Slurm {
  readonly sbatch: string;
  readonly squeue: string;
  readonly scancel: string;
  /** Absent on clusters without accounting. */
  readonly sacct?: string;
}

export type FoundSlurm =
  { readonly ok: true; readonly slurm: Slurm } | { readonly ok: false; readonly message: string };

export function findSlurm(search: SearchOptions): FoundSlurm {
  const paths: string[] = [];
  for (const name of ['sbatch', 'squeue', 'scancel']) {
    const found = findExecutable([name], search);
    if (!found.ok) {
      const message = t(
        'Slurm is not available: {0} Fix: run this on a login node of the cluster, or load its module (module load slurm). Several GPUs of one machine need no Slurm: use --gpus.',
        found.why,
      );
      return { ok: false, message };
    }
    paths.push(found.path);
  }
  const [sbatch = '', squeue = '', scancel = ''] = paths;
  const sacct = findExecutable(['sacct'], search);
  return {
    ok: true,
    slurm: { sbatch, squeue, scancel, ...(sacct.ok ? { sacct: sacct.path } : {}) },
  };
}

/** Time limits of a call in milliseconds. A controller that is busy answers late. */
const SUBMIT_MS = 60_000;
const QUERY_MS = 20_000;

export interface Submission {
  readonly script: string;
  /** Folder of the job, in which the script runs. */
  readonly folder: string;
  /** Job after whose end this job starts. */
  readonly after?: string;
}

export type Submitted =
  { readonly ok: true; readonly id: string } | { readonly ok: false; readonly message: string };

export async function submit(
  { sbatch }: Slurm,
  { script, folder, after }: Submission,
  signal?: AbortSignal,
): Promise<Submitted> {
  const depends =
    after === undefined ? [] : [`--dependency=afterany:${after}`, '--kill-on-invalid-dep=yes'];
  const ran = await runProcess(sbatch, ['--parsable', ...depends, script], {
    cwd: folder,
    timeoutMs: SUBMIT_MS,
    ...(signal === undefined ? {} : { signal }),
  });
  const id = ran.code === 0 ? parseSbatch(ran.stdout) : undefined;
  if (id !== undefined) return { ok: true, id };
  return { ok: false, message: refusalText(ran) };
}

const MAX_SHOWN = 1000;
const wordsOf = ({ stdout, stderr, spawnError, timedOut }: ProcessResult): string => {
  if (spawnError !== undefined) return spawnError;
  if (timedOut) return t('no answer within the time limit');
  return printable((stderr.trim() === '' ? stdout : stderr).trim(), MAX_SHOWN);
};

function refusalText(ran: ProcessResult): string {
  const words = wordsOf(ran);
  if (ran.timedOut)
    return t(
      'sbatch did not answer within {0} s. Fix: check with sinfo whether the controller responds, and submit again.',
      SUBMIT_MS / 1000,
    );
  const next =
    HINTS.find(([pattern]) => pattern.test(words))?.[1]() ??
    t('Fix: change the options, and submit again.');
  const said = words === '' ? t('no message') : words;
  return t('Slurm refused the job: {0} {1}', /[.!?]$/.test(said) ? said : `${said}.`, next);
}

const HINTS: readonly (readonly [RegExp, () => string])[] = [
  [
    /invalid account|account\/partition/i,
    () =>
      t(
        'Fix: pass an account that you may use, as listed by sacctmgr show associations user=$USER.',
      ),
  ],
  [/invalid partition/i, () => t('Fix: pass --partition with a partition that sinfo lists.')],
  [/qos/i, () => t('Fix: pass another --qos, or omit it.')],
  [
    /gres|generic resource/i,
    () =>
      t(
        'Fix: pass --gres as sinfo -o %G lists it, or --gres none on a cluster without GPU resources.',
      ),
  ],
  [/array/i, () => t('Fix: use fewer tasks (--tasks).')],
  [
    /limit|quota/i,
    () => t('Fix: use fewer tasks or a shorter --time-limit, or wait until other jobs have ended.'),
  ],
  [
    /node configuration|more processors|memory/i,
    () => t('Fix: request less per task (--cpus, --memory, --gres).'),
  ],
  [
    /unable to contact|connection|controller/i,
    () => t('Fix: check with sinfo whether the controller responds, and submit again.'),
  ],
];

export type Queue =
  | { readonly ok: true; readonly tasks: readonly QueuedTask[] }
  /** The state is unknown: the controller did not answer. */
  | { readonly ok: false; readonly why: string };

/** Returns the tasks of jobs that are in the queue. Jobs that ended some time ago are missing. */
export async function queueOf(
  { squeue }: Slurm,
  jobs: readonly string[],
  signal?: AbortSignal,
): Promise<Queue> {
  const args = ['--noheader', '--array', `--format=${SQUEUE_FORMAT}`, `--jobs=${jobs.join()}`];
  const ran = await runProcess(squeue, args, {
    timeoutMs: QUERY_MS,
    ...(signal === undefined ? {} : { signal }),
  });
  if (ran.code === 0) return { ok: true, tasks: parseSqueue(ran.stdout) };
  // Slurm reports an unknown job as an error if the list has no other job.
  if (/invalid job id/i.test(ran.stderr)) return { ok: true, tasks: parseSqueue(ran.stdout) };
  return { ok: false, why: wordsOf(ran) };
}

export type Accounting =
  | { readonly ok: true; readonly tasks: readonly EndedTask[] }
  | { readonly ok: false; readonly why: string };

export async function accountingOf({ sacct }: Slurm, jobs: readonly string[]): Promise<Accounting> {
  if (sacct === undefined) return { ok: false, why: t('sacct is not installed.') };
  const args = [
    '--noheader',
    '--parsable2',
    '--allocations',
    `--format=${SACCT_FORMAT}`,
    `--jobs=${jobs.join()}`,
  ];
  const ran = await runProcess(sacct, args, { timeoutMs: QUERY_MS });
  if (ran.code === 0) return { ok: true, tasks: parseSacct(ran.stdout) };
  return { ok: false, why: t('sacct is not available: {0}.', wordsOf(ran).replace(/\.$/, '')) };
}

/** Cancels jobs. Returns why a job may still run; undefined if all are cancelled. */
export async function cancelJobs(
  { scancel }: Slurm,
  jobs: readonly string[],
): Promise<string | undefined> {
  if (jobs.length === 0) return undefined;
  const ran = await runProcess(scancel, jobs, { timeoutMs: SUBMIT_MS });
  if (ran.code === 0 || /invalid job id/i.test(ran.stderr)) return undefined;
  return t(
    'scancel failed: {0}. Fix: run scancel {1}.',
    wordsOf(ran).replace(/\.$/, ''),
    jobs.join(' '),
  );
}
