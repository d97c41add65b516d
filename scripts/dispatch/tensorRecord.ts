/** The record of races of tensor cores, as rows: JSON lines of `tensorRace`, a head and then a line a contest. */
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { findDevice } from '../../src/core/device/devices';
import { layoutsOf, shapeOf, typesOf, type DispatchRow } from '../../src/core/dispatch/row';
import { DTYPES } from '../../src/core/spec/dtype';
import { resolve } from '../../src/core/spec/resolve';
import { resolvedScheduleSchema } from '../../src/core/spec/resolvedSchema';
import { ORDER_NAMES, problemOf } from '../tensor/candidates';

const side = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const rate = v.pipe(v.number(), v.finite(), v.gtValue(0));

const headSchema = v.object({
  ...{ type: v.literal('head'), what: v.pipe(v.string(), v.startsWith('Kernels of ')) },
  ...{ commit: v.string(), driver: v.string(), compiler: v.string() },
});

const raceSchema = v.object({
  type: v.literal('race'),
  shape: v.object({ name: v.string(), m: side, n: side, k: side, from: v.string() }),
  ...{ dtype: v.picklist(DTYPES), order: v.picklist(ORDER_NAMES) },
  kernels: v.array(v.looseObject({ schedule: v.unknown(), outcome: v.string() })),
  baselines: v.array(v.object({ name: v.string(), gflops: v.optional(rate) })),
  clocks: v.optional(v.object({ smMHz: rate })),
});

/** Of a contestant that was timed whole. */
const timedSchema = v.object({
  schedule: resolvedScheduleSchema,
  ...{ outcome: v.literal('correct'), behind: v.literal(false), gflops: rate },
});

export const isTensorRace = (text: string): boolean =>
  v.safeParse(headSchema, JSON.parse(text.split('\n', 1)[0] ?? '')).success;

/** The device of every contest. */
const DEVICE = 'h200';

/** Of f32, which contests split into shorter types, none: how exact C is, no table decides. */
export function readTensorRace(record: string): readonly DispatchRow[] {
  let head: v.InferOutput<typeof headSchema> | undefined;
  const lines = readFileSync(record, 'utf8').split('\n').filter(Boolean);
  return lines.flatMap((line): readonly DispatchRow[] => {
    const value: unknown = JSON.parse(line);
    const next = v.safeParse(headSchema, value);
    if (next.success) head = next.output;
    const race = v.safeParse(raceSchema, value);
    if (!race.success || head === undefined || race.output.dtype === 'f32') return [];
    const { shape, dtype, order, kernels, baselines, clocks } = race.output;
    const { problem } = resolve({ problem: problemOf({ shape, dtype, order }) });
    const [library] = baselines
      .flatMap(({ name, gflops }) => (gflops === undefined ? [] : [{ name, gflops }]))
      .sort((one, other) => other.gflops - one.gflops);
    const { commit, driver, compiler } = head;
    const computeCapability = findDevice(DEVICE)?.computeCapability;
    return kernels.flatMap((kernel): readonly DispatchRow[] => {
      const timed = v.safeParse(timedSchema, kernel);
      if (!timed.success) return [];
      const { schedule, gflops } = timed.output;
      return [
        {
          ...{ device: DEVICE, target: 'cuda', schedule, gflops, blocksPerSm: 1 },
          ...(computeCapability === undefined ? {} : { computeCapability }),
          ...{ types: typesOf(problem), layouts: layoutsOf(problem), shape: shapeOf(problem) },
          ...(library === undefined ? {} : { baseline: library }),
          source: {
            ...{ record, driver, compiler, commit },
            ...(clocks === undefined ? {} : { clocks: `${Math.round(clocks.smMHz)} MHz` }),
          },
        },
      ];
    });
  });
}
