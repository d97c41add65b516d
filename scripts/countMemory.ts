/**
 * Counts wavefronts, sectors and bytes of generated kernels with Nsight Compute and compares them with the analysis:
 * node out/scripts/countMemory.js [out.json] [sites|traffic] [size]
 * Needs a GPU, nvcc and ncu with the permission to read counters; says so and stops where it is refused. Uses Node alone.
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { text } from 'node:stream/consumers';
import { archOf } from '../src/core/device/computeCapability';
import type { GemmSpec } from '../src/core/spec/schema';
import { hostProgram } from '../src/host/cuda/hostProgram';
import { compileProgram } from '../src/host/nvcc';
import { findNvcc } from '../src/host/toolchain';
import { kernelOf } from './grid/properties';
import { provenance } from './grid/provenance';
import { summary, type Counted } from './memory/counted';
import { siteKernels, trafficKernels } from './memory/kernels';

const [out = 'bench/h200-sites.json', set = 'sites', sizeText = '1024'] = process.argv.slice(2);
const size = Number(sizeText);
/** Exit code of the CLI for what this machine lacks, a permission included. */
const LACKING = 3;

interface Answer {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function ask(command: string, spec: object): Promise<Answer> {
  const child = spawn(process.execPath, ['dist/cli.js', command, '-', '--json']);
  const ended = new Promise<number | null>(resolve => child.once('close', resolve));
  child.stdin.end(JSON.stringify(spec));
  const [stdout, stderr, status] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    ended,
  ]);
  return { status, stdout, stderr };
}

const found = await findNvcc();
if (!found.ok) throw new Error(found.why);
const { nvcc } = found;

/** Into the cache, and what the analysis says with the compiler's registers. */
async function prepared(spec: GemmSpec): Promise<Counted['analysis']> {
  const kernel = kernelOf(spec, 'cuda');
  if (kernel === null) throw new Error(`Not legal: ${JSON.stringify(spec)}`);
  const options = { nvcc, arch: archOf('9.0') };
  await compileProgram(kernel.source, hostProgram(kernel, 'kernel.cu'), options);
  const analysis = JSON.parse((await ask('analyze', spec)).stdout) as Counted['analysis'];
  const { specKey, memoryLevels, occupancy } = analysis;
  return { specKey, memoryLevels, occupancy };
}

const specs = (set === 'traffic' ? trafficKernels : siteKernels)(size);
const analyses: Counted['analysis'][] = [];
let next = 0;
async function prepareSome(): Promise<void> {
  for (let i = next++; i < specs.length; i = next++) {
    const spec = specs[i];
    if (spec !== undefined) analyses[i] = await prepared(spec);
  }
}
await Promise.all(Array.from({ length: availableParallelism() }, prepareSome));
console.error(`${specs.length} kernels compiled`);

const results: Counted[] = [];
const record = {
  what: 'Counters of Nsight Compute beside the analysis',
  ...provenance(`node out/scripts/countMemory.js ${[out, set, sizeText].join(' ')}`),
  ...{ nvcc: nvcc.build, size, results },
};
for (const [i, spec] of specs.entries()) {
  const analysis = analyses[i];
  if (analysis === undefined) continue;
  const { status, stdout, stderr } = await ask('ncu', spec);
  if (status === LACKING) {
    console.error(stderr.trim());
    process.exit(LACKING);
  }
  const message = status === 0 ? '' : stderr.trim();
  results.push({ spec, counters: status === 0 ? JSON.parse(stdout) : null, analysis, message });
  // Saved one by one: what is counted before an interruption is kept.
  writeFileSync(out, `${JSON.stringify(record)}\n`);
  console.error(`${results.length}: ${analysis.specKey} ${message}`);
}
console.log(summary(results));
