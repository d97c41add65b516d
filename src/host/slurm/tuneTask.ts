/** Tasks of a tune: a share of the quick rounds, or the final task, which selects the winner. */
import os from 'node:os';
import { setImmediate as turn } from 'node:timers/promises';
import { t } from '@vscode/l10n';
import { shippedTables, tablesWith } from '../../core/defaults/dispatch/shipped';
import { completeSchedule } from '../../core/defaults/byShape';
import { resolve } from '../../core/defaults/resolve';
import { mergeLines } from '../../core/measure/mergeLines';
import { plannerFor } from '../../core/plan/planner';
import {
  gpuName,
  type Bench,
  type Found,
  type MeasurementStore,
} from '../../core/search/tune/bench';
import type { TunePlace, TuneSummary } from '../../core/search/tune/events';
import {
  lineKey,
  problemId,
  readTaskJournal,
  type JournalIdentity,
  type JournalLine,
} from '../../core/search/tune/journal';
import { seedsOf } from '../../core/search/tune/seeds';
import {
  compareWith,
  measureShare,
  openSchedules,
  shareOf,
  type ComparedGpus,
  type Reference,
} from '../../core/search/tune/share';
import { defaultSpace } from '../../core/search/tune/space';
import { parseSpace } from '../../core/search/tune/spaceFile';
import { tune, type TuneInput } from '../../core/search/tune/tune';
import type { ResolvedSpec } from '../../core/spec/resolved';
import { openJournal, type Journal } from '../tune/journal';
import type { OpenedBench } from '../tune/opened';
import { adapterDefaults, TUNABLE, withBench } from '../tune/run';
import { groupOf, largestGroup, modelsOf } from './groups';
import type { TuneJob } from './job';
import { journalFile, readJournals, readRecords, type TaskLines } from './journals';
import type { TaskContext, TaskEnd } from './task';

type Opened<P> = Extract<OpenedBench<P>, { readonly ok: true }>;

interface Prepared<P> {
  readonly job: TuneJob;
  readonly context: TaskContext;
  readonly bench: Bench<P>;
  readonly identity: JournalIdentity;
  readonly input: Omit<TuneInput, 'notes'>;
  readonly journal: Journal;
  readonly records: Awaited<ReturnType<typeof readRecords>>;
  readonly journals: readonly TaskLines<JournalLine>[];
}

export const runTuneTask = (job: TuneJob, context: TaskContext): Promise<TaskEnd> => {
  const { backend, robustness, experimental } = job;
  const dawn = {
    worker: context.dawnWorker,
    ...(robustness === undefined ? {} : { robustness }),
    ...(experimental === undefined ? {} : { experimental }),
  };
  return withBench({ backend, where: 'slurm', gpus: [0], dawn }, context, async opened => {
    if (!opened.ok) return { ended: 'failed', message: opened.message };
    return await onBench(opened, job, context);
  });
};

async function onBench<P>(opened: Opened<P>, job: TuneJob, context: TaskContext): Promise<TaskEnd> {
  const { folder, attempt } = context;
  const { bench } = opened;
  const target = TUNABLE[job.backend];
  const spec = { ...resolve({ ...job.spec, targets: [target] }), targets: [target] };
  // An adapter has the same description on different machines, so its node is part of its identity.
  const gpus =
    job.backend === 'webgpu'
      ? opened.identity.gpus.map(gpu => `${gpu} (${os.hostname()})`)
      : opened.identity.gpus;
  const { driver, compiler } = opened.identity;
  const identity = {
    driver,
    compiler,
    gpus,
    problem: problemId(spec.problem),
    target,
    backend: job.backend,
  };
  const device = { name: bench.gpus[0] ?? '', id: gpus[0] ?? '', driver, compiler };
  await context.record({ device });
  const found = await openJournal({ file: journalFile(folder, attempt), identity });
  if (!found.ok) return { ended: 'failed', message: found.message };
  const { journal } = found;
  try {
    const place = { backend: job.backend, target, device: spec.device, gpus: bench.gpus };
    const prepared: Prepared<P> = {
      job,
      context,
      bench,
      identity,
      journal,
      input: inputOf(job, spec, place, opened),
      records: await readRecords(folder),
      journals: await readJournals(folder, (content, rest) =>
        readTaskJournal(content, identity, rest),
      ),
    };
    return attempt.wave === 'final'
      ? await runFinal(prepared)
      : await runShare(prepared, attempt.wave);
  } finally {
    await journal.close();
  }
}

