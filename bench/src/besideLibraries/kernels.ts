/**
 * Times our WGSL kernels and surfgrad's kernel by wall clock and, if available, by timestamp
 * queries.
 */
import { readFile } from 'node:fs/promises';
import { emit } from '../../../src/core/kernel/emit';
import { launchesOf, type Launch, type Runnable } from '../../../src/core/kernel/kernel';
import { timingOf } from '../../../src/core/measure/statistics';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { inputsText } from '../../../src/core/verify/inputs';
import { verifyResult } from '../../../src/core/verify/verify';
import { openAdapter } from '../../../src/webgpu/adapter';
import { bindWhole } from '../../../src/webgpu/arguments';
import { PATIENCE, timeLaunches } from '../../../src/webgpu/batches';
import type { Environment } from '../../../src/webgpu/environment';
import { createGuard } from '../../../src/webgpu/guard';
import { bufferBytes, requirements } from '../../../src/webgpu/limits';
import { readResult, upload } from '../../../src/webgpu/matrices';
import { compile, record } from '../../../src/webgpu/pipeline';
import { MAP_READ, openSession, ownBuffer, USAGE } from '../../../src/webgpu/session';
import { openTimer } from '../../../src/webgpu/timer';
import type { Times, WallPatience } from '../../../scripts/besideLibraries/job';
import type { Extents } from '../../../scripts/besideLibraries/size';
import { timeByWall, wrongResult, type Multiplier } from './wall';

export function ourKernel(spec: GemmSpec): Runnable {
  const planned = plan(resolve(spec), 'wgsl');
  if (planned.ok) return emit(planned.plan);
  throw new Error(planned.violations.map(({ message }) => message).join(' '));
}

/**
 * Describes surfgrad's kernel. Its workgroups of 16 x 16 threads compute 128 x 128 tiles of C, and
 * its first binding holds M, K and N.
 */
export async function surfgradKernel(file: string, extents: Extents): Promise<Runnable> {
  const { problem } = resolve({ problem: extents });
  return {
    target: 'wgsl',
    specKey: 'surfgrad',
    source: await readFile(file, 'utf8'),
    problem,
    entry: 'main',
    grid: { x: Math.ceil(extents.n / 128), y: Math.ceil(extents.m / 128), z: 1 },
    block: { x: 16, y: 16, z: 1 },
    dynamicSharedBytes: 0,
    arguments: [['m', 'k', 'n'], 'a', 'b', 'c'],
  };
}

export async function timeKernel(
  env: Environment,
  runnable: Runnable,
  { seed, patience }: { readonly seed: number; readonly patience: WallPatience },
  dispatches: () => number,
): Promise<Omit<Times, 'others'>> {
  const guard = createGuard(env, new AbortController().signal);
  const opened = await openAdapter(env, guard);
  if (!opened.available) throw new Error(`${opened.why} ${opened.next}`);
  const needs = requirements(runnable, opened.adapter, env.advice);
  if (!needs.ok) throw new Error(needs.message);
  const session = await openSession(env, guard, opened.adapter, needs.descriptor);
  const { device } = session;
  const { problem } = runnable;
  const pipelines: GPUComputePipeline[] = [];
  for (const { entry } of launchesOf<Launch>(runnable)) {
    pipelines.push(await compile(session, runnable.source, entry));
  }
  const buffers = await upload(session, runnable, seed);
  const launch = await bindWhole(session, { runnable, pipelines, buffers });
  const corner = ownBuffer(session, 4, USAGE.mapRead | USAGE.copyDestination);
  const multiplier: Multiplier = {
    multiply: async products => {
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      record(pass, launch, products);
      pass.end();
      encoder.copyBufferToBuffer(buffers.c, bufferBytes(problem, 'c') - 4, corner, 0, 4);
      device.queue.submit([encoder.finish()]);
      await corner.mapAsync(MAP_READ);
      corner.unmap();
    },
    result: async () =>
      (await readResult(session, [launch], problem, buffers.c)) as Float32Array<ArrayBuffer>,
  };
  const verification = verifyResult(problem, seed, await multiplier.result());
  const wrong = wrongResult(verification);
  if (wrong !== undefined) throw new Error(wrong);
  const wall = await timeByWall(multiplier, patience, dispatches, env.now);
  const batches = await timeLaunches(session, await openTimer(session), [launch], PATIENCE.full);
  const timed = { ...batches, problem, cache: 'warm', inputs: inputsText(problem) } as const;
  const timestamp = batches.timer === 'timestamp-query' ? { timestamp: timingOf(timed) } : {};
  return { specKey: runnable.specKey, wall, ...timestamp, verification };
}
