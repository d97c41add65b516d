/** Compiles the WGSL source of a kernel, and records its dispatches. */
import type { Dim3 } from '../core/plan/plan';
import { checked, waitForGpu, waitForSetup, type Session } from './session';
import { Stop, clip, wordsOf } from './stop';

export interface Dispatch {
  readonly pipeline: GPUComputePipeline;
  readonly bindGroup: GPUBindGroup;
  readonly grid: Dim3;
}

/** Dispatches that compute C or a sub-problem of it, in order. */
export type Launch = readonly Dispatch[];

/**
 * Launches that together compute C. A launch that would take too long is split into several
 * launches with separate submits.
 */
export type Work = readonly Launch[];

export async function compile(
  session: Session,
  source: string,
  entryPoint: string,
): Promise<GPUComputePipeline> {
  const { device } = session;
  // The error scope also prevents the browser from logging the errors.
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code: source });
  const popped = device.popErrorScope();
  const what = 'Compiling the kernel';
  const info = await waitForSetup(session, module.getCompilationInfo(), what);
  const errors = info.messages.filter(({ type }) => type === 'error');
  const scoped = await waitForSetup(session, popped, what);
  if (errors.length > 0) throw new Stop('compile-error', clip(errors.map(located).join('\n')));
  if (scoped !== null) throw new Stop('compile-error', clip(scoped.message));

  const creation = device.createComputePipelineAsync({
    layout: 'auto',
    compute: { module, entryPoint },
  });
  try {
    return await waitForSetup(session, creation, what);
  } catch (error) {
    if (error instanceof Stop) throw error;
    throw new Stop('compile-error', `${entryPoint}: ${clip(wordsOf(error))}`);
  }
}

const located = ({ lineNum, linePos, message }: GPUCompilationMessage): string =>
  `${lineNum}:${linePos} ${message}`;

/**
 * Records the launch `launches` times. Its repetitions do not overlap, because they write the same
 * buffers.
 */
export function record(pass: GPUComputePassEncoder, launch: Launch, launches: number): void {
  for (let i = 0; i < launches; i++) {
    for (const { pipeline, bindGroup, grid } of launch) {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, bindGroup);
      pass.dispatchWorkgroups(grid.x, grid.y, grid.z);
    }
  }
}

/** Submits each launch separately. Returns the total time in milliseconds, measured by the host. */
export async function runWork(session: Session, work: Work): Promise<number> {
  const { device, env } = session;
  const begin = env.now();
  for (const launch of work) {
    await checked(session, 'Launching the kernel', () => {
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      record(pass, launch, 1);
      pass.end();
      device.queue.submit([encoder.finish()]);
    });
    await waitForGpu(session, device.queue.onSubmittedWorkDone(), 'The kernel');
  }
  return env.now() - begin;
}
