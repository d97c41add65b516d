/**
 * Messages of one benchmark process. The job is JSON on standard input; the response is a line of
 * JSON on standard output.
 */
import * as v from 'valibot';
import { measurementSchema } from '../../src/core/measure/measurement';
import { specSchema } from '../../src/core/spec/schema';
import { sizeSchema } from './size';

export const LIBRARIES = ['tfjs', 'jax-js', 'surfgrad'] as const;

const { device, timing, verification } = measurementSchema.entries;
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(1));

const patienceSchema = v.object({
  warmUpMs: v.number(),
  /**
   * Target duration of a batch in milliseconds, which determines the GEMMs per batch within limits.
   */
  batchMs: v.number(),
  batches: count,
});
export type WallPatience = v.InferOutput<typeof patienceSchema>;

const productSchema = v.object({
  type: v.literal('products'),
  size: sizeSchema,
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
  products: count,
  /** Times per GEMM in milliseconds, one value per batch. */
  timesMs: v.array(v.number()),
});
export type Wall = v.InferOutput<typeof wallSchema>;

export const timesSchema = v.object({
  /** specKey of the kernel that ran; only for our kernels. */
  specKey: v.optional(v.string()),
  wall: wallSchema,
  /**
   * Times from timestamp queries, as in `bench`; undefined if the entrant or the device does not
   * support them.
   */
  timestamp: v.optional(timing.wrapped),
  verification,
  /** Fraction of all processors used by other processes during the measurement. */
  others: v.number(),
});
export type Times = v.InferOutput<typeof timesSchema>;

export const answerSchema = v.variant('type', [
  v.object({ type: v.literal('adapter'), device }),
  v.object({ type: v.literal('timed'), times: timesSchema }),
  v.object({ type: v.literal('failed'), why: v.string() }),
]);
export type Answer = v.InferOutput<typeof answerSchema>;
