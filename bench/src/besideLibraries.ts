/**
 * Compares our WGSL kernels with tfjs, jax-js and surfgrad's kernel on Dawn:
 * `node out/bench/besideLibraries.js --prepare DIR [--surfgrad FILE]
 * node out/bench/besideLibraries.js --libraries DIR --out bench/NAME-libraries.json
 *   [--sizes 1024,2048,512x256x64] [--library NAME ...] [--rounds 5] [--spec FILE ...]
 *   [--warm-up-ms 300] [--batch-ms 250] [--batches 3]
 *   [--most-others 0.1 --repeats 5 --wait-s 60] [--experimental]`
 *
 * The first command downloads the libraries into DIR. On a machine that cannot reach GitHub,
 * `--surfgrad` is the path of src/shaders/matmul.ts in a checkout of surfgrad.
 *
 * A size is the value of M, N and K, or MxNxK. `--library` limits the comparison to some libraries.
 * `--spec` selects our schedules, which apply at every size; without the option, the default
 * schedule for this adapter is measured, as `bench` chooses it. Each entrant (a library or one of
 * our schedules) is measured in a new process, once per size and round, and the starting entrant
 * rotates. A measurement during which other processes use more than the fraction `--most-others` of
 * all processors is repeated. Entrants with an incorrect or incomplete result get no time.
 * Next step: node out/scripts/performance.js
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { adapterOf } from '../../src/core/defaults/dispatch/adapterFamily';
import { withDispatched } from '../../src/core/defaults/resolve';
import { parseSpec } from '../../src/core/spec/decode';
import type { GemmSpec } from '../../src/core/spec/schema';
import { dawnToggles } from '../../src/host/dawn/toggles';
import { ask, findAdapter } from './besideLibraries/ask';
import { closestOf } from '../../scripts/besideLibraries/figures';
import { dawnVersion, GPU_QUERY, gpuState, untilQuiet } from './besideLibraries/machine';
import { LIBRARIES, type Job } from '../../scripts/besideLibraries/job';
import { librariesIn, prepareLibraries } from './besideLibraries/prepare';
import type { BesideRecord } from '../../scripts/besideLibraries/record';
import { extentsOf, sizesIn, sizeText, type Size } from '../../scripts/besideLibraries/size';
import { runRounds, type Entrant } from './besideLibraries/rounds';
import { provenance } from '../../scripts/grid/provenance';

const { values: options } = parseArgs({
  options: {
    prepare: { type: 'string' },
    surfgrad: { type: 'string' },
    libraries: { type: 'string' },
    out: { type: 'string' },
    sizes: { type: 'string', default: '1024,2048,4096' },
    library: { type: 'string', multiple: true, default: [...LIBRARIES] },
    rounds: { type: 'string', default: '5' },
    spec: { type: 'string', multiple: true, default: [] },
    'warm-up-ms': { type: 'string', default: '300' },
    'batch-ms': { type: 'string', default: '250' },
    batches: { type: 'string', default: '3' },
    'most-others': { type: 'string', default: '1' },
    repeats: { type: 'string', default: '5' },
    'wait-s': { type: 'string', default: '60' },
    experimental: { type: 'boolean', default: false },
  },
});

const switches = { experimental: options.experimental };

const atSize = ({ schedule, webgpuLimits, device }: Partial<GemmSpec>, size: Size): GemmSpec => ({
  problem: extentsOf(size),
  targets: ['wgsl'],
  ...(schedule === undefined ? {} : { schedule }),
  ...(webgpuLimits === undefined ? {} : { webgpuLimits }),
  ...(device === undefined ? {} : { device }),
});

function specIn(file: string): GemmSpec {
  const decoded = parseSpec(readFileSync(file, 'utf8'));
  if (decoded.ok) return decoded.spec;
  const [error] = decoded.errors;
  throw new Error(`${file}: ${error?.path ?? ''}: ${error?.message ?? ''}`);
}

async function measure(folder: string, out: string): Promise<number> {
  const all = await librariesIn(folder);
  for (const name of options.library)
    if (!all.some(library => library.name === name))
      throw new Error(`Expected --library to be one of ${LIBRARIES.join(', ')}, got ${name}.`);
  const libraries = all.filter(({ name }) => options.library.includes(name));
  const specs = options.spec.map(file => ({
    entrant: `ours: ${path.basename(file, '.gemm.json')}`,
    spec: specIn(file),
  }));
  const ours = specs.length === 0 ? [{ entrant: 'ours', spec: {} }] : specs;
  const { device, variables } = await findAdapter(switches);
  const adapter = adapterOf(device);
  const entrants: readonly Entrant[] = [
    ...ours.map(({ entrant, spec }) => ({
      name: entrant,
      at: (size: Size) =>
        ({ kind: 'ours', spec: withDispatched(atSize(spec, size), undefined, adapter) }) as const,
    })),
    ...libraries.map(({ name, file }) => ({
      name,
      at: () => ({ kind: name, file: path.join(folder, file) }) as const,
    })),
  ];
  console.log(`${device.name}, ${device.driver}; ${dawnVersion()}`);
  const [rounds, sizes] = [Number(options.rounds), sizesIn(options.sizes)];
  const patience = {
    warmUpMs: Number(options['warm-up-ms']),
    batchMs: Number(options['batch-ms']),
    batches: Number(options.batches),
  };
  const mostOthers = Number(options['most-others']);
  const before = gpuState();
  const asked = {
    entrants,
    sizes,
    rounds,
    patience,
    mostOthers,
    repeats: Number(options.repeats),
    ask: (job: Job) => ask(job, variables, switches),
    quiet: () => untilQuiet(mostOthers, 1000 * Number(options['wait-s'])),
    say: (text: string) => {
      console.log(text);
    },
  };
  let failures = 0;
  for await (const found of runRounds(asked)) {
    const closest = closestOf(found.runs);
    const after = gpuState();
    const both = before !== undefined && after !== undefined;
    const record: BesideRecord = {
      what: 'Our WGSL kernels compared with tfjs, jax-js and surfgrad on Dawn: each in its own process, in interleaved rounds',
      ...provenance(`node out/bench/besideLibraries.js ${process.argv.slice(2).join(' ')}`),
      device,
      ...(both ? { gpu: { query: GPU_QUERY, before, after } } : {}),
      dawn: dawnVersion(),
      dawnOptions: dawnToggles(switches),
      libraries: [...libraries],
      specs,
      patience,
      ...found,
      closest,
    };
    writeFileSync(out, `${JSON.stringify(record, null, 1)}\n`);
    for (const { size, ours, library, timer, ratio } of closest) {
      console.log(
        `${sizeText(size)}: ${ours} runs at ${ratio.toFixed(2)} times the rate of ${library} (${timer})`,
      );
    }
    failures = found.failed.length;
  }
  console.log(`${failures} failed: ${out}`);
  return failures === 0 ? 0 : 1;
}

const { prepare, surfgrad, libraries, out } = options;
if (prepare !== undefined) {
  for (const { name, version, file } of await prepareLibraries(prepare, surfgrad)) {
    console.log(`${name} ${version}: ${path.join(prepare, file)}`);
  }
} else if (libraries !== undefined && out !== undefined) {
  process.exitCode = await measure(libraries, out);
} else {
  throw new Error('Expected --prepare DIR, or --libraries DIR --out FILE.');
}