function inputOf<P>(
  job: TuneJob,
  spec: ResolvedSpec,
  place: TunePlace,
  { adapter }: Opened<P>,
): Omit<TuneInput, 'notes'> {
  const { target } = place;
  const { space: own, schedules, milliseconds, exhaustive, objective, rows } = job;
  const tables = rows === undefined ? shippedTables() : tablesWith(rows);
  const limits = {
    ...(schedules === undefined ? {} : { schedules }),
    ...(milliseconds === undefined ? {} : { milliseconds }),
  };
  const input = { spec, place, exhaustive, objective, ...limits };
  if (own === null) {
    const seeds = [...adapterDefaults(adapter, spec, tables), ...seedsOf(spec, target)];
    return { ...input, space: defaultSpace(spec, target), seeds };
  }
  const parsed = parseSpace(own.text, { problem: spec.problem, schedule: own.schedule });
  if (!parsed.ok) throw new Error(t('The search space of the job is not valid.'));
  return { ...input, space: parsed.space, seeds: [] };
}

/** Measures the share of the task. Other tasks of the wave list the same schedules. */
async function runShare<P>(prepared: Prepared<P>, wave: number): Promise<TaskEnd> {
  const { context, bench, identity, input, journals, records } = prepared;
  const models = modelsOf(records);
  const isEarlier = ({ attempt }: TaskLines<JournalLine>): boolean =>
    attempt.wave !== 'final' && attempt.wave < wave;
  const earlier = mergeLines(
    journals.filter(isEarlier).flatMap(({ lines }) => lines),
    lineKey,
  ).filter(({ effort }) => effort === 'quick');
  const group = largestGroup(models, earlier);
  const known = new Map(
    earlier
      .filter(line => groupOf(models, line) === group)
      .map(({ measurement }) => [measurement.specKey, measurement]),
  );
  const { abort } = context;
  const run = { abort, now: () => performance.now(), pause: () => turn() };
  const { open } = await openSchedules(input, known, run);
  const share = shareOf(open, { task: context.attempt.task, tasks: context.tasks });
  await context.record({ share: share.length });
  context.progress(t('{0} of {1} open schedules belong to this task', share.length, open.length));
  const lines = mergeLines(
    journals.flatMap(one => one.lines),
    lineKey,
  ).filter(line => groupOf(models, line) === ownGroup(models, identity));
  const { store } = sharedStore(prepared, lines);
  const began = performance.now();
  const limitMs = prepared.job.milliseconds;
  const ended = await measureShare(share, bench, store, {
    abort,
    isLate: () => limitMs !== undefined && performance.now() - began > limitMs,
  });
  return 'lost' in ended ? { ended: 'failed', message: ended.lost } : ended;
}

const ownGroup = (
  models: ReadonlyMap<string, string>,
  { gpus, driver, compiler }: JournalIdentity,
): string => groupOf(models, { gpu: gpus[0] ?? '', driver, compiler });

interface Shared {
  readonly store: MeasurementStore;
  /** Ids of other GPUs, whose indices follow those of the bench. */
  readonly others: readonly string[];
}

/** A store with the journal of the task and the lines of other tasks. Own measurements precede. */
function sharedStore<P>(
  { journal, identity, context }: Pick<Prepared<P>, 'journal' | 'identity' | 'context'>,
  lines: readonly JournalLine[],
  apart: ReadonlySet<string> = new Set(),
): Shared {
  const { gpus } = identity;
  const others = [...new Set(lines.map(({ gpu }) => gpu))]
    .filter(gpu => !gpus.includes(gpu))
    .sort();
  const all = [...gpus, ...others];
  const known = new Map<string, Found[]>();
  for (const { measurement, effort, gpu } of lines) {
    if (apart.has(gpu)) continue;
    const key = `${measurement.kernelKey} ${effort}`;
    const found = { measurement, gpu: all.indexOf(gpu) };
    known.set(
      key,
      [...(known.get(key) ?? []), found].sort((one, other) => one.gpu - other.gpu),
    );
  }
  return {
    others,
    store: {
      name: context.folder,
      known: known.size,
      find: (request, gpu) =>
        journal.find(request, gpu) ??
        known
          .get(`${request.kernelKey} ${request.effort}`)
          ?.find(found => gpu === undefined || found.gpu === gpu),
      keep: journal.keep,
    },
  };
}

