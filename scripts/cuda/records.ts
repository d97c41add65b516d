/** Decodes the H200 records bench/h200-*.json and the lines of bench/h200-bench.jsonl. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as v from 'valibot';
import { measurementSchema, type Measurement } from '../../src/core/measure/measurement';
import { projectRoot } from '../install/project';

export const textOf = (file: string): string =>
  readFileSync(path.join(projectRoot(), 'bench', file), 'utf8');
export const read = (file: string): unknown => JSON.parse(textOf(file));

const origin = { command: v.string(), commit: v.string(), machine: v.string() };
export type Origin = Readonly<Record<keyof typeof origin, string>>;

const round = { round: v.number(), size: v.number() };
const lineSchema = v.variant('type', [
  v.object({ type: v.literal('head'), ...origin, date: v.string(), gpu: v.string() }),
  v.object({ type: v.literal('measurement'), ...round, measurement: measurementSchema }),
  v.object({
    type: v.literal('torch'),
    ...round,
    harness: v.string(),
    torch: v.string(),
    medianMs: v.number(),
    iqrMs: v.number(),
    gflops: v.number(),
  }),
  v.object({ type: v.literal('end'), gpu: v.string() }),
]);
type Line = v.InferOutput<typeof lineSchema>;
type LineOf<T extends Line['type']> = Extract<Line, { type: T }>;

export interface Timed {
  readonly round: number;
  readonly size: number;
  readonly medianMs: number;
  readonly iqrMs: number;
  readonly gflops: number;
}

export interface Benchmark {
  readonly head: LineOf<'head'>;
  readonly end: LineOf<'end'>;
  readonly sizes: readonly number[];
  readonly measurements: readonly Measurement[];
  readonly harness: string;
  readonly timed: ReadonlyMap<Contestant, readonly Timed[]>;
}
export const CONTESTANTS = ['ours', 'cuBLAS', 'cuBLASLt, fastest', 'torch.mm'] as const;
export type Contestant = (typeof CONTESTANTS)[number];

export function benchmark(text: string): Benchmark {
  const lines = text
    .trim()
    .split('\n')
    .map(line => v.parse(lineSchema, JSON.parse(line)));
  const all = <T extends Line['type']>(type: T) =>
    lines.filter((line): line is LineOf<T> => line.type === type);
  const [head] = all('head');
  const [end] = all('end');
  const [torch] = all('torch');
  if (head === undefined || end === undefined || torch === undefined)
    throw new Error(
      'The benchmark record is incomplete: its head, its end or the times of torch.mm are missing. Fix: run out/bench/measureCuda.js again.',
    );
  const runs = all('measurement');
  const ofLibrary = (id: string): readonly Timed[] =>
    runs.map(({ round, size, measurement }) => {
      const found = measurement.baselines?.find(one => one.id === id);
      if (found === undefined) throw new Error(`Round ${round}, size ${size}: ${id} is missing`);
      return { round, size, ...found, iqrMs: found.iqrMs ?? NaN };
    });
  const ours = runs.map(({ round, size, measurement: { timing, outcome } }) => {
    if (timing === undefined) throw new Error(`Round ${round}, size ${size}: ${outcome}`);
    return { round, size, ...timing };
  });
  return {
    head,
    end,
    harness: `${torch.harness} of torch ${torch.torch}`,
    sizes: [...new Set(runs.map(({ size }) => size))],
    measurements: runs.map(({ measurement }) => measurement),
    timed: new Map<Contestant, readonly Timed[]>([
      ['ours', ours],
      ['cuBLAS', ofLibrary('cublas')],
      ['cuBLASLt, fastest', ofLibrary('cublaslt-best')],
      ['torch.mm', all('torch')],
    ]),
  };
}

export const roundsOf = (
  { timed }: Benchmark,
  name: Contestant,
  size: number,
): readonly [Timed, Timed] => {
  const [first, second] = (timed.get(name) ?? []).filter(one => one.size === size);
  if (first === undefined || second === undefined)
    throw new Error(`${name} was not timed twice at ${size}`);
  return [first, second];
};

const KINDS = ['faulting', 'hanging', 'racing', 'overwriting', 'slow', 'wrong'] as const;
const BASES = ['shared', 'vectorized', 'pipelined'] as const;
const mutantsSchema = v.object({
  ...origin,
  hangMs: v.number(),
  seconds: v.number(),
  before: v.object({
    shared: measurementSchema,
    vectorized: measurementSchema,
    pipelined: measurementSchema,
  }),
  tried: v.array(
    v.object({
      kind: v.picklist(KINDS),
      name: v.string(),
      base: v.picklist(BASES),
      measurement: measurementSchema,
      after: measurementSchema,
    }),
  ),
});
export type Mutants = v.InferOutput<typeof mutantsSchema>;
export const mutants = (): Mutants => v.parse(mutantsSchema, read('h200-mutants.json'));

const ceilingsSchema = v.object({
  command: v.string(),
  commit: v.string(),
  date: v.string(),
  device: v.object({ name: v.string(), driver: v.string(), uuid: v.string() }),
  clocks: v.object({ smMHz: v.number(), memoryMHz: v.number() }),
  how: v.string(),
  list: v.array(v.object({ id: v.string(), value: v.number(), unit: v.string() })),
});
export type Ceilings = v.InferOutput<typeof ceilingsSchema>;
export const ceilings = (): Ceilings => v.parse(ceilingsSchema, read('h200-ceilings.json'));

const ladderSchema = v.object({
  command: v.string(),
  commit: v.string(),
  nvcc: v.string(),
  gpu: v.object({ before: v.string(), after: v.string() }),
  results: v.array(measurementSchema),
});
export type LadderRecord = v.InferOutput<typeof ladderSchema>;
export const ladderRecord = (file: string): LadderRecord => v.parse(ladderSchema, read(file));
