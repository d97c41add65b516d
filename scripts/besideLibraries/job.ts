/**
 * Messages of one benchmark process: a job (a line of JSON on its standard input) and a response (a
 * line on its output).
 */
import * as v from 'valibot';
import { measurementSchema } from '../../src/core/measure/measurement';
import { specSchema } from '../../src/core/spec/schema';

export const LIBRARIES = ['tfjs', 'jax-js', 'surfgrad'] as const;

const { device, timing, verification } = measurementSchema.entries;
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(1));

const patienceSchema = v.object({
  warmUpMs: v.number(),
  /** A batch has as many GEMMs as are expected to take this long, within limits. */
  batchMs: v.number(),
  batches: count,
});
export type WallPatience = v.InferOutput<typeof patienceSchema>;

const productSchema = v.object({
  type: v.literal('products'),
  /** M, N and K. */
  size: count,
  patience: patienceSchema,
  entrant: v.variant('kind', [
    v.object({ kind: v.literal('ours'), spec: specSchema }),
    v.object({ kind: v.picklist(LIBRARIES), file: v.string() }),
  ]),
});
export const jobSchema = v.variant('type', [v.object({ type: v.literal('probe') }), productSchema]);
export type Job = v.InferOutput<typeof jobSchema>;
export type ProductJob = v.InferOutput<typeof productSchema>;

const wallSchema = v.object({
  /** Products per batch. */
  products: count,
  /** Time per GEMM, one value per batch. */
  timesMs: v.array(v.number()),
});
export type Wall = v.InferOutput<typeof wallSchema>;

export const timesSchema = v.object({
  /** Our kernels only: the specKey that ran. */
  specKey: v.optional(v.string()),
  wall: wallSchema,
  /** By timestamp queries, as in `bench`; not available for libraries that submit by themselves. */
  timestamp: v.optional(timing.wrapped),
  verification,
  /** Share of all processors used by other processes while this process ran. */
  others: v.number(),
});
export type Times = v.InferOutput<typeof timesSchema>;

export const answerSchema = v.variant('type', [
  v.object({ type: v.literal('adapter'), device }),
  v.object({ type: v.literal('timed'), times: timesSchema }),
  v.object({ type: v.literal('failed'), why: v.string() }),
]);
export type Answer = v.InferOutput<typeof answerSchema>;
