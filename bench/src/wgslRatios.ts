/**
 * Compares WGSL rates with cuBLAS rates at the same random shapes:
 * `node out/bench/wgslRatios.js WGSL.jsonl CUBLAS.jsonl [OUT.json]`
 *
 * WGSL.jsonl is a record of `raceOnDawn.js --family NAME`. CUBLAS.jsonl is a record of
 * `raceRandom.js` with the same family and seed. A ratio is the median WGSL rate divided by the
 * fastest library rate. The exit code is 1 if a shape of one record has no rate in the other.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import * as v from 'valibot';
import { median, quantile } from '../../src/core/measure/statistics';

const problem = v.looseObject({ m: v.number(), n: v.number(), k: v.number() });
const wgslSchema = v.object({
  type: v.literal('shape'),
  key: v.string(),
  problem,
  contestants: v.array(v.object({ specKey: v.string(), gflops: v.array(v.number()) })),
});
const libraryRate = v.object({ gflops: v.optional(v.nullable(v.number())) });
const cublasSchema = v.object({
  type: v.literal('race'),
  key: v.string(),
  baselines: v.array(libraryRate),
});

/** Returns the lines that match the schema; the last line of a key replaces earlier lines. */
function linesIn<T extends { readonly key: string }>(
  file: string,
  schema: v.GenericSchema<unknown, T>,
): ReadonlyMap<string, T> {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return new Map(
    lines.flatMap(text => {
      const line = v.safeParse(schema, JSON.parse(text));
      return line.success ? [[line.output.key, line.output] as const] : [];
    }),
  );
}

const [wgslFile, cublasFile, out] = process.argv.slice(2);
if (wgslFile === undefined || cublasFile === undefined)
  throw new Error('Expected wgslRatios.js WGSL.jsonl CUBLAS.jsonl [OUT.json].');
const wgsl = linesIn(wgslFile, wgslSchema);
const cublas = linesIn(cublasFile, cublasSchema);
const shapes = [...wgsl.values()].flatMap(({ key, problem: { m, n, k }, contestants }) => {
  const [own] = contestants;
  const library = Math.max(0, ...(cublas.get(key)?.baselines ?? []).map(one => one.gflops ?? 0));
  if (own === undefined || own.gflops.length === 0 || library === 0) return [];
  const gflops = median(own.gflops);
  return [{ key, m, n, k, specKey: own.specKey, gflops, library, ratio: gflops / library }];
});
const compared = new Set(shapes.map(({ key }) => key));
const missing = [...new Set([...wgsl.keys(), ...cublas.keys()])].filter(key => !compared.has(key));
const ratios = shapes.map(({ ratio }) => ratio);
const rounded = (value: number): number => Number(value.toFixed(4));
const summary = {
  what: 'WGSL rate divided by the fastest library rate at random shapes',
  files: [wgslFile, cublasFile],
  count: ratios.length,
  geometricMean: rounded(
    Math.exp(ratios.reduce((sum, one) => sum + Math.log(one) / ratios.length, 0)),
  ),
  p5: rounded(quantile(ratios, 0.05)),
  minimum: rounded(Math.min(...ratios)),
  missing,
  slowest: shapes.toSorted((one, other) => one.ratio - other.ratio).slice(0, 5),
};
console.log(JSON.stringify(summary, null, 1));
if (out !== undefined) writeFileSync(out, `${JSON.stringify({ ...summary, shapes }, null, 1)}\n`);
process.exitCode = missing.length > 0 || ratios.length === 0 ? 1 : 0;
