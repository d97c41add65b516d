/** What was recorded of the ladder on the H200, as steps of the rungs that the product has now. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as v from 'valibot';
import { holdsOf, stepsOf, type Step } from '../../src/core/ladder/climb';
import { measurementSchema, type Measurement } from '../../src/core/measure/measurement';
import type { DType } from '../../src/core/spec/dtype';
import { sameJson } from '../../src/core/spec/same';
import type { Target } from '../../src/core/spec/schema';
import { projectRoot } from '../install/project';

const recordSchema = v.object({
  command: v.string(),
  commit: v.string(),
  gpu: v.object({ before: v.string() }),
  nvcc: v.string(),
  results: v.array(measurementSchema),
});

export interface Recorded {
  readonly file: string;
  readonly target: Target;
  readonly about: Omit<v.InferOutput<typeof recordSchema>, 'results'>;
  readonly sizes: readonly number[];
  /** Steps of a size. */
  readonly steps: ReadonlyMap<number, readonly Step[]>;
  /** The library's rate at a size, in GFLOP/s, where it ran beside. */
  readonly library: ReadonlyMap<number, number>;
}

export function recorded(file: string, target: Target, dtype: DType = 'f32'): Recorded {
  const json: unknown = JSON.parse(readFileSync(path.join(projectRoot(), file), 'utf8'));
  const { results, ...about } = v.parse(recordSchema, json);
  const sizes = [...new Set(results.flatMap(({ resolved }) => resolved?.problem.m ?? []))].sort(
    (a, b) => a - b,
  );
  return {
    ...{ file, target, about, sizes },
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
  const holds = holdsOf({ problem: { m: size, n: size, k: size, a: { dtype } } }, target);
  const runs = new Map(
    holds.flatMap(hold => {
      const run = results.find(({ resolved }) => hold.ok && sameJson(resolved, hold.kernel.spec));
      return run === undefined ? [] : [[hold.number, run] as const];
    }),
  );
  return stepsOf(holds, runs, 'h200');
}
