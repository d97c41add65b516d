/** `tune --slurm`: describes the job, and returns the result of its final task. */
import { lineKey, problemId, readTaskJournal } from '../../core/search/tune/journal';
import { mergeLines } from '../../core/measure/mergeLines';
import type { Measurement } from '../../core/measure/measurement';
import { resolve, withDispatched } from '../../core/defaults/resolve';
import { parseSpace } from '../../core/search/tune/spaceFile';
import type { Objective } from '../../core/search/tune/events';
import type { BackendId, Robustness } from '../../core/measure/measurement';
import { adoptedRows } from '../adoptedRows';
import type { TuneJob } from '../../host/slurm/job';
import { readJournals } from '../../host/slurm/journals';
import { TUNABLE, type TunableBackend } from '../../host/tune/run';
import { positiveNumber, type Context } from '../command';
import { readText } from '../input';
import { dawnChoice } from '../measure';
import { invalidInput } from '../result';
import { readSpecAndTables } from '../spec';
import { requireTunable } from '../tune/backend';
import { version } from '../version';
import { refuseLocal, type SlurmAction, type SlurmArguments } from './arguments';
import { runSlurm, type JobEnd } from './job';

export interface SlurmTuneOptions extends SlurmArguments {
  readonly spec?: string | undefined;
  readonly set: readonly string[];
  readonly device?: string | undefined;
  readonly backend?: BackendId | undefined;
  readonly space?: string | undefined;
  readonly budget?: string | undefined;
  readonly time?: string | undefined;
  readonly exhaustive?: boolean | undefined;
  readonly objective?: Objective | undefined;
  readonly gpus?: string | undefined;
  readonly journal?: string | undefined;
  readonly fresh?: boolean | undefined;
  readonly robustness?: Robustness | undefined;
  readonly experimental?: boolean | undefined;
}

export const tuneOnSlurm = (
  options: SlurmTuneOptions,
  action: SlurmAction,
  context: Context,
): Promise<JobEnd<TuneJob>> =>
  runSlurm({ kind: 'tune', action, options, create: () => createJob(options, context) }, context);

async function createJob(options: SlurmTuneOptions, context: Context): Promise<TuneJob> {
  refuseLocal(options);
  const { set, device, budget, time, objective = 'time' } = options;
  if (options.spec === undefined) throw missingSpec();
  const overrides = { set, device, note: context.note };
  const read = await readSpecAndTables(options.spec, overrides);
  const spec = read.tables === undefined ? read.spec : withDispatched(read.spec, read.tables);
  const backend = backendOf(options.backend, spec.targets);
  if (objective === 'energy' && backend !== 'cuda')
    throw invalidInput(
      `--objective energy requires the cuda backend, not ${backend}. Fix: add --backend cuda, or use --objective time.`,
    );
  const adopted = read.file === undefined ? undefined : await adoptedRows(options.spec);
  return {
    slurm: 1,
    version,
    kind: 'tune',
    spec,
    backend,
    space: await spaceOf(options.space, read.spec, backend),
    exhaustive: options.exhaustive === true,
    objective,
    ...(adopted === undefined ? {} : { rows: [...adopted.rows] }),
    ...(budget === undefined ? {} : { schedules: positiveNumber('budget', budget) }),
    ...(time === undefined ? {} : { milliseconds: 1000 * positiveNumber('time', time) }),
    ...dawnChoice(backend, options),
  };
}

export const missingSpec = () => invalidInput('Missing required positional argument: SPEC');

type Spec = Awaited<ReturnType<typeof readSpecAndTables>>['spec'];

/** Selects the backend without probing, because the GPUs are on other machines. */
function backendOf(requested: BackendId | undefined, targets: Spec['targets']): TunableBackend {
  if (requested !== undefined) return requireTunable(requested, targets);
  return targets?.includes('cuda') === false ? 'webgpu' : 'cuda';
}

async function spaceOf(
  file: string | undefined,
  spec: Spec,
  backend: TunableBackend,
): Promise<TuneJob['space']> {
  if (file === undefined) return null;
  const { schedule = {} } = spec;
  const text = await readText(file);
  const { problem } = resolve({ ...spec, targets: [TUNABLE[backend]] });
  const parsed = parseSpace(text, { problem, schedule });
  if (!parsed.ok) throw invalidInput(`${file} is not a valid search space:`, parsed.errors);
  return { text, schedule };
}

/** Returns the measurements of all tasks, each once. */
export async function measurementsOf(
  folder: string,
  job: TuneJob,
): Promise<readonly Measurement[]> {
  const target = TUNABLE[job.backend];
  const { problem } = resolve({ ...job.spec, targets: [target] });
  const identity = { problem: problemId(problem), target, backend: job.backend };
  const journals = await readJournals(folder, (content, rest) =>
    readTaskJournal(content, identity, rest),
  );
  const lines = mergeLines(
    journals.flatMap(one => one.lines),
    lineKey,
  );
  return lines.map(({ measurement }) => measurement);
}
