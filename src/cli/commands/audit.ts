/**
 * `audit FILE`: verifies the default kernels of a list of shapes, and benchmarks them beside cuBLAS
 * and cuBLASLt within a time limit. `--predict` predicts the times instead.
 */
import { predictShapes } from '../../core/audit/predicted';
import type { ShapeResult } from '../../core/audit/result';
import { uniqueShapes } from '../../core/audit/shapes';
import { readShapes, type ShapeList } from '../../core/audit/shapes/read';
import { summaryOf, type AuditSummary, type SummaryInput } from '../../core/audit/summary';
import { MS_PER_SHAPE } from '../../core/audit/budget';
import { tablesWith } from '../../core/defaults/dispatch/shipped';
import type { DispatchTable } from '../../core/defaults/dispatch/table';
import { DEFAULT_DEVICE, deviceOf, isDeviceId, type DeviceId } from '../../core/hardware/devices';
import { defaultAuditJournal } from '../../host/audit/journal';
import { runAudit, type AuditDone, type AuditEnd } from '../../host/audit/run';
import { adoptedRows } from '../adoptedRows';
import { nextIn, writeAudit } from '../audit/files';
import { progressLine, summaryText } from '../audit/text';
import { command, device, gpuList, positiveNumber, type Context } from '../command';
import { nameOf, readReport } from '../input';
import { writeOut } from '../output';
import {
  EXIT,
  interrupted,
  invalidInput,
  missingPrerequisite,
  type ExitCode,
  type Failure,
  type Result,
} from '../result';
import { slurmAction, slurmArguments } from '../slurm/arguments';
import { auditOnSlurm, missingFile, type SlurmAudit } from '../slurm/audit';

export const auditCommand = command({
  name: 'audit',
  description: 'Verify and benchmark a list of shapes beside cuBLAS, ranked by saved time',
  args: {
    file: {
      type: 'positional',
      valueHint: 'FILE',
      required: false,
      description:
        'Shapes: CSV of TunableOp or the CUTLASS profiler, JSON of nvbench, or a CSV or JSON list; - for standard input',
    },
    time: {
      type: 'string',
      valueHint: 'SECONDS',
      description: `Time limit; default: ${MS_PER_SHAPE / 1000} s per shape`,
    },
    gpus: {
      type: 'string',
      valueHint: 'LIST',
      description: 'GPU indices to measure on, such as 0,1; default: 0',
    },
    workers: {
      type: 'string',
      valueHint: 'N',
      description: 'Maximum number of concurrent compilations; default: the number of CPU cores',
    },
    journal: {
      type: 'string',
      valueHint: 'FILE',
      description: 'Journal file of measurements (.jsonl); default: one file per list in the cache',
    },
    fresh: { type: 'boolean', description: 'Ignore measurements in the journal and measure again' },
    predict: {
      type: 'boolean',
      description: 'Predict the times of our kernels without a GPU; nothing is measured',
    },
    out: {
      type: 'string',
      valueHint: 'DIR',
      description: 'Output folder for audit.html, audit.jsonl and the specs of the shapes',
    },
    device,
    ...slurmArguments,
  },
  json: 'Print one result per shape and line on standard output, then the summary',
  run: async (options, context) => {
    const action = slurmAction(options);
    if (action !== undefined) {
      const job = await auditOnSlurm(options, action, context);
      return 'ends' in job ? job.ends : await finishJob(job.audit, options);
    }
    const { file } = options;
    if (file === undefined) throw missingFile();
    const list = await readList(file, context);
    const shapes = uniqueShapes(list.entries, list.format);
    const asJson = options['json'] === true;
    const lines: Promise<void>[] = [];
    const show = (result: ShapeResult, done: number): void => {
      if (asJson) lines.push(writeOut(`${JSON.stringify(result)}\n`));
      context.note(progressLine(result, done, shapes.length));
    };
    const tables = await tablesOf(file, context);
    const known = isDeviceId(options.device ?? '') ? (options.device as DeviceId) : undefined;
    if (options.device !== undefined && known === undefined)
      throw invalidInput(
        `Unknown device "${options.device}". Fix: choose a device from \`gemm-explorer devices\`.`,
      );
    const planOptions = {
      ...(known === undefined ? {} : { device: known }),
      ...(tables === undefined ? {} : { tables }),
    };
    const ended =
      options.predict === true
        ? await predict({ shapes, ...planOptions }, context, show)
        : await measure({ ...options, file }, { shapes, ...planOptions }, context, show);
    await Promise.all(lines);
    return await finish({ list, file, ended }, options);
  },
});

interface Output {
  readonly out?: string | undefined;
  readonly json?: unknown;
}

/** Prints the results of a Slurm job, and then its summary. */
async function finishJob(audit: SlurmAudit, options: Output): Promise<Result> {
  if (options.json === true) {
    for (const result of audit.ended.results) await writeOut(`${JSON.stringify(result)}\n`);
  }
  return await finish(audit, options);
}

