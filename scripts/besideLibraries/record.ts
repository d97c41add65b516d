/** Raw result of bench/src/besideLibraries.ts, which is stored in bench/. */
import * as v from 'valibot';
import { measurementSchema } from '../../src/core/measure/measurement';
import { specSchema } from '../../src/core/spec/schema';
import { timesSchema } from './job';
import { sizeSchema } from './size';

const roundSchema = v.object({
  round: v.number(),
  times: timesSchema,
});
export type Round = v.InferOutput<typeof roundSchema>;

const runsSchema = v.object({
  /**
   * Name of the library; for our kernels `ours`, or `ours: NAME` with the name of the spec file.
   */
  entrant: v.string(),
  size: sizeSchema,
  rounds: v.array(roundSchema),
});
export type Runs = v.InferOutput<typeof runsSchema>;

const closestSchema = v.object({
  size: sizeSchema,
  ours: v.string(),
  library: v.string(),
  timer: v.picklist(['wall', 'timestamp']),
  ratio: v.number(),
  rounds: v.array(v.number()),
});

export const recordSchema = v.object({
  what: v.string(),
  command: v.string(),
  date: v.string(),
  commit: v.string(),
  machine: v.string(),
  device: measurementSchema.entries.device,
  /**
   * GPU state from `nvidia-smi` before and after the measurement; undefined without `nvidia-smi`.
   */
  gpu: v.optional(v.object({ query: v.string(), before: v.string(), after: v.string() })),
  /** Name and version of the npm package that contains Dawn. */
  dawn: v.string(),
  dawnOptions: v.array(v.string()),
  libraries: v.array(
    v.object({
      name: v.string(),
      version: v.string(),
      file: v.string(),
      from: v.string(),
      sha256: v.string(),
    }),
  ),
  specs: v.array(v.object({ entrant: v.string(), spec: specSchema })),
  patience: v.object({ warmUpMs: v.number(), batchMs: v.number(), batches: v.number() }),
  rounds: v.number(),
  runs: v.array(runsSchema),
  failed: v.array(
    v.object({ entrant: v.string(), size: sizeSchema, round: v.number(), why: v.string() }),
  ),
  /** Measurements that were repeated because other processes were too busy. */
  disturbed: v.array(
    v.object({ entrant: v.string(), size: sizeSchema, round: v.number(), others: v.number() }),
  ),
  closest: v.array(closestSchema),
});
export type BesideRecord = v.InferOutput<typeof recordSchema>;

export const isOurs = (entrant: string): boolean => entrant.startsWith('ours');
