/**
 * Benchmarks every rung of the ladder on this machine's GPU through the CLI and records the raw
 * results:
 * node out/bench/measureLadder.js [out.json] [cuda|webgpu] [size,size,...] [type of A and B]
 * [--missing-from FILE]...
 * `--missing-from` restricts the measurement to rungs that are missing in these records.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { fitRungs } from '../../src/core/search/ladder/ladderSteps';
import { DTYPES } from '../../src/core/types/dtype';
import { toSpec } from '../../src/core/spec/toSpec';
import { recordSchema, runOf } from '../../scripts/ladder/runs';

const { values, positionals: given } = parseArgs({
  allowPositionals: true,
  options: { 'missing-from': { type: 'string', multiple: true, default: [] } },
});
const [
  out = 'bench/ladder.json',
  backend = 'cuda',
  sizesText = '512,1024,2048,4096',
  type = 'f32',
] = given;
const dtype = v.parse(v.picklist(DTYPES), type);
const sizes = sizesText.split(',').map(Number);
const target = backend === 'webgpu' ? 'wgsl' : 'cuda';

const known = values['missing-from'].flatMap(
  file => v.parse(recordSchema, JSON.parse(readFileSync(file, 'utf8'))).results,
);

const LIBRARY = dtype === 'f32' ? 'cublas' : 'cublaslt-best';

interface Result {
  readonly specKey?: string;
  readonly outcome?: string;
  readonly message?: string;
  readonly timing?: { readonly gflops: number; readonly medianMs: number };
}

function bench(spec: object): Result {
  const args = ['dist/cli.js', 'bench', '-', '--backend', backend, '--json'];
  const library = backend === 'cuda' ? ['--baseline', LIBRARY] : [];
  const { stdout, stderr } = spawnSync(process.execPath, [...args, ...library], {
    input: JSON.stringify(spec),
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    timeout: 120_000,
  });
  try {
    return JSON.parse(stdout) as Result;
  } catch {
    return { message: `no result: ${stderr.slice(-2000)}` };
  }
}

const text = (file: string, args: readonly string[]): string => {
  try {
    return execFileSync(file, args, { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
};
const QUERY = 'name,driver_version,power.limit,clocks.sm,clocks.max.sm,clocks.mem,temperature.gpu';
const state = (): string => text('nvidia-smi', [`--query-gpu=${QUERY}`, '--format=csv,noheader']);

const before = state();
const results: Result[] = [];

function save(): void {
  const record = {
    command: `node out/bench/measureLadder.js ${process.argv.slice(2).join(' ')}`,
    commit: process.env['GEMM_COMMIT'] ?? text('git', ['rev-parse', 'HEAD']),
    gpu: { query: QUERY, before, after: state() },
    nvcc: /V[\d.]+/.exec(text('nvcc', ['--version']))?.[0] ?? 'unknown',
    results,
  };
  writeFileSync(out, `${JSON.stringify(record, null, 1)}\n`);
}

for (const size of sizes) {
  const problem = { m: size, n: size, k: size, ...(dtype === 'f32' ? {} : { a: { dtype } }) };
  for (const hold of fitRungs({ problem }, target)) {
    if (!hold.ok || runOf(hold.kernel.spec, known) !== undefined) continue;
    const result = bench(toSpec(hold.kernel.spec));
    results.push(result);
    save();
    const { timing } = result;
    const figure =
      timing === undefined ? (result.message ?? '') : `${timing.gflops.toFixed(0)} GFLOP/s`;
    console.log(
      `${result.specKey ?? hold.rung.algorithm}: ${result.outcome ?? 'failed'} ${figure}`,
    );
  }
}
console.log(`Written: ${out}`);
process.exitCode = results.every(({ outcome }) => outcome === 'correct') ? 0 : 1;
