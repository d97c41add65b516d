/**
 * Compares our occupancy with `cudaOccupancyMaxActiveBlocksPerMultiprocessor` for compiled kernels,
 * with their own launch configuration and with other block sizes and shared-memory sizes:
 * node out/bench/occupancyOnGpu.js [kernels] [out.json]
 * Requires nvcc and an NVIDIA GPU. With `--compile-only`, the script stops before it uses the GPU.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareClusters } from '../../src/core/occupancy/clusters';
import { occupancy } from '../../src/core/occupancy/occupancy';
import { archOf } from '../../src/core/hardware/computeCapability';
import { DEFAULT_DEVICE, deviceOf, matchDevice } from '../../src/core/hardware/devices';
import type { Kernel } from '../../src/core/kernel/kernel';
import { compileCubin } from '../../src/host/nvcc';
import { findNvcc } from '../../src/host/toolchain';
import { kernelOf } from '../../scripts/grid/properties';
import { provenance } from '../../scripts/grid/provenance';
import { specOf } from '../../scripts/grid/specs';
import runtime from './occupancy/runtime.cpp';

const words = process.argv.slice(2).filter(word => !word.startsWith('--'));
const [countText = '200', out = 'bench/h200-occupancy.json'] = words;
const { computeCapability = '9.0', multiprocessors } = deviceOf(DEFAULT_DEVICE);
const OTHER_THREADS = [32, 96, 160, 256, 384, 512, 768, 1024];
const OTHER_DYNAMIC_BYTES = [0, 1024, 32_768, 65_536, 101_376, 166_912];

interface Asked {
  readonly specKey: string;
  readonly path: string;
  readonly entry: string;
  readonly threads: number;
  readonly dynamicBytes: number;
}

/** Returns legal kernels with distinct sources, the same kernels on every machine. */
function drawn(count: number): readonly Kernel[] {
  const kernels = new Map<string, Kernel>();
  for (let seed = 1; kernels.size < count; seed++) {
    const kernel = kernelOf({ ...specOf(seed), device: DEFAULT_DEVICE }, 'cuda');
    if (kernel !== null) kernels.set(kernel.source, kernel);
  }
  return [...kernels.values()];
}

const threadsOf = ({ block }: Kernel): number => block.x * block.y * block.z;

function asked(kernel: Kernel, path: string): readonly Asked[] {
  const { specKey, entry, dynamicSharedBytes } = kernel;
  const own = { threads: threadsOf(kernel), dynamicBytes: dynamicSharedBytes };
  // `__launch_bounds__` limits the block size to the kernel's thread count.
  const blocks = OTHER_THREADS.filter(threads => threads <= own.threads);
  const others = [
    ...blocks.map(threads => ({ ...own, threads })),
    ...OTHER_DYNAMIC_BYTES.map(dynamicBytes => ({ ...own, dynamicBytes })),
  ];
  return [own, ...others].map(launch => ({ specKey, path, entry, ...launch }));
}

const found = await findNvcc();
if (!found.ok) throw new Error(found.why);
const { nvcc } = found;
const kernels = drawn(Number(countText));
const cases: Asked[] = [];
const failures: string[] = [];
let next = 0;
async function compileAll(): Promise<void> {
  for (let kernel = kernels[next++]; kernel !== undefined; kernel = kernels[next++]) {
    const compiled = await compileCubin(kernel.source, { nvcc, arch: archOf(computeCapability) });
    if (compiled.ok) cases.push(...asked(kernel, compiled.path));
    else failures.push(`${kernel.specKey}: ${compiled.message}`);
  }
}
await Promise.all(Array.from({ length: availableParallelism() }, compileAll));
console.log(
  `${kernels.length} kernels, ${cases.length} cases, ${failures.length} kernels failed to compile`,
);

/**
 * Returns the GPU's name, then one line per case with six values from the CUDA runtime; empty with
 * `--compile-only`.
 */
function runtimeAnswers(): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'occupancy-'));
  try {
    const [source, program] = [join(folder, 'runtime.cpp'), join(folder, 'runtime')];
    writeFileSync(source, runtime);
    execFileSync(nvcc.path, ['-std=c++17', '-x', 'cu', source, '-o', program]);
    if (process.argv.includes('--compile-only')) return [];
    const input = cases.map(({ path, entry, threads, dynamicBytes }) =>
      [path, entry, threads, dynamicBytes].join(' '),
    );
    const answer = execFileSync(program, { input: input.join('\n'), maxBuffer: 2 ** 28 });
    return answer.toString().trim().split('\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const [gpu, ...answers] = runtimeAnswers();
if (gpu !== undefined) {
  if (matchDevice(gpu) !== DEFAULT_DEVICE)
    throw new Error(`Expected the GPU ${DEFAULT_DEVICE}, got ${gpu}.`);
  if (answers.length !== cases.length)
    throw new Error(`Expected ${cases.length} answers, got ${answers.length}.`);
  const rows = cases.map(({ specKey, entry, threads, dynamicBytes }, i) => {
    const given = { specKey, entry, threads, dynamicBytes };
    const numbers = (answers[i] ?? '').split(' ').map(Number);
    const [registers = NaN, staticBytes = NaN, runtimeBlocks = NaN, ...clusters] = numbers;
    const result = occupancy({
      computeCapability,
      threadsPerBlock: given.threads,
      registersPerThread: registers,
      sharedBytesPerBlock: staticBytes + given.dynamicBytes,
    });
    const ours = result.ok ? result.occupancy.blocksPerSm : NaN;
    return { ...given, registers, staticBytes, runtimeBlocks, ours, clusters };
  });
  const differing = rows.filter(({ runtimeBlocks, ours }) => runtimeBlocks !== ours);
  const own = rows.filter((row, i) => i === 0 || row.specKey !== rows[i - 1]?.specKey);
  const asClusters = own.map(row => ({ ...row, blocksPerSm: row.ours }));
  const record = {
    what: 'Blocks per SM of compiled kernels: our occupancy compared with cudaOccupancyMaxActiveBlocksPerMultiprocessor; resident clusters of 2, 4 and 8 blocks on the GPU',
    ...provenance(`node out/bench/occupancyOnGpu.js ${countText} ${out}`),
    gpu,
    multiprocessors,
    nvcc: nvcc.build,
    kernels: kernels.length,
    cases: rows.length,
    failures,
    differing: differing.length,
    examples: differing.slice(0, 20),
    clusters: compareClusters(deviceOf(DEFAULT_DEVICE), asClusters),
    own,
  };
  writeFileSync(out, `${JSON.stringify(record, null, 1)}\n`);
  console.log(`${differing.length} of ${rows.length} cases differ: ${out}`);
  process.exitCode = differing.length === 0 && failures.length === 0 ? 0 : 1;
}
