/**
 * Measures many schedules of a few sizes on this machine's H200, to evaluate the time model:
 * node out/bench/measureSchedules.js [out.json] [schedules per size] [minutes] [sizes]
 * The schedules are the sixteen with the best predictions and random schedules of the same space.
 * Kernels are compiled on all cores within the time limit, then timed one at a time.
 * `--compile-only` does not require a GPU. Next step:
 * node out/bench/calibrateModel.js bench/time-model.json FITTED.json ...
 * --judge bench/h200-schedules.json
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { archOf } from '../../src/core/hardware/computeCapability';
import { emit } from '../../src/core/kernel/emit';
import type { Kernel } from '../../src/core/kernel/kernel';
import type { Measurement } from '../../src/core/measure/measurement';
import { planIfLegal } from '../../src/core/plan/planner';
import { grouped } from '../../src/core/search/rank/nearDuplicates';
import { rank } from '../../src/core/search/rank/rank';
import { schedulesOf } from '../../src/core/search/rank/space';
import { resolve } from '../../src/core/defaults/resolve';
import { cudaBackend } from '../../src/host/cuda/backend';
import { compileCubin } from '../../src/host/nvcc';
import { findNvcc } from '../../src/host/toolchain';
import { choicesOf } from '../../scripts/grid/choices';
import { provenance } from '../../scripts/grid/provenance';

const words = process.argv.slice(2).filter(word => !word.startsWith('--'));
const [out = 'bench/h200-schedules.json', countText = '104', minutesText = '8', sizes] = words;
const SIZES = (sizes ?? '1024,2048,4096').split(',').map(Number);
const TOP = 16;
/** Number of ranked schedules. The best of them are selected, without near duplicates. */
const RANKED = 4000;
/**
 * Fraction of the time limit after which no compilation starts. Only compiled schedules are timed.
 */
const COMPILE_SHARE = 0.55;
const SEED = 1;

function kernelsFor(size: number): readonly Kernel[] {
  const spec = resolve({ problem: { m: size, n: size, k: size } });
  const space = [...schedulesOf(spec.problem)];
  const ranking = rank(spec, RANKED, space);
  if ('why' in ranking) throw new Error(ranking.why);
  const { pick } = choicesOf(size);
  const kernels = new Map<string, Kernel>();
  const take = (schedule: (typeof space)[number]): void => {
    const plan = planIfLegal({ ...spec, schedule }, 'cuda');
    const kernel = plan === null ? null : emit(plan);
    if (kernel !== null) kernels.set(kernel.source, kernel);
  };
  grouped(ranking.best, TOP).forEach(({ schedule }) => {
    take(schedule);
  });
  while (kernels.size < Number(countText)) take(pick(space));
  return [...kernels.values()];
}

const found = await findNvcc();
if (!found.ok) throw new Error(found.why);
const { nvcc } = found;
const bySize = SIZES.map(kernelsFor);
const began = performance.now();
const minutes = (): number => (performance.now() - began) / 60_000;
// The order alternates between sizes, with the best schedules first, so a time limit affects all
// sizes equally.
const order = Array.from({ length: Number(countText) }, (_, i) =>
  bySize.flatMap(kernels => kernels[i] ?? []),
).flat();
const ready: Kernel[] = [];
const failures: string[] = [];
let next = 0;
async function compileSome(): Promise<void> {
  while (minutes() < COMPILE_SHARE * Number(minutesText)) {
    const kernel = order[next++];
    if (kernel === undefined) return;
    const options = { nvcc, arch: archOf('9.0') };
    const compiled = await compileCubin(kernel.source, options);
    if (compiled.ok) ready.push(kernel);
    else failures.push(`${kernel.specKey}: ${compiled.message}`);
  }
}
await Promise.all(Array.from({ length: availableParallelism() }, compileSome));
console.log(`${ready.length} of ${order.length} compiled in ${minutes().toFixed(1)} minutes`);

const results: Measurement[] = [];
if (!process.argv.includes('--compile-only')) {
  const backend = cudaBackend({ where: 'cli', ceilings: false });
  const context = { abort: new AbortController().signal, progress: (): void => undefined };
  for (const runnable of ready) {
    if (minutes() > Number(minutesText)) break;
    const result = await backend.run({ runnable, mode: 'time', seed: SEED }, context);
    results.push(result);
    const rate =
      result.timing === undefined ? '' : `${(result.timing.gflops / 1000).toFixed(1)} TFLOP/s`;
    console.log(`${result.specKey}: ${result.outcome} ${rate}`);
  }
}
const record = {
  what: 'Schedules of the ranked space on an H200: the sixteen best predictions of the time model at each size, and random schedules',
  ...provenance(`node out/bench/measureSchedules.js ${words.join(' ')}`),
  nvcc: nvcc.build,
  sizes: SIZES,
  drawn: order.length,
  compiled: ready.length,
  failures,
  minutes: Number(minutes().toFixed(1)),
  results,
};
writeFileSync(out, `${JSON.stringify(record)}\n`);
console.log(`${results.length} measured: ${out}`);
