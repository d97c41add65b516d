/**
 * Runs fifty mutated kernels on this machine's GPU, each followed by its unmodified kernel, and
 * records the outcomes:
 * node out/bench/measureMutants.js [out.json]
 * A hanging kernel is stopped after HANG_MS.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { archOf } from '../../src/core/hardware/computeCapability';
import type { Runnable } from '../../src/core/kernel/kernel';
import type { Backend } from '../../src/core/measure/backend';
import type { Measurement } from '../../src/core/measure/measurement';
import { cudaBackend } from '../../src/host/cuda/backend';
import { compileCubin } from '../../src/host/nvcc';
import { findNvcc } from '../../src/host/toolchain';
import { BASES, baseKernel } from './mutants/bases';
import { MUTATIONS, mutantOf } from './mutants/mutants';
import { judged, type Base, type Tried } from '../../scripts/mutants/judge';
import { provenance } from '../../scripts/grid/provenance';

const HANG_MS = 6000;
const SEED = 1;
const out = process.argv[2] ?? 'bench/h200-mutants.json';
const context = { abort: new AbortController().signal, progress: () => undefined };

const sound: Readonly<Record<Base, Runnable>> = {
  shared: baseKernel('shared'),
  vectorized: baseKernel('vectorized'),
  pipelined: baseKernel('pipelined'),
};
const began = performance.now();
const seconds = (): number => Number(((performance.now() - began) / 1000).toFixed(1));

async function compileAll(): Promise<void> {
  const found = await findNvcc();
  if (!found.ok) return;
  const texts = [
    ...BASES.map(base => sound[base]),
    ...MUTATIONS.map(of => mutantOf(sound[of.base], of)),
  ];
  const sources = [...new Set(texts.map(({ source }) => source))];
  let next = 0;
  const some = async (): Promise<void> => {
    for (let source = sources[next++]; source !== undefined; source = sources[next++])
      await compileCubin(source, { nvcc: found.nvcc, arch: archOf('9.0') });
  };
  await Promise.all(Array.from({ length: availableParallelism() }, some));
}

const run = (backend: Backend, runnable: Runnable, mode: 'verify' | 'time'): Promise<Measurement> =>
  backend.run({ runnable, mode, seed: SEED }, context);

await compileAll();
console.log(`compiled after ${seconds()} s`);
const patient = cudaBackend({ where: 'cli', ceilings: false });
const hasty = cudaBackend({ where: 'cli', ceilings: false, runTimeoutMs: HANG_MS });
const before = {} as Record<Base, Measurement>;
for (const base of BASES) before[base] = await run(patient, sound[base], 'time');
const tried: Tried[] = [];

function save(): void {
  const record = {
    what: 'Fifty mutated kernels, each followed by its unmodified kernel',
    ...provenance(`node out/bench/measureMutants.js ${out}`),
    hangMs: HANG_MS,
    seconds: seconds(),
    before,
    tried,
  };
  writeFileSync(out, `${JSON.stringify(record, null, 1)}\n`);
}

for (const mutation of MUTATIONS) {
  const { kind, name, base } = mutation;
  const mutant = mutantOf(sound[base], mutation);
  const measurement = await run(
    kind === 'hanging' ? hasty : patient,
    mutant,
    kind === 'slow' ? 'time' : 'verify',
  );
  const after = await run(patient, sound[base], 'time');
  const one: Tried = { kind, name, base, measurement, after };
  tried.push(one);
  save();
  const { right, timeRight, percent } = judged(one, before[base]);
  console.log(
    `${right ? 'correct' : 'WRONG'} ${kind}, ${name}: ${measurement.outcome}; unmodified kernel ${timeRight ? 'within tolerance' : 'OUT OF TOLERANCE'}, ${percent?.toFixed(2) ?? '-'} % change of median, after ${seconds()} s`,
  );
}
const all = tried.map(one => judged(one, before[one.base]));
const count = (is: (of: (typeof all)[number]) => boolean): number => all.filter(is).length;
console.log(
  `${count(({ right }) => right)} of ${all.length} outcomes correct, ${count(({ timeRight }) => timeRight)} unmodified kernels within tolerance: ${out}`,
);
process.exitCode = all.every(({ right, timeRight }) => right && timeRight) ? 0 : 1;
