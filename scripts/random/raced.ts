/** Reads records of bench/src/raceRandom.ts: JSON lines with a head, then one line per shape. */
import * as v from 'valibot';
import { specSchema } from '../../src/core/spec/schema';

const positive = v.pipe(v.number(), v.finite(), v.gtValue(0));
const timed = { gflops: v.optional(positive), medianMs: v.optional(positive) };

const lineSchema = v.object({
  type: v.literal('race'),
  key: v.string(),
  problem: specSchema.entries.problem,
  kernels: v.array(
    v.object({
      schedule: v.unknown(),
      outcome: v.string(),
      behind: v.optional(v.boolean()),
      epilogue: v.optional(v.picklist(['tma', 'threads', 'registers'])),
      smMHz: v.optional(positive),
      ...timed,
    }),
  ),
  baselines: v.array(v.object({ id: v.string(), smMHz: v.optional(positive), ...timed })),
});
const headSchema = v.object({ type: v.literal('head'), device: v.string() });

export interface RandomRace extends v.InferOutput<typeof lineSchema> {
  /** Name of the GPU that the driver reported. */
  readonly device: string;
}

/** Returns the benchmarked shapes. The first kernel of a shape has the default schedule. */
export function randomRacesIn(text: string): readonly RandomRace[] {
  const found: RandomRace[] = [];
  let device = '';
  for (const line of text.split('\n').filter(Boolean)) {
    const value: unknown = JSON.parse(line);
    const head = v.safeParse(headSchema, value);
    if (head.success) device = head.output.device;
    const race = v.safeParse(lineSchema, value);
    if (race.success) found.push({ ...race.output, device });
  }
  return found;
}
