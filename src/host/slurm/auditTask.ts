/** Tasks of an audit: a share of the shapes, or the final task, which measures missing shapes. */
import { tablesWith } from '../../core/defaults/dispatch/shipped';
import { mergeLines } from '../../core/measure/mergeLines';
import { auditLineKey, readAuditTaskJournal, type AuditLine } from '../../core/audit/journal';
import { uniqueShapes } from '../../core/audit/shapes';
import { readShapes } from '../../core/audit/shapes/read';
import { isDeviceId } from '../../core/hardware/devices';
import type { Measurement } from '../../core/measure/measurement';
import { shareOf } from '../../core/search/tune/share';
import { runAudit, type AuditDevice } from '../audit/run';
import { groupOf, modelsOf } from './groups';
import type { AuditJob } from './job';
import { journalFile, readJournals, readRecords } from './journals';
import type { TaskContext, TaskEnd } from './task';

export async function runAuditTask(job: AuditJob, context: TaskContext): Promise<TaskEnd> {
  const { folder, attempt, abort, progress, tasks } = context;
  const read = readShapes(job.list);
  if (!read.ok) return { ended: 'failed', message: read.message };
  const all = uniqueShapes(read.list.entries, read.list.format);
  const isFinal = attempt.wave === 'final';
  const shapes = isFinal ? all : shareOf(all, { task: attempt.task, tasks });
  if (shapes.length === 0) return { ended: 'done' };
  const { device, milliseconds, workers, rows } = job;
  const measurements: { readonly key: string; readonly measurement: Measurement }[] = [];
  const opened: AuditDevice[] = [];
  const ended = await runAudit(
    {
      shapes,
      ...(device !== undefined && isDeviceId(device) ? { device } : {}),
      ...(rows === undefined ? {} : { tables: tablesWith(rows) }),
      ...(milliseconds === undefined ? {} : { milliseconds }),
      ...(workers === undefined ? {} : { workers }),
      journal: journalFile(folder, attempt),
      fresh: false,
      gpus: [0],
      where: 'slurm',
    },
    {
      abort,
      progress,
      onOpen: async one => {
        opened.push(one);
        const { names, uuids, driver, compiler } = one;
        const gpu = { name: names[0] ?? '', id: uuids[0] ?? '', driver, compiler };
        await context.record({ device: gpu, share: shapes.length });
        return await linesOfOthers(folder, one);
      },
      onResult: ({ result, measurement }) => {
        if (measurement !== null) measurements.push({ key: result.key, measurement });
      },
    },
  );
  if (!ended.ok) {
    const { outcome, message } = ended;
    return outcome === 'cancelled' ? { ended: outcome } : { ended: 'failed', message };
  }
  const [gpu] = opened;
  // A cancelled task may be requeued, so only a complete audit is a result.
  if (isFinal && gpu !== undefined && ended.ended !== 'cancelled') {
    const { notes, seconds, place } = ended;
    const end = ended.ended === 'predicted' ? 'done' : ended.ended;
    await context.finish({
      kind: 'audit',
      device: gpu.device,
      measurements,
      ended: end,
      notes: [...notes],
      seconds,
      place: { ...place, gpus: [...place.gpus], journal: folder },
    });
  }
  switch (ended.ended) {
    case 'lost':
      return { ended: 'failed', message: ended.notes.join(' ') };
    case 'cancelled':
    case 'out-of-time':
      return { ended: ended.ended };
    default:
      return { ended: 'done' };
  }
}

/** Returns the lines of GPUs of the same model, driver and compiler. */
async function linesOfOthers(
  folder: string,
  { uuids, driver, compiler }: AuditDevice,
): Promise<readonly AuditLine[]> {
  const models = modelsOf(await readRecords(folder));
  const own = groupOf(models, { gpu: uuids[0] ?? '', driver, compiler });
  const journals = await readJournals(folder, readAuditTaskJournal);
  const lines = journals.flatMap(one => one.lines).filter(line => groupOf(models, line) === own);
  return mergeLines(lines, auditLineKey);
}
