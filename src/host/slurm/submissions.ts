/** Submits a job: writes its folder, and queues its waves and its final task. */
import * as fs from 'node:fs/promises';
import path from 'node:path';
import { t } from '@vscode/l10n';
import * as v from 'valibot';
import { contentKey } from '../cache';
import { explainWrite, makeFolder, makeMissing, replaceFile } from '../files';
import { tryLock } from '../namedLock';
import { codeOf } from '../text';
import { readRegular } from '../userFile';
import {
  FOLDERS,
  isJobId,
  JOB_FILE,
  jobId,
  jobText,
  slurmFolder,
  wavesOf,
  type SlurmJob,
} from './job';
import {
  slurmProblem,
  type SlurmOptions,
  type SlurmText,
} from '../../core/search/tune/slurmOptions';
import { cancelJobs, queueOf, submit, type Slurm } from './programs';
import { scriptName, scriptText, type TaskProgram, type Wave } from './script';

const option = (name: SlurmText) =>
  v.exactOptional(
    v.pipe(
      v.string(),
      v.check(value => slurmProblem(name, value) === undefined),
    ),
  );
/** Options of a submission, which are checked again before they become part of a script. */
const optionsSchema = v.object({
  partition: option('partition'),
  account: option('account'),
  qos: option('qos'),
  constraint: option('constraint'),
  gres: option('gres'),
  timeLimit: option('timeLimit'),
  cpus: option('cpus'),
  memory: option('memory'),
});

const submissionSchema = v.object({
  /** Slurm's ids of the waves, in order, and of the final job. */
  waves: v.array(v.pipe(v.string(), v.regex(/^\d+$/))),
  final: v.pipe(v.string(), v.regex(/^\d+$/)),
  tasks: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  options: optionsSchema,
});
export type JobIds = v.InferOutput<typeof submissionSchema>;

export const idsOf = ({ waves, final }: JobIds): readonly string[] => [...waves, final];

const FILE = 'submitted.json';
/** Ids of a submission that is not complete, for example because its process was killed. */
const PARTIAL_FILE = 'submitting.json';
const partialSchema = v.array(v.pipe(v.string(), v.regex(/^\d+$/)));
const MAX_BYTES = 100_000;

/** Reads the newest submission of a job folder; undefined without one. */
export async function readSubmission(folder: string): Promise<JobIds | undefined> {
  try {
    const text = (await readRegular(path.join(folder, FILE), MAX_BYTES)).toString('utf8');
    const decoded = v.safeParse(submissionSchema, JSON.parse(text));
    return decoded.success ? decoded.output : undefined;
  } catch {
    return undefined;
  }
}

export interface SubmitRequest {
  readonly root: string;
  readonly job: SlurmJob;
  readonly options: SlurmOptions;
  readonly program: TaskProgram;
}

export interface OpenedJob {
  readonly id: string;
  readonly folder: string;
  readonly ids: JobIds;
  /** True if an earlier submission is still in the queue, so nothing was submitted. */
  readonly isEarlier: boolean;
}

export type SubmitEnd =
  | ({ readonly ok: true } & OpenedJob)
  | { readonly ok: false; readonly why: 'refused' | 'unusable'; readonly message: string };

const unusable = (message: string): SubmitEnd => ({ ok: false, why: 'unusable', message });

/**
 * Submits a job, or returns its earlier submission if that is still in the queue. If Slurm refuses
 * a part of the job, the other parts are cancelled.
 */
export async function submitJob(
  slurm: Slurm,
  request: SubmitRequest,
  signal: AbortSignal,
): Promise<SubmitEnd> {
  const id = jobId(request.job);
  const folder = path.join(slurmFolder(request.root), id);
  // Slurm replaces patterns such as %j in the path of a log, which starts with this folder.
  if (/[\0-\x1f\x7f%\\]/.test(folder))
    return unusable(
      t(
        "Slurm cannot write logs to '{0}': the path contains %, a backslash or a control character. Fix: use another folder.",
        folder,
      ),
    );
  const lock = await tryLock(
    `slurm-${contentKey(folder).slice(0, 16)}`,
    t('process {0}', process.pid),
  );
  if ('busy' in lock)
    return unusable(
      t('{0} submits this job now. Fix: follow it with --attach {1}.', lock.busy, id),
    );
  try {
    const failed = await makeFolder(request.root, folder);
    if (failed !== undefined) return unusable(failed);
    for (const name of FOLDERS) await makeMissing(path.join(folder, name));
    const before = await readSubmission(folder);
    if (before !== undefined) {
      const queue = await queueOf(slurm, idsOf(before), signal);
      if (!queue.ok)
        return {
          ok: false,
          why: 'refused',
          message: t(
            'squeue does not report whether the job is still queued: {0}. Fix: submit again when the controller responds.',
            queue.why,
          ),
        };
      if (queue.tasks.some(({ state }) => state !== 'ended'))
        return { ok: true, id, folder, ids: before, isEarlier: true };
    }
    const left = await cancelPartial(slurm, folder);
    if (left !== undefined) return { ok: false, why: 'refused', message: left };
    await writeScripts(folder, id, request);
    return await submitWaves(slurm, { id, folder, request }, signal);
  } catch (error) {
    return unusable(explainWrite(folder, error));
  } finally {
    lock.release();
  }
}

