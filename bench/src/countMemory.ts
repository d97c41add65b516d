/**
 * Counts wavefronts, sectors and bytes of generated kernels with Nsight Compute and compares them
 * with the analysis:
 * node out/bench/countMemory.js [out.json] [sites|traffic] [size]
 * Requires a GPU, nvcc, and ncu with permission to read counters.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { analyze } from '../../src/core/report/analyze';
import { memoryLevels } from '../../src/core/memory/memoryLevels';
import { archOf } from '../../src/core/hardware/computeCapability';
import { DEFAULT_DEVICE, deviceOf } from '../../src/core/hardware/devices';
import type { Kernel } from '../../src/core/kernel/kernel';
import { inspectNcu } from '../../src/core/profile/ncu/inspect';
import { NCU_METRICS } from '../../src/core/profile/ncu/counters';
import type { GemmSpec } from '../../src/core/spec/schema';
import { hostProgram } from '../../src/host/cuda/hostProgram';
import { profile } from '../../src/host/ncu';
import { compileCubin, compileProgram } from '../../src/host/nvcc';
import type { KernelResources } from '../../src/host/ptxas';
import { findNvcc } from '../../src/host/toolchain';
import { kernelOf } from '../../scripts/grid/properties';
import { provenance } from '../../scripts/grid/provenance';
import { summary, type Counted } from './memory/counted';
import { siteKernels, trafficKernels } from './memory/kernels';

const [out = 'bench/h200-sites.json', set = 'sites', sizeText = '1024'] = process.argv.slice(2);
const size = Number(sizeText);
const LACKING = 3;

const found = await findNvcc();
if (!found.ok) throw new Error(found.why);
const { nvcc } = found;

interface Prepared {
  readonly spec: GemmSpec;
  readonly kernel: Kernel;
  readonly resources: KernelResources;
}

/**
 * Compiles a kernel and its host program into the cache. Throws if the kernel is illegal or does
 * not compile.
 */
async function prepared(spec: GemmSpec): Promise<Prepared> {
  const kernel = kernelOf({ ...spec, device: DEFAULT_DEVICE }, 'cuda');
  if (kernel === null) throw new Error(`Not legal: ${JSON.stringify(spec)}`);
  const options = { nvcc, arch: archOf(deviceOf(DEFAULT_DEVICE).computeCapability ?? '') };
  const [cubin] = await Promise.all([
    compileCubin(kernel.source, options),
    compileProgram(kernel.source, hostProgram(kernel, 'kernel.cu'), options),
  ]);
  if (!cubin.ok) throw new Error(cubin.message);
  const resources = cubin.kernels.find(({ entry }) => entry === kernel.entry);
  if (resources === undefined) throw new Error(`The cubin has no kernel ${kernel.entry}.`);
  return { spec, kernel, resources };
}

const specs = (set === 'traffic' ? trafficKernels : siteKernels)(size);
const ready: Prepared[] = [];
let next = 0;
async function prepareSome(): Promise<void> {
  for (let i = next++; i < specs.length; i = next++) {
    const spec = specs[i];
    if (spec !== undefined) ready[i] = await prepared(spec);
  }
}
await Promise.all(Array.from({ length: availableParallelism() }, prepareSome));
console.error(`${specs.length} kernels compiled`);

const results: Counted[] = [];
const record = {
  what: 'Nsight Compute counters compared with the analysis',
  ...provenance(`node out/bench/countMemory.js ${[out, set, sizeText].join(' ')}`),
  nvcc: nvcc.build,
  size,
  results,
};
for (const { spec, kernel, resources } of ready) {
  const options = { device: DEFAULT_DEVICE, resources } as const;
  const analysis = analyze(kernel, options);
  const { specKey } = kernel;
  const { occupancy } = analysis;
  const device = deviceOf(DEFAULT_DEVICE);
  const told = { specKey, occupancy, memoryLevels: memoryLevels(kernel, analysis, device) };
  const made = await profile(kernel, {});
  if (!made.ok && (made.outcome === 'refused' || made.outcome === 'unavailable')) {
    console.error(`${made.why} ${made.next}`);
    process.exit(LACKING);
  }
  const inspection = made.ok ? inspectNcu(made.report, kernel, options) : made;
  const counters = inspection.ok
    ? {
        rows: inspection.rows,
        sites: inspection.sites,
        metrics: Object.fromEntries(
          [...(inspection.kernel?.metrics ?? [])].filter(([name]) => NCU_METRICS.includes(name)),
        ),
      }
    : null;
  const message = inspection.ok ? '' : inspection.why;
  results.push({ spec, counters, analysis: told, message });
  // Save the record after each kernel, so that an interruption loses no counters.
  writeFileSync(out, `${JSON.stringify(record)}\n`);
  console.error(`${results.length}: ${specKey} ${message}`);
}
console.log(summary(results));