/**
 * Runs the search of `tune` with the merged measurements. Missing measurements are added, and the
 * halving rounds and the finals run on the GPU of this task.
 */
async function runFinal<P>(prepared: Prepared<P>): Promise<TaskEnd> {
  const { context, identity, input, journals, records, journal } = prepared;
  const models = modelsOf(records);
  const own = ownGroup(models, identity);
  const all = mergeLines(
    journals.flatMap(({ lines }) => lines),
    lineKey,
  );
  const lines = all.filter(line => groupOf(models, line) === own);
  const foreign = all.length - lines.length;
  const nameOf = (gpu: string): string => models.get(gpu) ?? gpu;
  const { percent, apart, others } = await compared(prepared, lines);
  const bench = { ...prepared.bench, others: others.map(nameOf) };
  const notes = [
    ...journal.notes,
    ...(foreign === 0
      ? []
      : [
          t(
            '{0} measurements of another GPU model, driver or compiler were not compared. The final task repeated the necessary ones.',
            foreign,
          ),
        ]),
    ...apart.map(gpu =>
      t(
        'The measurements of {0} were not used, because its time for the same kernel differs by more than 10 %.',
        gpu,
      ),
    ),
    ...(others.length === 0
      ? []
      : [
          t(
            'Quick rounds ran on {0} GPUs that differ by {1} % for the same kernel; all finalists were measured on one GPU.',
            others.length + 1 - apart.length,
            Number(percent.toPrecision(2)),
          ),
        ]),
  ];
  const { store } = sharedStore(prepared, lines, new Set(apart));
  const summary = await tune({ ...input, gpuPercent: percent, notes }, bench, store, {
    abort: context.abort,
    say: event => {
      if (event.type === 'round') context.progress(`${event.effort}: ${event.candidates}`);
    },
    now: () => performance.now(),
    pause: () => turn(),
  });
  // A cancelled task may be requeued, so only a complete search is a result.
  if (summary.ended !== 'cancelled') await context.finish({ kind: 'tune', summary });
  return { ended: endOf(summary) };
}

const endOf = ({ ended }: TuneSummary): TaskEnd['ended'] => {
  if (ended === 'cancelled' || ended === 'out-of-time') return ended;
  return ended === 'lost' ? 'failed' : 'done';
};

/** Measures the fastest kernel of each other GPU on the GPU of this task. */
async function compared<P>(
  prepared: Prepared<P>,
  lines: readonly JournalLine[],
): Promise<
  Pick<ComparedGpus, 'percent'> & { apart: readonly string[]; others: readonly string[] }
> {
  const { bench, context, identity, input } = prepared;
  const { store, others } = sharedStore(prepared, lines);
  const planOf = plannerFor(input.spec, input.place.target);
  const references = others.flatMap((gpu, index): readonly Reference[] => {
    const [fastest] = lines
      .filter(line => line.gpu === gpu && line.effort === 'quick' && line.measurement.timing)
      .sort((one, other) => medianOf(one) - medianOf(other));
    const resolved = fastest?.measurement.resolved;
    if (fastest === undefined || !resolved) return [];
    const schedule = completeSchedule(resolved.schedule, input.spec.problem);
    const plan = planOf(schedule);
    if (plan === null) return [];
    const { specKey } = fastest.measurement;
    const candidate = { specKey, schedule, predictedTflops: null, from: 'rank' as const };
    const found = { measurement: fastest.measurement, gpu: identity.gpus.length + index };
    return [{ contender: { candidate, plan }, found }];
  });
  const { abort } = context;
  const run = { abort, isLate: () => false };
  const { percent, apart } = await compareWith(references, bench, store, run);
  const named = { gpus: identity.gpus, others };
  return { percent, others, apart: apart.map(gpu => gpuName(named, gpu)) };
}

const medianOf = ({ measurement }: JournalLine): number => measurement.timing?.medianMs ?? Infinity;
