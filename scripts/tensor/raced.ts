/**
 * Reads records of tensor-core benchmarks: JSON lines with a head, followed by one line per
 * benchmark.
 */
import * as v from 'valibot';
import { DTYPES } from '../../src/core/types/dtype';
import { ORDER_NAMES } from './candidates';

const side = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const positive = v.pipe(v.number(), v.finite(), v.gtValue(0));
const finite = v.pipe(v.number(), v.finite());

const headSchema = v.object({
  type: v.literal('head'),
  what: v.pipe(v.string(), v.startsWith('Kernels of ')),
  command: v.string(),
  commit: v.string(),
  driver: v.string(),
  compiler: v.string(),
});
export type RaceHead = v.InferOutput<typeof headSchema>;

const timed = {
  gflops: v.optional(positive),
  medianMs: v.optional(positive),
  smMHz: v.optional(positive),
  samples: v.optional(side),
  maxError: v.nullish(finite),
};
const raceSchema = v.object({
  type: v.literal('race'),
  key: v.string(),
  shape: v.object({ name: v.string(), m: side, n: side, k: side, from: v.string() }),
  dtype: v.picklist(DTYPES),
  order: v.picklist(ORDER_NAMES),
  ratio: v.nullable(positive),
  kernels: v.array(
    v.object({
      schedule: v.unknown(),
      outcome: v.string(),
      specKey: v.optional(v.string()),
      behind: v.optional(v.boolean()),
      registers: v.optional(side),
      ...timed,
    }),
  ),
  baselines: v.array(v.object({ name: v.string(), ...timed })),
  clocks: v.optional(v.object({ smMHz: positive })),
  powerW: v.optional(v.object({ mean: positive })),
});
export type RaceLine = v.InferOutput<typeof raceSchema>;
export type Contestant = RaceLine['kernels'][number];

export interface Raced {
  readonly head: RaceHead;
  readonly race: RaceLine;
}

export const isTensorRace = (text: string): boolean =>
  v.safeParse(headSchema, JSON.parse(text.split('\n', 1)[0] ?? '')).success;

/** Returns every benchmark in record order, with the last head before it. */
export function racesIn(text: string): readonly Raced[] {
  let head: RaceHead | undefined;
  const races: Raced[] = [];
  for (const line of text.split('\n').filter(Boolean)) {
    const value: unknown = JSON.parse(line);
    const next = v.safeParse(headSchema, value);
    if (next.success) head = next.output;
    const race = v.safeParse(raceSchema, value);
    if (race.success && head !== undefined) races.push({ head, race: race.output });
  }
  return races;
}

/** Keeps only the last record of each benchmark. */
export const latest = (races: readonly Raced[]): readonly Raced[] => [
  ...new Map(races.map(one => [one.race.key, one])).values(),
];

/**
 * Returns the fastest kernel that was timed in all interleaved rounds; undefined if there is none.
 */
export const fastest = ({ kernels }: RaceLine): Contestant | undefined =>
  kernels
    .filter(({ behind, gflops }) => behind === false && gflops !== undefined)
    .toSorted((one, other) => (other.gflops ?? 0) - (one.gflops ?? 0))[0];

export const library = ({ baselines }: RaceLine): RaceLine['baselines'][number] | undefined =>
  baselines
    .filter(({ gflops }) => gflops !== undefined)
    .toSorted((one, other) => (other.gflops ?? 0) - (one.gflops ?? 0))[0];
