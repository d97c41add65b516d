/** `audit --slurm`: describes the job, and returns the results of its final task. */
import { planShape } from '../../core/audit/planned';
import { resultOf } from '../../core/audit/result';
import { uniqueShapes } from '../../core/audit/shapes';
import { readShapes, type ShapeList } from '../../core/audit/shapes/read';
import { tablesWith } from '../../core/defaults/dispatch/shipped';
import { isDeviceId, type DeviceId } from '../../core/hardware/devices';
import type { AuditDone } from '../../host/audit/run';
import { adoptedRows } from '../adoptedRows';
import type { AuditJob } from '../../host/slurm/job';
import { positiveNumber, type Context } from '../command';
import { nameOf, readReport } from '../input';
import { invalidInput, type Result } from '../result';
import { version } from '../version';
import { refuseLocal, type SlurmAction, type SlurmArguments } from './arguments';
import { runSlurm, type DoneJob } from './job';
import path from 'node:path';

export interface SlurmAuditOptions extends SlurmArguments {
  readonly file?: string | undefined;
  readonly device?: string | undefined;
  readonly time?: string | undefined;
  readonly workers?: string | undefined;
  readonly gpus?: string | undefined;
  readonly journal?: string | undefined;
  readonly fresh?: boolean | undefined;
  readonly predict?: boolean | undefined;
}

export interface SlurmAudit {
  readonly ended: AuditDone;
  readonly list: ShapeList;
  readonly file: string;
}

export async function auditOnSlurm(
  options: SlurmAuditOptions,
  action: SlurmAction,
  context: Context,
): Promise<{ readonly audit: SlurmAudit } | { readonly ends: Result }> {
  const create = (): Promise<AuditJob> => createJob(options, context);
  const ended = await runSlurm<AuditJob>({ kind: 'audit', action, options, create }, context);
  return 'ends' in ended ? ended : { audit: auditOf(ended.done) };
}

async function createJob(options: SlurmAuditOptions, { note }: Context): Promise<AuditJob> {
  refuseLocal(options);
  const { file, device, time, workers } = options;
  if (file === undefined) throw missingFile();
  if (options.predict === true)
    throw invalidInput('--predict needs no GPU, and so no Slurm job. Fix: omit --slurm.');
  if (device !== undefined && !isDeviceId(device))
    throw invalidInput(
      `Unknown device "${device}". Fix: choose a device from \`gemm-explorer devices\`.`,
    );
  const list = await readReport(file);
  const read = readShapes(list);
  if (!read.ok) throw invalidInput(`${nameOf(file)}: ${read.message}`);
  if (read.list.entries.length === 0)
    throw invalidInput(
      `${nameOf(file)} has no shape that can be measured. Fix: correct the listed lines.`,
      read.list.issues.slice(0, 20).map(({ place, message }) => ({ path: place, message })),
    );
  const adopted = await adoptedRows(file, note);
  return {
    slurm: 1,
    version,
    kind: 'audit',
    file: file === '-' ? file : path.basename(file),
    list,
    ...(adopted === undefined ? {} : { rows: [...adopted.rows] }),
    ...(device === undefined ? {} : { device }),
    ...(time === undefined ? {} : { milliseconds: 1000 * positiveNumber('time', time) }),
    ...(workers === undefined ? {} : { workers: positiveNumber('workers', workers) }),
  };
}

export const missingFile = () => invalidInput('Missing required positional argument: FILE');

function auditOf({ job, result }: DoneJob<AuditJob>): SlurmAudit {
  const read = readShapes(job.list);
  if (!read.ok) throw invalidInput(read.message);
  const { list } = read;
  const measurements = new Map(result.measurements.map(one => [one.key, one.measurement]));
  const { ended, notes, seconds, place, device } = result;
  const options = {
    device: device as DeviceId,
    ...(job.rows === undefined ? {} : { tables: tablesWith(job.rows) }),
  };
  const results = uniqueShapes(list.entries, list.format).map(shape =>
    resultOf(planShape(shape, options), measurements.get(shape.key) ?? null),
  );
  return { list, file: job.file, ended: { ok: true, results, ended, place, notes, seconds } };
}
