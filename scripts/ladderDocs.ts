import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { measurementSchema } from '../src/core/measure/measurement';
import { holdsOf, stepsOf } from '../src/core/ladder/climb';

const recordSchema = v.object({ nvcc: v.string(), results: v.array(measurementSchema) });
for (const [file, target] of [
  ['bench/h200-ladder-cuda.json', 'cuda'],
  ['bench/h200-ladder-webgpu.json', 'wgsl'],
] as const) {
  const { results } = v.parse(recordSchema, JSON.parse(readFileSync(file, 'utf8')));
  const holds = holdsOf({ problem: { m: 4096, n: 4096, k: 4096 } }, target);
  const runs = new Map(
    holds.flatMap(hold => {
      const run = results.find(
        ({ resolved }) =>
          hold.ok && JSON.stringify(resolved) === JSON.stringify(hold.kernel.spec),
      );
      return run === undefined ? [] : [[hold.number, run] as const];
    }),
  );
  for (const { hold, gain, measurement } of stepsOf(holds, runs, 'h200'))
    console.log(hold.number, hold.rung.algorithm, hold.rung.change, measurement?.timing?.gflops, gain?.text);
}
