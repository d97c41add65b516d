/** Ladder records of the H200, converted to the rungs of the current ladder. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as v from 'valibot';
import { fitRungs, stepsOf, type Step } from '../../src/core/search/ladder/ladderSteps';
import type { Measurement } from '../../src/core/measure/measurement';
import type { DType } from '../../src/core/types/dtype';
import type { Target } from '../../src/core/spec/schema';
import { projectRoot } from '../install/project';
import { recordSchema, runOf } from './runs';

/** Record files, oldest first. */
const RECORDS: Readonly<Record<Target, readonly string[]>> = {
  cuda: ['bench/h200-ladder-cuda.json', 'bench/h200-ladder-cuda-added.json'],
  wgsl: ['bench/h200-ladder-webgpu.json', 'bench/h200-ladder-webgpu-added.json'],
};

export interface LadderSource {
  readonly file: string;
  readonly about: Omit<v.InferOutput<typeof recordSchema>, 'results'>;
  readonly results: readonly Measurement[];
}

export interface Recorded {
  readonly target: Target;
  readonly source: LadderSource;
  readonly sizes: readonly number[];
  readonly steps: ReadonlyMap<number, readonly Step[]>;
  /** Median rate of the library by problem size, in GFLOP/s, if it was timed. */
  readonly library: ReadonlyMap<number, number>;
}

export const sourcesOf = (target: Target): readonly LadderSource[] =>
  RECORDS[target].map(file => {
    const json: unknown = JSON.parse(readFileSync(path.join(projectRoot(), file), 'utf8'));
    const { results, ...about } = v.parse(recordSchema, json);
    return { file, about, results };
  });

export function recorded(target: Target, dtype: DType = 'f32'): Recorded {
  const source = sourcesOf(target).at(-1);
  if (source === undefined) throw new Error(`No record of the ${target} ladder under bench/`);
  const { results } = source;
  const sizes = [...new Set(results.flatMap(({ resolved }) => resolved?.problem.m ?? []))].sort(
    (a, b) => a - b,
  );
  return {
    target,
    source,
    sizes,
    steps: new Map(sizes.map(size => [size, stepsOfSize(results, { size, target, dtype })])),
    library: new Map(
      sizes.flatMap(size => {
        const rates = results
          .filter(({ resolved }) => resolved?.problem.m === size)
          .flatMap(({ baseline }) => baseline?.gflops ?? []);
        return rates.length === 0 ? [] : [[size, median(rates)] as const];
      }),
    ),
  };
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

function stepsOfSize(
  results: readonly Measurement[],
  {
    size,
    target,
    dtype,
  }: { readonly size: number; readonly target: Target; readonly dtype: DType },
): readonly Step[] {
  const holds = fitRungs({ problem: { m: size, n: size, k: size, a: { dtype } } }, target);
  const runs = new Map(
    holds.flatMap(hold => {
      const run = hold.ok ? runOf(hold.kernel.spec, results) : undefined;
      return run === undefined ? [] : [[hold.number, run] as const];
    }),
  );
  return stepsOf(holds, runs, 'h200');
}
