/** Reads the output of `sbatch`, `squeue` and `sacct`. Lines in an unknown form are ignored. */

export type TaskState = 'pending' | 'running' | 'ended';

export interface QueuedTask {
  readonly job: string;
  /** Index in the array; null for a job without an array, or for several pending tasks. */
  readonly task: number | null;
  /** Number of tasks of this line: pending tasks of an array may share a line. */
  readonly count: number;
  readonly state: TaskState;
  /** State in words of Slurm. */
  readonly name: string;
  readonly reason: string;
}

/** States in which a task has no more processes. Other states, also unknown ones, are not ended. */
const ENDED = new Set([
  'BOOT_FAIL',
  'CANCELLED',
  'COMPLETED',
  'DEADLINE',
  'FAILED',
  'NODE_FAIL',
  'OUT_OF_MEMORY',
  'PREEMPTED',
  'REVOKED',
  'TIMEOUT',
]);
const PENDING = new Set([
  'CONFIGURING',
  'PENDING',
  'REQUEUED',
  'REQUEUE_FED',
  'REQUEUE_HOLD',
  'RESV_DEL_HOLD',
  'SPECIAL_EXIT',
]);

/** Format of `squeue --format`. */
export const SQUEUE_FORMAT = '%i|%T|%r';
/** Format of `sacct --format`. */
export const SACCT_FORMAT = 'JobID,State,ExitCode,NodeList';

const ID = /^(\d+)(?:_(?:(\d+)|\[([\d,%-]+)(?:\.\.\.)?\]))?(?:[.+].*)?$/;

/** Returns the number of array indices in a list such as `0-3,7%2`. */
export function countIndices(list: string): number {
  return (list.split('%')[0] ?? '').split(',').reduce((count, part) => {
    const [, from, to] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    if (from === undefined) return count;
    return count + Math.max(1, Number(to ?? from) - Number(from) + 1);
  }, 0);
}

export function stateOf(name: string): TaskState {
  if (ENDED.has(name)) return 'ended';
  return PENDING.has(name) ? 'pending' : 'running';
}

/** @param text output of `squeue --noheader --format=SQUEUE_FORMAT` */
export function parseSqueue(text: string): readonly QueuedTask[] {
  return text.split(/\r?\n/).flatMap(line => {
    const [id = '', name = '', ...reason] = line.trim().split('|');
    const [, job, task, list] = ID.exec(id.trim()) ?? [];
    // States in lower case come from wrappers and newer versions.
    const state = name.trim().toUpperCase();
    if (job === undefined || !/^[A-Z][A-Z_]*$/.test(state)) return [];
    return [
      {
        job,
        task: task === undefined ? null : Number(task),
        count: list === undefined ? 1 : Math.max(1, countIndices(list)),
        state: stateOf(state),
        name: state,
        reason: reason.join('|').trim(),
      },
    ];
  });
}

export interface EndedTask {
  readonly id: string;
  /** State in words of Slurm, such as `CANCELLED by 1000`. */
  readonly state: string;
  readonly exitCode: string;
  readonly nodes: string;
}

/** @param text output of `sacct --noheader --parsable2 --format=SACCT_FORMAT` */
export function parseSacct(text: string): readonly EndedTask[] {
  return text.split(/\r?\n/).flatMap(line => {
    const [id = '', state = '', exitCode = '', nodes = ''] = line.trim().split('|');
    return ID.test(id.trim()) && state.trim() !== ''
      ? [{ id: id.trim(), state: state.trim(), exitCode: exitCode.trim(), nodes: nodes.trim() }]
      : [];
  });
}

/** Returns the job id in the output of `sbatch --parsable`, or of a wrapper that prints more. */
export function parseSbatch(text: string): string | undefined {
  for (const line of text.split(/\r?\n/).map(one => one.trim())) {
    const found = /^(\d+)(?:;.*)?$/.exec(line) ?? /^Submitted batch job (\d+)\b/.exec(line);
    if (found?.[1] !== undefined) return found[1];
  }
  return undefined;
}
