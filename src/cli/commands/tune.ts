/**
 * `tune SPEC`: searches for the fastest schedule of a problem. Every measurement is saved, so that
 * an interrupted search can be resumed.
 */
import path from 'node:path';
import { shippedTables } from '../../core/defaults/dispatch/shipped';
import { resolve, withDispatched } from '../../core/defaults/resolve';
import type { ResolvedSpec } from '../../core/spec/resolved';
import type { GemmSpec } from '../../core/spec/schema';
import { adoptedText, rowOfTune } from '../../core/search/tune/adopted';
import { OBJECTIVES, type TuneSummary } from '../../core/search/tune/events';
import { seedsOf } from '../../core/search/tune/seeds';
import { defaultSpace, type TuneSpace } from '../../core/search/tune/space';
import { parseSpace } from '../../core/search/tune/spaceFile';
import { adoptRow } from '../../host/dispatch';
import type { TuneJob } from '../../host/slurm/job';
import { cachedTunes, journalName } from '../../host/tune/place';
import { runTune, TUNABLE, type TunableBackend, type TuneEnd } from '../../host/tune/run';
import { DAWN_CLI } from '../backends';
import {
  command,
  device,
  experimental,
  robustness,
  set,
  specArgument,
  gpuList,
  positiveNumber,
  type Context,
} from '../command';
import { dawnChoice } from '../measure';
import { slurmAction, slurmArguments } from '../slurm/arguments';
import type { DoneJob } from '../slurm/job';
import { measurementsOf, missingSpec, tuneOnSlurm } from '../slurm/tune';
import { backendFor, BACKEND_NAMES } from '../tune/backend';
import { progressLines } from '../tune/progress';
import { summaryText } from '../tune/text';
import { writeWinner } from '../tune/winner';
import { writeOut } from '../output';
import { readText } from '../input';
import {
  EXIT,
  interrupted,
  missingPrerequisite,
  invalidInput,
  type ExitCode,
  type Failure,
  type Result,
} from '../result';
import { readSpecAndTables } from '../spec';

export const tuneCommand = command({
  name: 'tune',
  description: 'Search for the fastest schedule of a problem; resume an interrupted search',
  args: {
    spec: { ...specArgument, required: false },
    space: {
      type: 'string',
      valueHint: 'FILE',
      description: 'Search space file: value lists per field, or a list of schedules',
    },
    backend: {
      type: 'enum',
      options: [...BACKEND_NAMES],
      description: 'cuda or webgpu; default: cuda if available, otherwise webgpu',
    },
    budget: {
      type: 'string',
      valueHint: 'N',
      description:
        'Maximum number of schedules to measure; default: 5 % of the legal schedules, at most 200',
    },
    time: { type: 'string', valueHint: 'SECONDS', description: 'Approximate time limit' },
    exhaustive: {
      type: 'boolean',
      description: 'Measure every legal schedule of the search space',
    },
    objective: {
      type: 'enum',
      options: [...OBJECTIVES],
      description: 'Quantity to minimize: time (default), or energy per launch (cuda only)',
    },
    gpus: {
      type: 'string',
      valueHint: 'LIST',
      description:
        'GPU indices to measure on, such as 0,1 (cuda only); the first GPU measures the finalists',
    },
    journal: {
      type: 'string',
      valueHint: 'FILE',
      description:
        'Journal file of measurements (.jsonl); default: one file per problem in the cache',
    },
    fresh: { type: 'boolean', description: 'Ignore measurements in the journal and measure again' },
    adopt: {
      type: 'string',
      valueHint: 'DIR',
      description:
        'Make the winner the default for all specs in this folder (.gemm/dispatch.jsonl)',
    },
    out: {
      type: 'string',
      valueHint: 'DIR',
      description: 'Output folder for the spec and the kernel of the winner',
    },
    robustness,
    experimental,
    set,
    device,
    ...slurmArguments,
  },
  json: 'Print one Measurement per line on standard output, then the summary',
  run: async (options, context) => {
    const action = slurmAction(options);
    if (action !== undefined) {
      const job = await tuneOnSlurm(options, action, context);
      return 'ends' in job ? job.ends : await finishJob(job.done, options, context);
    }
    if (options.spec === undefined) throw missingSpec();
    const { set: assignments, device: requestedDevice } = options;
    const overrides = { set: assignments, device: requestedDevice, note: context.note };
    const { spec: written, tables } = await readSpecAndTables(options.spec, overrides);
    const given = tables === undefined ? written : withDispatched(written, tables);
    const schedules = positive('budget', options.budget);
    const seconds = positive('time', options.time);
    const backend = await backendFor(options.backend, given, context);
    const gpus = gpusIn(options.gpus, backend);
    const { objective = 'time' } = options;
    if (objective === 'energy' && backend !== 'cuda') {
      throw invalidInput(
        `--objective energy requires the cuda backend, not ${backend}, because only NVIDIA drivers count energy. Fix: add --backend cuda, or use --objective time.`,
      );
    }
    const target = TUNABLE[backend];
    const spec = { ...resolve({ ...given, targets: [target] }), targets: [target] };
    const own = options.space === undefined;
    const space = own ? defaultSpace(spec, target) : await readSpace(options.space, written, spec);
    const journal = options.journal ?? path.join(cachedTunes(), journalName(spec, backend));
    const asJson = options['json'] === true;
    const lines: Promise<void>[] = [];
    const ended = await runTune(
      {
        spec,
        backend,
        space,
        journal,
        gpus,
        where: 'cli',
        dawn: { ...DAWN_CLI, ...dawnChoice(backend, options) },
        seeds: own ? seedsOf(spec, target) : [],
        ...(own ? { adapterTables: tables ?? shippedTables() } : {}),
        ...(schedules === undefined ? {} : { schedules }),
        ...(seconds === undefined ? {} : { milliseconds: 1000 * seconds }),
        exhaustive: options.exhaustive === true,
        fresh: options.fresh === true,
        objective,
      },
      {
        abort: context.abort,
        say: progressLines(context.note),
        progress: stage => {
          context.note(`  ${stage}`);
        },
        onMeasurement: measurement => {
          if (asJson) lines.push(writeOut(`${JSON.stringify(measurement)}\n`));
        },
      },
    );
    await Promise.all(lines);
    if (!ended.ok) throw failureOf(ended);
    return await finish(ended.summary, spec, options, context);
  },
});

