/**
 * Runs the kernels of random legal specs on this machine's CPU or WebGPU adapter and records the
 * outcomes:
 * node out/bench/verifyGrid.js cpu|webgpu [count] [out.json] [first seed]
 */
import { writeFileSync } from 'node:fs';
import { runManyOnCpu } from '../../scripts/grid/cpuRuns';
import { runOnDawn } from '../../scripts/grid/dawnRuns';
import { drawnKernels, replay } from '../../scripts/grid/draws';
import { provenance } from '../../scripts/grid/provenance';
import { taken } from '../../scripts/grid/taken';

interface Run {
  readonly outcome: string;
  readonly message?: string | undefined;
}

interface Runs {
  readonly device: string;
  readonly runs: readonly Run[];
}

const [backend = 'webgpu', countText = '2000', given, firstSeed = '0'] = process.argv.slice(2);
const out = given ?? `bench/${backend}-grid.json`;
const began = performance.now();
const drawn = taken(
  Number(countText),
  drawnKernels(backend === 'cpu' ? 'cuda' : 'wgsl', Number(firstSeed)),
);
const progress = (done: number): void => {
  console.log(`${done} of ${drawn.length}`);
};

async function onCpu(): Promise<Runs> {
  const measured = await runManyOnCpu(
    drawn.map(({ kernel }) => kernel),
    progress,
  );
  const device = measured[0]?.device;
  return {
    device: `${device?.name ?? ''}, ${device?.adapter ?? ''}`,
    runs: measured.map(({ outcome, message }) => ({ outcome, message })),
  };
}

async function onWebgpu(): Promise<Runs> {
  const result = await runOnDawn(
    drawn.map(({ seed }) => seed),
    progress,
  );
  if (!result.available) throw new Error(result.why);
  return { device: result.device.adapter, runs: result.runs };
}

const { device, runs } = await (backend === 'cpu' ? onCpu() : onWebgpu());
const failed = runs.flatMap(({ outcome, message = '' }, i) => {
  const one = drawn[i];
  return outcome === 'correct' || one === undefined
    ? []
    : [replay({ ...one, failures: [`${backend}: ${outcome}. ${message}`] })];
});
const record = {
  what: 'Random legal kernels, with every element of their results compared with f64 within its error bound',
  ...provenance(`node out/bench/verifyGrid.js ${backend} ${countText} ${out}`),
  backend,
  device,
  kernels: drawn.length,
  seeds: [drawn[0]?.seed ?? null, drawn.at(-1)?.seed ?? null],
  seconds: Math.round((performance.now() - began) / 1000),
  failed,
};
writeFileSync(out, `${JSON.stringify(record, null, 1)}\n`);
console.log(
  [...failed, `${drawn.length} kernels, ${failed.length} without a correct result`].join('\n'),
);
process.exitCode = failed.length === 0 ? 0 : 1;
