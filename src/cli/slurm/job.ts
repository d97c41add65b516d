/** Submits, follows and cancels Slurm jobs. */
import { fileURLToPath } from 'node:url';
import { followJob, type FollowEnd, type JobProgress } from '../../host/slurm/follow';
import { readJob, type SlurmJob } from '../../host/slurm/job';
import { cancelJobs, findSlurm, type Slurm } from '../../host/slurm/programs';
import type { SlurmResult } from '../../host/slurm/result';
import {
  findJob,
  idsOf,
  submitJob,
  type FoundJob,
  type OpenedJob,
} from '../../host/slurm/submissions';
import type { Context } from '../command';
import { EXIT, invalidInput, missingPrerequisite, type Result } from '../result';
import { DEFAULT_OPTIONS, givenOptions, type SlurmAction, type SlurmArguments } from './arguments';

/** Program of the tasks, which is bundled in the same folder as dist/cli.js. */
const TASK_PROGRAM = {
  node: process.execPath,
  script: fileURLToPath(new URL('./slurmTask.cjs', import.meta.url)),
};

export interface DoneJob<J extends SlurmJob> {
  readonly job: J;
  readonly folder: string;
  readonly result: Extract<SlurmResult, { readonly kind: J['kind'] }>;
}

export interface JobRequest<J extends SlurmJob> {
  readonly kind: J['kind'];
  readonly action: SlurmAction;
  readonly options: SlurmArguments;
  /** Describes the job of `--slurm`. */
  readonly create: () => Promise<J>;
}

export type JobEnd<J extends SlurmJob> = { readonly done: DoneJob<J> } | { readonly ends: Result };

/** Jobs are below the current folder. */
const root = (): string => process.cwd();

export async function runSlurm<J extends SlurmJob>(
  request: JobRequest<J>,
  context: Context,
): Promise<JobEnd<J>> {
  const { action, options } = request;
  // Unusable options and specs are reported before a missing Slurm.
  const given = givenOptions(options);
  const created = action.do === 'submit' ? await request.create() : undefined;
  const earlier = action.do === 'submit' ? undefined : await existing(action.job);
  const located = findSlurm({});
  if (!located.ok) throw missingPrerequisite(located.message);
  const { slurm } = located;
  if (action.do === 'cancel' && earlier !== undefined)
    return { ends: await cancel(slurm, earlier) };
  const job = created ?? (await jobOf(request, earlier));
  const opened =
    action.do === 'attach' && earlier !== undefined
      ? { ...earlier, isEarlier: true }
      : await submitted(
          slurm,
          job,
          { ...DEFAULT_OPTIONS, ...storedOptions(earlier), ...given },
          context,
        );
  if (options.detach === true) {
    const { id, folder, ids } = opened;
    return {
      ends: {
        exit: EXIT.yes,
        json: { job: id, folder, ids: idsOf(ids) },
        text: submittedText(opened),
      },
    };
  }
  context.note(submittedText(opened));
  const ended = await followJob(slurm, opened, {
    signal: context.abort,
    progress: progressLines(context.note),
  });
  if (!ended.ok) return { ends: failed(ended, opened) };
  if (ended.result.kind !== request.kind)
    throw invalidInput(
      `Job ${opened.id} is not a job of ${request.kind}. Fix: use ${ended.result.kind}.`,
    );
  const result = ended.result as DoneJob<J>['result'];
  return { done: { job, folder: opened.folder, result } };
}

type Found = Extract<FoundJob, { readonly ok: true }>;

async function existing(name: string): Promise<Found> {
  const found = await findJob(root(), name);
  if (found.ok) return found;
  throw invalidInput(found.message);
}

async function jobOf<J extends SlurmJob>(
  { kind }: JobRequest<J>,
  earlier: Found | undefined,
): Promise<J> {
  const read = await readJob(earlier?.folder ?? '');
  if (!read.ok) throw invalidInput(`The job '${earlier?.id ?? ''}' cannot be read: ${read.why}`);
  const { job } = read;
  if (job.kind === kind) return job as J;
  throw invalidInput(
    `'${earlier?.id ?? ''}' is a job of ${job.kind}. Fix: use gemm-explorer ${job.kind}.`,
  );
}

const storedOptions = (earlier: Found | undefined) =>
  earlier === undefined ? {} : { ...earlier.ids.options, tasks: earlier.ids.tasks };

async function submitted(
  slurm: Slurm,
  job: SlurmJob,
  options: typeof DEFAULT_OPTIONS,
  { abort }: Context,
): Promise<OpenedJob> {
  const ended = await submitJob(
    slurm,
    { root: root(), job, options, program: TASK_PROGRAM },
    abort,
  );
  if (ended.ok) return ended;
  throw ended.why === 'refused' ? missingPrerequisite(ended.message) : invalidInput(ended.message);
}

async function cancel(slurm: Slurm, { id, ids }: Found): Promise<Result> {
  const problem = await cancelJobs(slurm, idsOf(ids).toReversed());
  if (problem !== undefined) throw missingPrerequisite(problem);
  const text = `Cancelled ${id} (Slurm jobs ${idsOf(ids).join(', ')}). Measurements are saved; --resume ${id} continues.`;
  return { exit: EXIT.yes, json: { cancelled: id, ids: idsOf(ids) }, text };
}

const submittedText = ({ id, folder, ids, isEarlier }: OpenedJob): string =>
  `${isEarlier ? 'Submitted earlier' : 'Submitted'}: ${id}, Slurm jobs ${idsOf(ids).join(', ')}. Scripts and journals: ${folder}`;

function failed(ended: Extract<FollowEnd, { readonly ok: false }>, { id }: OpenedJob): Result {
  if (ended.why === 'ended') throw missingPrerequisite(ended.message);
  const text = `Detached from ${id}, which continues. Follow it with --attach ${id}, or cancel it with --cancel ${id}.`;
  return { exit: EXIT.interrupted, json: { detached: id }, text };
}

/** Prints a line when the numbers change. */
function progressLines(note: (line: string) => void): (progress: JobProgress) => void {
  let last = '';
  return progress => {
    const line = progressLine(progress);
    if (line !== last) note(line);
    last = line;
  };
}

function progressLine({ measurements, running, pending, reason, unknown }: JobProgress): string {
  const done = `  ${measurements} measurements`;
  if (unknown !== undefined) return `${done}; squeue does not report the tasks: ${unknown}`;
  const why = reason === '' ? '' : ` (${reason})`;
  return `${done}; tasks: ${running} running, ${pending} pending${why}`;
}