/** Writes the files of an audit if requested, and prints the summary. */
async function finish(
  {
    list,
    file,
    ended,
  }: { readonly list: ShapeList; readonly file: string; readonly ended: Omit<AuditDone, 'ok'> },
  { out, json }: Output,
): Promise<Result> {
  const { results, place, ended: end, notes, seconds } = ended;
  const input: SummaryInput = {
    place: { file, format: list.format, ...place },
    ended: end,
    entries: list.entries.length,
    results,
    issues: list.issues,
    notes: [...list.notes, ...notes],
    seconds,
    nextOf: nextIn(out),
  };
  const summary = summaryOf(input);
  const written = out === undefined ? [] : await writeAudit(out, results, summary);
  if (json === true) await writeOut(`${JSON.stringify({ summary })}\n`);
  return {
    exit: exitOf(summary),
    ...(json === true ? {} : { text: summaryText(summary, results, written) }),
  };
}

interface Wanted {
  readonly shapes: ReturnType<typeof uniqueShapes>;
  readonly device?: DeviceId;
  readonly tables?: readonly DispatchTable[];
}

/** Reads the list, and prints each line that cannot be used. Throws if the list has no shape. */
async function readList(file: string, { note }: Context): Promise<ShapeList> {
  const read = readShapes(await readReport(file));
  if (!read.ok) throw invalidInput(`${nameOf(file)}: ${read.message}`);
  const { list } = read;
  const problems = list.issues.map(({ place, message }) => ({ path: place, message }));
  if (list.entries.length === 0) {
    throw invalidInput(
      `${nameOf(file)} has no shape that can be measured. Fix: correct the listed lines.`,
      problems.slice(0, SHOWN_ISSUES),
    );
  }
  for (const { path: place, message } of problems.slice(0, SHOWN_ISSUES))
    note(`${nameOf(file)}: ${place}: ${message}`);
  if (problems.length > SHOWN_ISSUES)
    note(`${nameOf(file)}: ${problems.length - SHOWN_ISSUES} more lines are not used.`);
  return list;
}

const SHOWN_ISSUES = 20;

/** Returns the dispatch tables of the workspace, with schedules that `tune --adopt` has stored. */
async function tablesOf(
  file: string,
  { note }: Context,
): Promise<readonly DispatchTable[] | undefined> {
  const read = await adoptedRows(file, note);
  return read === undefined ? undefined : tablesWith(read.rows);
}

type Show = (result: ShapeResult, done: number) => void;

async function predict(
  { shapes, device: id = DEFAULT_DEVICE, tables }: Wanted,
  { abort, note }: Context,
  show: Show,
): Promise<Omit<AuditDone, 'ok'>> {
  const began = performance.now();
  note(`Predicting for ${deviceOf(id).name}. Nothing is measured.`);
  const options = { device: id, ...(tables === undefined ? {} : { tables }) };
  const pause = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
  const predicted = await predictShapes(shapes, options, { abort, pause, onResult: show });
  return { ...predicted, notes: [], seconds: (performance.now() - began) / 1000 };
}

interface MeasureOptions {
  readonly file: string;
  readonly time?: string | undefined;
  readonly gpus?: string | undefined;
  readonly workers?: string | undefined;
  readonly journal?: string | undefined;
  readonly fresh?: boolean | undefined;
}

async function measure(
  { file, time, gpus, workers, journal, fresh = false }: MeasureOptions,
  wanted: Wanted,
  { abort, note }: Context,
  show: Show,
): Promise<AuditDone> {
  const seconds = time === undefined ? undefined : positiveNumber('time', time);
  const compilers = workers === undefined ? undefined : positiveNumber('workers', workers);
  const ended = await runAudit(
    {
      ...wanted,
      journal: journal ?? defaultAuditJournal(file),
      fresh,
      gpus: gpuList(gpus),
      ...(compilers === undefined ? {} : { workers: compilers }),
      ...(seconds === undefined ? {} : { milliseconds: 1000 * seconds }),
      where: 'cli',
    },
    {
      abort,
      progress: stage => {
        note(`  ${stage}`);
      },
      onResult: ({ result, done }) => {
        show(result, done);
      },
    },
  );
  if (!ended.ok) throw failureOf(ended);
  return ended;
}

function failureOf({ outcome, message }: Extract<AuditEnd, { readonly ok: false }>): Failure {
  if (outcome === 'cancelled') return interrupted();
  if (outcome === 'unusable') return invalidInput(message);
  return missingPrerequisite(
    `${message} Without a GPU, --predict predicts the times of our kernels.`,
  );
}

/** Kernels that failed and shapes that were not measured are a negative result. */
function exitOf({ ended, counts }: AuditSummary): ExitCode {
  if (ended === 'cancelled') return EXIT.interrupted;
  if (ended === 'lost') return EXIT.lacking;
  return counts.failed > 0 || counts['not-measured'] > 0 ? EXIT.no : EXIT.yes;
}
