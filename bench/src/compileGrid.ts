/**
 * Compiles random legal specs with nvcc for each architecture on which they are legal, with
 * warnings as errors, and records the result:
 * node out/bench/compileGrid.js [count] [out.json] [minutes]
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { runProcess } from '../../src/host/process';
import { findNvcc } from '../../src/host/toolchain';
import { ARCHITECTURES, compileTogether, nameOf } from '../../scripts/grid/compile';
import { drawnUnits } from '../../scripts/grid/drawnUnits';
import { provenance } from '../../scripts/grid/provenance';
import { taken } from '../../scripts/grid/taken';

/** Specs per translation unit. */
const TOGETHER = 20;

const [countText = '1000', out = 'bench/compile-grid.json', minutesText = '30'] =
  process.argv.slice(2);
const found = await findNvcc();
if (!found.ok) throw new Error(found.why);
const { nvcc } = found;
const drawn = taken(Number(countText), drawnUnits(ARCHITECTURES));
const compiled = Object.fromEntries(ARCHITECTURES.map(one => [nameOf(one), 0]));
const failures: { seeds: readonly number[]; output: string }[] = [];
const began = performance.now();
let done = 0;
let next = 0;
async function compileBatches(): Promise<void> {
  while (next < drawn.length && performance.now() - began < Number(minutesText) * 60_000) {
    const batch = drawn.slice(next, next + TOGETHER);
    next += batch.length;
    const units = batch.flatMap(own => own.units);
    const result = await compileTogether(nvcc.path, units);
    done += batch.length;
    const seeds = batch.map(({ seed }) => seed);
    if (!result.ok) failures.push({ seeds, output: result.output.slice(0, 4000) });
    for (const { architectures } of result.ok ? units : [])
      for (const one of architectures) compiled[nameOf(one)] = (compiled[nameOf(one)] ?? 0) + 1;
    console.log(`${done} of ${drawn.length} specs, ${failures.length} batches failed`);
  }
}
await Promise.all(Array.from({ length: availableParallelism() }, compileBatches));
const version = await runProcess(nvcc.path, ['--version'], { timeoutMs: 10_000 });
const record = {
  what: 'Emitted CUDA kernels except wgmma, compiled without warnings (-Wall -Wextra, -Werror all-warnings) for each architecture on which they are legal',
  ...provenance(`node out/bench/compileGrid.js ${countText} ${out} ${minutesText}`),
  nvcc: /release [\d.]+, V[\d.]+/.exec(version.stdout)?.[0] ?? 'unknown',
  specs: done,
  lastSeed: drawn[next - 1]?.seed ?? null,
  compiled,
  seconds: Math.round((performance.now() - began) / 1000),
  failures,
};
writeFileSync(out, `${JSON.stringify(record, null, 1)}\n`);
console.log(`${done} specs, ${failures.length} batches failed: ${out}`);
process.exitCode = failures.length === 0 ? 0 : 1;
