/** Options of a Slurm job, checked before they become part of a script. */
import { t } from '@vscode/l10n';

export interface SlurmOptions {
  /** Number of tasks of the array, each on one GPU. */
  readonly tasks: number;
  readonly partition?: string;
  readonly account?: string;
  readonly qos?: string;
  readonly constraint?: string;
  /** Generic resources per task, such as `gpu:h100:1`; `none` requests none. */
  readonly gres?: string;
  /** Time limit of a task in the format of Slurm. */
  readonly timeLimit?: string;
  readonly cpus?: string;
  readonly memory?: string;
}

export type SlurmText = Exclude<keyof SlurmOptions, 'tasks'>;

export const MAX_TASKS = 1000;
export const DEFAULT_TASKS = 8;

interface Rule {
  /** Option of `sbatch`. */
  readonly option: string;
  readonly pattern: RegExp;
  readonly expected: () => string;
}

const names: Pick<Rule, 'pattern' | 'expected'> = {
  pattern: /^[A-Za-z0-9_][\w.@+-]*(,[A-Za-z0-9_][\w.@+-]*)*$/,
  expected: () => t('names of letters, digits, "_", "-", "." and "+", separated by commas'),
};

/** Rules of the options, in the order of the script. */
export const SLURM_RULES: Readonly<Record<SlurmText, Rule>> = {
  partition: { option: 'partition', ...names },
  account: { option: 'account', ...names },
  qos: { option: 'qos', ...names },
  constraint: {
    option: 'constraint',
    pattern: /^[A-Za-z0-9_[(][\w.@+&|*,[\]()-]*$/,
    expected: () => t('features, such as {0}', 'h100&nvlink'),
  },
  gres: {
    option: 'gres',
    pattern: /^[A-Za-z][\w.:,=/-]*$/,
    expected: () => t('generic resources, such as {0}, or {1}', 'gpu:h100:1', 'none'),
  },
  timeLimit: {
    option: 'time',
    pattern: /^(\d{1,9}|\d{1,9}:\d{1,2}(:\d{1,2})?|\d{1,5}-\d{1,2}(:\d{1,2}){0,2})$/,
    expected: () => t('minutes, or a time such as {0} or {1}', '1:30:00', '2-12'),
  },
  cpus: {
    option: 'cpus-per-task',
    pattern: /^[1-9]\d{0,3}$/,
    expected: () => t('a number of CPUs'),
  },
  memory: {
    option: 'mem',
    pattern: /^\d{1,9}[KMGT]?$/,
    expected: () => t('a size, such as {0}', '16G'),
  },
};

export const NO_GRES = 'none';

/** Returns why a value is not valid; undefined if it is valid. */
export function slurmProblem(name: SlurmText, value: string): string | undefined {
  const { pattern, expected } = SLURM_RULES[name];
  return value.length <= 200 && pattern.test(value)
    ? undefined
    : t('Expected {0}, got "{1}".', expected(), value.slice(0, 200));
}

/** Returns the `sbatch` options of a task, as `--name=value`. Throws if an option is not valid. */
export function sbatchOptions(options: SlurmOptions): readonly string[] {
  return (Object.keys(SLURM_RULES) as SlurmText[]).flatMap(name => {
    const value = options[name];
    if (value === undefined || (name === 'gres' && value === NO_GRES)) return [];
    const problem = slurmProblem(name, value);
    if (problem !== undefined) throw new Error(`${name}: ${problem}`);
    return [`--${SLURM_RULES[name].option}=${value}`];
  });
}
