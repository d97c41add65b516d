/**
 * Measures f32 GEMMs from 1024 to 8192 on this machine's GPU. Each round times our kernels, cuBLAS
 * and cuBLASLt with our runner, then torch.mm with PyTorch's benchmark timer:
 * node out/bench/measureCuda.js [out.jsonl] [size,size,...] [rounds]
 * Next step: node out/scripts/cudaTables.js
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { emit } from '../../src/core/kernel/emit';
import { plan } from '../../src/core/plan/planner';
import { resolve } from '../../src/core/defaults/resolve';
import { cudaBackend } from '../../src/host/cuda/backend';
import { provenance } from '../../scripts/grid/provenance';

const [
  out = 'bench/h200-bench.jsonl',
  sizesText = '1024,2048,3072,4096,5120,6144,7168,8192',
  roundsText = '2',
] = process.argv.slice(2);
const sizes = sizesText.split(',').map(Number);
const SEED = 1;
const PYTHON = 'bench/python/torchMm.py';

/**
 * Runs a program and returns its output, or an empty string if it cannot be started or times out.
 */
function text(file: string, args: readonly string[], timeout = 10_000): string {
  const { stdout, error } = spawnSync(file, args, { encoding: 'utf8', timeout });
  return error === undefined ? stdout : '';
}
const gpu = (): string =>
  text('nvidia-smi', [
    '--query-gpu=name,uuid,driver_version,power.limit,clocks.sm,clocks.max.sm,clocks.mem,temperature.gpu',
    '--format=csv,noheader',
  ]).trim();

const write = (line: object): void => {
  appendFileSync(out, `${JSON.stringify(line)}\n`);
};

const head = provenance(`node out/bench/measureCuda.js ${[out, sizesText, roundsText].join(' ')}`);
writeFileSync(out, `${JSON.stringify({ type: 'head', ...head, gpu: gpu() })}\n`);
const backend = cudaBackend({ where: 'cli' });
const context = { abort: new AbortController().signal, progress: () => undefined };
let failed = 0;

async function measure(round: number, size: number): Promise<void> {
  const spec = resolve({ problem: { m: size, n: size, k: size }, targets: ['cuda'] });
  const planned = plan(spec, 'cuda');
  if (!planned.ok) throw new Error(`${size}: ${planned.violations[0]?.message ?? 'illegal'}`);
  const measurement = await backend.run(
    {
      runnable: emit(planned.plan),
      mode: 'time',
      seed: SEED,
      baselines: ['cublas', 'cublaslt-best'],
    },
    context,
  );
  write({ type: 'measurement', round, size, measurement });
  const { outcome, message, timing, baselines = [] } = measurement;
  if (timing === undefined) failed++;
  const beside = baselines.map(
    ({ id, name, ratio }) => `${(100 * ratio).toFixed(1)} % of ${id ?? name}`,
  );
  console.log(
    `${round} ${size}: ${outcome} ${timing?.medianMs.toFixed(4) ?? message ?? ''} ms, ${beside.join(', ')}`,
  );
}

function torch(round: number): void {
  const lines = text('python3', [PYTHON, ...sizes.map(String)], 180_000)
    .split('\n')
    .filter(line => line.startsWith('{'));
  if (lines.length === 0)
    console.log(
      `torch.mm was not timed: ${PYTHON} printed no result. Fix: install python3 with torch.`,
    );
  for (const line of lines) write({ type: 'torch', round, ...(JSON.parse(line) as object) });
}

for (let round = 1; round <= Number(roundsText); round++) {
  for (const size of sizes) await measure(round, size);
  torch(round);
}
write({ type: 'end', gpu: gpu() });
console.log(`${failed} measurements failed; record: ${out}`);
process.exitCode = failed === 0 ? 0 : 1;
