/**
 * Computes GEMMs on Dawn with one library or kernel and reports the time per GEMM.
 * bench/src/besideLibraries.ts starts this program in a separate process, with a JSON job on
 * standard input.
 */
import { readFileSync, writeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { resolve } from '../../src/core/defaults/resolve';
import { fillMatrix } from '../../src/core/verify/inputs';
import { verifyResult } from '../../src/core/verify/verify';
import { dawnToggles } from '../../src/host/dawn/toggles';
import { SUBMIT_MS, type Environment } from '../../src/webgpu/environment';
import { probeWebgpu } from '../../src/webgpu/probe';
import {
  jobSchema,
  type Answer,
  type ProductJob,
  type Times,
} from '../../scripts/besideLibraries/job';
import { extentsOf } from '../../scripts/besideLibraries/size';
import { ourKernel, surfgradKernel, timeKernel } from './besideLibraries/kernels';
import { OPEN } from './besideLibraries/libraries';
import { DAWN_PACKAGE, watchOthers } from './besideLibraries/machine';
import { timeByWall, wrongResult } from './besideLibraries/wall';

interface Dawn {
  readonly create: (options: readonly string[]) => GPU;
  readonly globals: { readonly GPUComputePassEncoder: typeof GPUComputePassEncoder };
}
const SEED = 1;

const { create, globals } = (await import(DAWN_PACKAGE)) as Dawn;
const now = (): number => performance.now();
const nothing = (): void => undefined;
const { values } = parseArgs({ options: { experimental: { type: 'boolean', default: false } } });
const { experimental } = values;
const gpu = create(dawnToggles({ experimental }));
const environment: Environment = {
  gpu,
  now,
  after: (delayMs, action) => {
    const timer = setTimeout(action, delayMs);
    return () => {
      clearTimeout(timer);
    };
  },
  visible: () => true,
  onHidden: () => nothing,
  where: 'script',
  ceilings: new Map(),
  losses: { count: 0 },
  robustness: 'on',
  experimental,
  submitMs: SUBMIT_MS,
  advice: {
    noApi: 'Run npm install webgpu.',
    noAdapter: 'Install a Vulkan driver, or Chromium.',
    restart: '',
  },
};

/**
 * Starts counting the kernels launched in this process; returns a function that reads the count.
 */
function countDispatches(): () => number {
  const { prototype } = globals.GPUComputePassEncoder;
  const launch = Object.getOwnPropertyDescriptor(prototype, 'dispatchWorkgroups')
    ?.value as GPUComputePassEncoder['dispatchWorkgroups'];
  let dispatches = 0;
  prototype.dispatchWorkgroups = function (...grid) {
    dispatches++;
    launch.apply(this, grid);
  };
  return () => dispatches;
}

async function times({ entrant, size, patience }: ProductJob): Promise<Omit<Times, 'others'>> {
  const dispatches = countDispatches();
  const extents = extentsOf(size);
  const seeded = { seed: SEED, patience };
  if (entrant.kind === 'ours') {
    return timeKernel(environment, ourKernel(entrant.spec), seeded, dispatches);
  }
  if (entrant.kind === 'surfgrad') {
    const kernel = await surfgradKernel(entrant.file, extents);
    return timeKernel(environment, kernel, seeded, dispatches);
  }
  Object.assign(globalThis, globals);
  Object.defineProperty(globalThis, 'navigator', { value: { gpu, userAgent: 'Node' } });
  const { problem } = resolve({ problem: extents });
  const matrix = (operand: 'a' | 'b') =>
    fillMatrix(problem, operand, SEED) as Float32Array<ArrayBuffer>;
  const open = OPEN[entrant.kind];
  const multiplier = await open(entrant.file, { a: matrix('a'), b: matrix('b'), ...extents });
  const wall = await timeByWall(multiplier, patience, dispatches, now);
  const verification = verifyResult(problem, SEED, await multiplier.result());
  const wrong = wrongResult(verification);
  if (wrong !== undefined) throw new Error(wrong);
  return { wall, verification };
}

async function answer(): Promise<Answer> {
  try {
    const job = v.parse(jobSchema, JSON.parse(readFileSync(0, 'utf8')));
    if (job.type === 'products') {
      const others = watchOthers();
      const timed = await times(job);
      return { type: 'timed', times: { ...timed, others: others() } };
    }
    const probed = await probeWebgpu(environment);
    return probed.available
      ? { type: 'adapter', device: probed.device }
      : { type: 'failed', why: `${probed.why} ${probed.next}` };
  } catch (error) {
    return { type: 'failed', why: error instanceof Error ? error.message : String(error) };
  }
}

writeSync(1, `${JSON.stringify(await answer())}\n`);
// A regular exit would wait for Dawn's threads.
process.kill(process.pid, 'SIGKILL');