/** Cancels the jobs of an incomplete submission. Returns why they may still run. */
async function cancelPartial(slurm: Slurm, folder: string): Promise<string | undefined> {
  const file = path.join(folder, PARTIAL_FILE);
  const text = await readRegular(file, MAX_BYTES).then(String, () => '[]');
  const decoded = v.safeParse(v.pipe(v.string(), v.parseJson(), partialSchema), text);
  const problem = await cancelJobs(slurm, decoded.success ? decoded.output : []);
  if (problem === undefined) await fs.rm(file, { force: true });
  return problem;
}

const allWaves = (job: SlurmJob): readonly Wave[] => [
  ...Array.from({ length: wavesOf(job) }, (_, index) => index + 1),
  'final',
];

async function writeScripts(
  folder: string,
  id: string,
  { job, options, program }: SubmitRequest,
): Promise<void> {
  await replaceFile(path.join(folder, JOB_FILE), jobText(job));
  const { kind } = job;
  for (const wave of allWaves(job)) {
    const text = scriptText({ kind, id, wave, options, program });
    await replaceFile(path.join(folder, scriptName(wave)), text);
  }
}

async function submitWaves(
  slurm: Slurm,
  {
    id,
    folder,
    request,
  }: { readonly id: string; readonly folder: string; readonly request: SubmitRequest },
  signal: AbortSignal,
): Promise<SubmitEnd> {
  const queued: string[] = [];
  for (const wave of allWaves(request.job)) {
    const after = queued.at(-1);
    const one = { script: scriptName(wave), folder, ...(after === undefined ? {} : { after }) };
    const submitted = signal.aborted
      ? { ok: false as const, message: t('Cancelled.') }
      : await submit(slurm, one, signal);
    if (!submitted.ok) {
      const left = await cancelJobs(slurm, queued.toReversed());
      const message = left === undefined ? submitted.message : `${submitted.message} ${left}`;
      return { ok: false, why: 'refused', message };
    }
    queued.push(submitted.id);
    await replaceFile(path.join(folder, PARTIAL_FILE), `${JSON.stringify(queued)}\n`);
  }
  const { tasks, ...options } = request.options;
  const ids = { waves: queued.slice(0, -1), final: queued.at(-1) ?? '', tasks, options };
  await replaceFile(path.join(folder, FILE), `${JSON.stringify(ids)}\n`);
  await fs.rm(path.join(folder, PARTIAL_FILE), { force: true });
  return { ok: true, id, folder, ids, isEarlier: false };
}

export type FoundJob =
  | { readonly ok: true; readonly id: string; readonly folder: string; readonly ids: JobIds }
  | { readonly ok: false; readonly message: string };

/** Finds a job by its folder name, or by one of Slurm's ids. */
export async function findJob(root: string, name: string): Promise<FoundJob> {
  const base = slurmFolder(root);
  const names = await fs.readdir(base).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
  const jobs = names.filter(isJobId).sort();
  for (const id of jobs) {
    const folder = path.join(base, id);
    const ids = await readSubmission(folder);
    if (ids !== undefined && (id === name || idsOf(ids).includes(name)))
      return { ok: true, id, folder, ids };
  }
  const known = jobs.length === 0 ? t('none') : jobs.slice(-20).join(', ');
  return {
    ok: false,
    message: t(
      "No job '{0}' was submitted from '{1}'. Jobs: {2}. Fix: choose one of them.",
      name.slice(0, 200),
      root,
      known,
    ),
  };
}