interface Output {
  readonly out?: string | undefined;
  readonly adopt?: string | undefined;
  readonly json?: unknown;
}

/** Prints the measurements of a Slurm job, and then its result like that of a local search. */
async function finishJob(
  { job, folder, result: { summary } }: DoneJob<TuneJob>,
  options: Output,
  context: Context,
): Promise<Result> {
  if (options.json === true) {
    for (const measurement of await measurementsOf(folder, job))
      await writeOut(`${JSON.stringify(measurement)}\n`);
  }
  const target = TUNABLE[job.backend];
  const spec = { ...resolve({ ...job.spec, targets: [target] }), targets: [target] };
  return await finish(summary, spec, options, context);
}

/** Writes and adopts the winner if requested, and prints the summary. */
async function finish(
  summary: TuneSummary,
  spec: ResolvedSpec,
  options: Output,
  context: Context,
): Promise<Result> {
  const { target } = summary.place;
  const asJson = options.json === true;
  const files =
    options.out === undefined || summary.winner === null
      ? []
      : await writeWinner(options.out, spec, target, summary.winner);
  if (options.adopt !== undefined) files.push(...(await adopt(options.adopt, summary, context)));
  if (asJson)
    await writeOut(
      `${JSON.stringify({ ...summary, ...(files.length === 0 ? {} : { written: files }) })}\n`,
    );
  return { exit: exitOf(summary), ...(asJson ? {} : { text: summaryText(summary, files) }) };
}

function failureOf({ outcome, message }: Extract<TuneEnd, { readonly ok: false }>): Failure {
  if (outcome === 'cancelled') return interrupted();
  return outcome === 'unusable' ? invalidInput(message) : missingPrerequisite(message);
}

/**
 * Returns the exit code. A search space without a legal schedule is invalid input. Without a
 * winner, a lost GPU is a missing prerequisite, and any other end is a negative result.
 */
function exitOf({ ended, winner, space }: TuneSummary): ExitCode {
  if (ended === 'cancelled') return EXIT.interrupted;
  if (space.legal === 0) return EXIT.unusable;
  if (ended === 'lost' && winner === null) return EXIT.lacking;
  return winner === null ? EXIT.no : EXIT.yes;
}

/**
 * Adopts the winner for specs in `folder`. Returns a list with the path of the written file; the
 * list is empty if there is no winner. Throws if the winner could not be adopted.
 */
async function adopt(
  folder: string,
  summary: TuneSummary,
  { note, abort }: Context,
): Promise<readonly string[]> {
  const row = rowOfTune(summary, path.basename(summary.journal ?? ''));
  if (row === null) return [];
  const adopted = await adoptRow(folder, row, { signal: abort });
  if ('written' in adopted) {
    note(adoptedText(summary));
    return [adopted.written];
  }
  throw invalidInput(`The winner was not adopted: ${adopted.failed}`);
}

const positive = (option: string, text: string | undefined): number | undefined =>
  text === undefined ? undefined : positiveNumber(option, text);

function gpusIn(text: string | undefined, backend: TunableBackend): readonly number[] {
  if (text === undefined) return [0];
  if (backend !== 'cuda')
    throw invalidInput(
      `--gpus only applies to the cuda backend, not ${backend}. Fix: omit --gpus, or use --backend cuda.`,
    );
  return gpuList(text);
}

async function readSpace(
  file: string | undefined,
  { schedule = {} }: GemmSpec,
  { problem }: ReturnType<typeof resolve>,
): Promise<TuneSpace> {
  const path = file ?? '';
  const decoded = parseSpace(await readText(path), { problem, schedule });
  if (decoded.ok) return decoded.space;
  throw invalidInput(`${path} is not a valid search space:`, decoded.errors);
}
