/**
 * Description of a job in its folder: what the tasks measure. Options of Slurm are not part of it,
 * so a job can be submitted again to another partition and continues.
 */
import path from 'node:path';
import * as v from 'valibot';
import { rowSchema } from '../../core/defaults/dispatch/row';
import { ROBUSTNESS } from '../../core/measure/measurement';
import { OBJECTIVES } from '../../core/search/tune/events';
import { decodeSpec } from '../../core/spec/decode';
import type { GemmSpec, Schedule } from '../../core/spec/schema';
import { contentKey } from '../cache';
import { readRegular } from '../userFile';

const text = v.pipe(v.string(), v.maxLength(64_000_000));
const positive = v.pipe(v.number(), v.finite(), v.minValue(0));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(1));

const spec = v.custom<GemmSpec>(value => decodeSpec(value).ok, 'Expected a spec.');
const schedule = v.custom<Schedule>(
  value => typeof value === 'object' && value !== null,
  'Expected a schedule.',
);

const common = {
  slurm: v.literal(1),
  /** Version of the product, whose kernels the measurements are of. */
  version: text,
  /** Rows of the workspace's dispatch table, if it has one. */
  rows: v.exactOptional(v.array(rowSchema)),
};

const tuneJob = v.object({
  ...common,
  kind: v.literal('tune'),
  spec,
  backend: v.picklist(['cuda', 'webgpu']),
  /** Space file with the schedule of the spec; null for the default space. */
  space: v.nullable(v.object({ text, schedule })),
  schedules: v.exactOptional(count),
  milliseconds: v.exactOptional(positive),
  exhaustive: v.boolean(),
  objective: v.picklist(OBJECTIVES),
  robustness: v.exactOptional(v.picklist(ROBUSTNESS)),
  experimental: v.exactOptional(v.boolean()),
});
export type TuneJob = v.InferOutput<typeof tuneJob>;

const auditJob = v.object({
  ...common,
  kind: v.literal('audit'),
  /** Name and text of the list of shapes. */
  file: text,
  list: text,
  device: v.exactOptional(text),
  milliseconds: v.exactOptional(positive),
  workers: v.exactOptional(count),
});
export type AuditJob = v.InferOutput<typeof auditJob>;

const jobSchema = v.variant('kind', [tuneJob, auditJob]);
export type SlurmJob = TuneJob | AuditJob;

/** Number of array waves: a search that selects neighbors of fast schedules needs a second one. */
export const wavesOf = (job: SlurmJob): number => (job.kind === 'tune' && !job.exhaustive ? 2 : 1);

/** Returns the text of a job file, which is the same for equal jobs. */
export const jobText = (job: SlurmJob): string =>
  `${JSON.stringify(v.parse(jobSchema, JSON.parse(JSON.stringify(job))), null, 2)}\n`;

/** Folder name of a job, which depends only on its content. */
export function jobId(job: SlurmJob): string {
  const key = contentKey(jobText(job)).slice(0, 8);
  if (job.kind === 'audit') return `audit-${key}`;
  const { m, n, k } = job.spec.problem;
  return `tune-${m}x${n}x${k}-${key}`;
}

export const isJobId = (name: string): boolean =>
  /^(tune-\d+x\d+x\d+|audit)-[0-9a-f]{8}$/.test(name);

export const SLURM_PATH = ['.gemm', 'slurm'] as const;
export const JOB_FILE = 'job.json';
export const FOLDERS = ['journals', 'logs', 'tasks'] as const;

export const slurmFolder = (root: string): string => path.resolve(root, ...SLURM_PATH);

const MAX_JOB_BYTES = 256_000_000;

export type ReadJob =
  { readonly ok: true; readonly job: SlurmJob } | { readonly ok: false; readonly why: string };

export async function readJob(folder: string): Promise<ReadJob> {
  const file = path.join(folder, JOB_FILE);
  try {
    const decoded = v.safeParse(
      jobSchema,
      JSON.parse((await readRegular(file, MAX_JOB_BYTES)).toString('utf8')),
    );
    return decoded.success
      ? { ok: true, job: decoded.output }
      : { ok: false, why: decoded.issues[0].message };
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : String(error) };
  }
}
