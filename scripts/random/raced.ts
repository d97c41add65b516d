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
      smMHz: v.optional(positive),
      ...timed,
    }),
  ),
  baselines: v.array(v.object({ id: v.string(), smMHz: v.optional(positive), ...timed })),
});
export type RandomRace = v.InferOutput<typeof lineSchema>;

/** Returns the benchmarked shapes. The first kernel of a shape has the default schedule. */
export const randomRacesIn = (text: string): readonly RandomRace[] =>
  text
    .split('\n')
    .filter(Boolean)
    .flatMap(line => {
      const found = v.safeParse(lineSchema, JSON.parse(line));
      return found.success ? [found.output] : [];
    });
