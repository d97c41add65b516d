/**
 * Format of a benchmark record: JSON lines, with a head that lists the candidates, then one line
 * per shape. Each further head starts a new list of candidates. `raceShapes` appends the lines;
 * `dispatchTable` reads them.
 */
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { findDevice } from '../../src/core/hardware/devices';
import {
  layoutsSchema,
  shapeSchema,
  typesSchema,
  type DispatchRow,
} from '../../src/core/defaults/dispatch/row';
import { resolvedScheduleSchema } from '../../src/core/spec/resolvedSchema';

const rate = v.pipe(v.number(), v.finite(), v.gtValue(0));
const natural = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const headSchema = v.object({
  type: v.literal('head'),
  command: v.string(),
  commit: v.string(),
  date: v.string(),
  machine: v.string(),
  /** Device id, or the name from the driver if the GPU is not in the device table. */
  device: v.string(),
  name: v.string(),
  driver: v.string(),
  compiler: v.string(),
  types: typesSchema,
  candidates: v.array(resolvedScheduleSchema),
});
export type RaceHead = v.InferOutput<typeof headSchema>;

const shapeLineSchema = v.object({
  type: v.literal('shape'),
  shape: shapeSchema,
  layouts: layoutsSchema,
  /** Rate of each candidate in GFLOP/s; null if there is none. `why` has the reasons by index. */
  gflops: v.array(v.nullable(rate)),
  /**
   * Indices of candidates that were too slow for the interleaved rounds; their rates are from the
   * warm-up.
   */
  behind: v.array(natural),
  blocksPerSm: v.array(v.nullable(natural)),
  why: v.record(v.string(), v.string()),
  baselines: v.array(v.object({ id: v.string(), name: v.string(), gflops: rate })),
  quantumNs: v.number(),
  smMHz: v.optional(v.number()),
  seconds: v.number(),
});
export type RaceShape = v.InferOutput<typeof shapeLineSchema>;

export interface RaceSection {
  readonly head: RaceHead;
  readonly shapes: readonly RaceShape[];
}

/** Parses a record; ignores a truncated last line. */
export function raceSections(text: string, name: string): readonly RaceSection[] {
  const sections: { head: RaceHead; shapes: RaceShape[] }[] = [];
  const lines = text.split('\n');
  lines.forEach((line, i) => {
    if (line.trim() === '') return;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      if (i === lines.length - 1) return;
      throw new Error(`${name}, line ${i + 1}: not JSON`);
    }
    const head = v.safeParse(headSchema, value);
    const shape = v.safeParse(shapeLineSchema, value);
    if (head.success) sections.push({ head: head.output, shapes: [] });
    else if (shape.success && sections.length > 0) sections.at(-1)?.shapes.push(shape.output);
    else throw new Error(`${name}, line ${i + 1}: expected a head, or a shape after a head`);
  });
  return sections;
}

export const readRace = (record: string): readonly DispatchRow[] =>
  raceSections(readFileSync(record, 'utf8'), record).flatMap(({ head, shapes }) =>
    shapes.flatMap(shape => rowsOf(head, shape, record)),
  );

function rowsOf(head: RaceHead, line: RaceShape, record: string): readonly DispatchRow[] {
  const { device, driver, compiler, commit, types, candidates } = head;
  const { layouts, shape, gflops, blocksPerSm, baselines, smMHz } = line;
  const computeCapability = findDevice(device)?.computeCapability;
  const [library] = baselines.toSorted((one, other) => other.gflops - one.gflops);
  const common = {
    device,
    target: 'cuda' as const,
    types,
    layouts,
    shape,
    ...(computeCapability === undefined ? {} : { computeCapability }),
    ...(library === undefined ? {} : { baseline: { name: library.name, gflops: library.gflops } }),
    source: {
      record,
      driver,
      compiler,
      commit,
      ...(smMHz === undefined ? {} : { clocks: `${Math.round(smMHz)} MHz` }),
    },
  };
  return candidates.flatMap((schedule, i) => {
    const [measured, blocks] = [gflops[i] ?? null, blocksPerSm[i] ?? null];
    if (measured === null) return [];
    return [
      {
        ...common,
        schedule,
        gflops: measured,
        ...(blocks === null || blocks < 1 ? {} : { blocksPerSm: blocks }),
      },
    ];
  });
}
