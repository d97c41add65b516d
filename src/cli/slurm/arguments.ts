/** Options of `tune` and `audit` for Slurm. */
import {
  DEFAULT_TASKS,
  MAX_TASKS,
  slurmProblem,
  type SlurmOptions,
  type SlurmText,
} from '../../core/search/tune/slurmOptions';
import { positiveNumber } from '../command';
import { invalidInput } from '../result';

export const slurmArguments = {
  slurm: {
    type: 'boolean',
    description: 'Measure in the tasks of a Slurm array job, and wait for its result',
  },
  tasks: {
    type: 'string',
    valueHint: 'N',
    description: `Number of Slurm tasks, each on one GPU; default: ${DEFAULT_TASKS}`,
  },
  partition: { type: 'string', valueHint: 'P', description: 'Slurm partition' },
  account: { type: 'string', valueHint: 'A', description: 'Slurm account' },
  qos: { type: 'string', valueHint: 'Q', description: 'Slurm quality of service' },
  constraint: { type: 'string', valueHint: 'F', description: 'Slurm features of the nodes' },
  'gpu-type': {
    type: 'string',
    valueHint: 'G',
    description: 'GPU type of the tasks, such as h100 (--gres gpu:h100:1)',
  },
  gres: {
    type: 'string',
    valueHint: 'G',
    description: 'Generic resources per Slurm task; default: gpu:1; none to request none',
  },
  'time-limit': {
    type: 'string',
    valueHint: 'T',
    description: 'Time limit of a Slurm task, in minutes or as 1:30:00',
  },
  cpus: { type: 'string', valueHint: 'N', description: 'CPUs per Slurm task, for compilations' },
  memory: { type: 'string', valueHint: 'SIZE', description: 'Memory per Slurm task, such as 16G' },
  detach: { type: 'boolean', description: 'Submit the Slurm job, and do not wait for its result' },
  attach: {
    type: 'string',
    valueHint: 'JOB',
    description: 'Follow a submitted Slurm job: its folder name in .gemm/slurm, or an id of Slurm',
  },
  resume: {
    type: 'string',
    valueHint: 'JOB',
    description: 'Submit the remaining work of a Slurm job again, and wait for its result',
  },
  cancel: { type: 'string', valueHint: 'JOB', description: 'Cancel a Slurm job' },
} as const;

type Name = keyof typeof slurmArguments;
export type SlurmArguments = {
  readonly [N in Name]?: (N extends 'slurm' | 'detach' ? boolean : string) | undefined;
};

export type SlurmAction =
  { readonly do: 'submit' } | { readonly do: 'attach' | 'resume' | 'cancel'; readonly job: string };

const ON_JOB = ['attach', 'resume', 'cancel'] as const;

/** Returns what to do with Slurm; undefined if the command runs on this machine. */
export function slurmAction(options: SlurmArguments): SlurmAction | undefined {
  const given = ON_JOB.flatMap(name => {
    const job = options[name];
    return job === undefined ? [] : [{ do: name, job }];
  });
  const [first, second] = given;
  if (first !== undefined && second !== undefined)
    throw invalidInput(
      `--${first.do} and --${second.do} exclude each other. Fix: use one of them.`,
    );
  if (first !== undefined) return first;
  if (options.slurm === true) return { do: 'submit' };
  const alone = (Object.keys(slurmArguments) as Name[]).find(name => options[name] !== undefined);
  if (alone === undefined || options[alone] === false) return undefined;
  throw invalidInput(`--${alone} applies to Slurm jobs. Fix: add --slurm, or omit it.`);
}

const TEXTS: Readonly<Record<SlurmText, Name>> = {
  partition: 'partition',
  account: 'account',
  qos: 'qos',
  constraint: 'constraint',
  gres: 'gres',
  timeLimit: 'time-limit',
  cpus: 'cpus',
  memory: 'memory',
};

/** Returns the given options of Slurm, checked. */
export function givenOptions(options: SlurmArguments): Partial<SlurmOptions> {
  const { tasks, gres, 'gpu-type': type } = options;
  if (gres !== undefined && type !== undefined)
    throw invalidInput('--gres and --gpu-type exclude each other. Fix: use one of them.');
  if (type !== undefined && !/^[A-Za-z0-9][\w.-]*$/.test(type))
    throw invalidInput(`Expected --gpu-type to be a name such as h100, got "${type}".`);
  const texts = Object.entries(TEXTS).flatMap(([name, argument]) => {
    const value = options[argument];
    if (typeof value !== 'string') return [];
    const problem = slurmProblem(name as SlurmText, value);
    if (problem !== undefined) throw invalidInput(`--${argument}: ${problem}`);
    return [[name, value] as const];
  });
  const count = tasks === undefined ? undefined : positiveNumber('tasks', tasks);
  if (count !== undefined && count > MAX_TASKS)
    throw invalidInput(`Expected --tasks to be at most ${MAX_TASKS}, got ${count}.`);
  return {
    ...(count === undefined ? {} : { tasks: count }),
    ...Object.fromEntries(texts),
    ...(type === undefined ? {} : { gres: `gpu:${type}:1` }),
  };
}

export const DEFAULT_OPTIONS: SlurmOptions = { tasks: DEFAULT_TASKS, gres: 'gpu:1' };

/** Options that do not apply to Slurm jobs, with the reason. */
export function refuseLocal(
  given: Readonly<Partial<Record<'gpus' | 'journal' | 'fresh', unknown>>>,
): void {
  if (given.gpus !== undefined)
    throw invalidInput(
      '--gpus selects GPUs of one machine, but each Slurm task measures on one GPU. Fix: omit --gpus, and use --tasks.',
    );
  if (given.journal !== undefined)
    throw invalidInput('Slurm tasks write their own journals to .gemm/slurm. Fix: omit --journal.');
  if (given.fresh === true)
    throw invalidInput(
      'Slurm jobs keep their measurements in .gemm/slurm. Fix: omit --fresh, and delete the folder of the job to measure again.',
    );
}
