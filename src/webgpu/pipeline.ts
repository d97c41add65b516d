/** Compiles a kernel's WGSL; compiler messages include line and column. */
import type { Dim3 } from '../core/plan/plan';
import { checked, waitForGpu, waitForSetup, type Session } from './session';
import { Stop, clip, wordsOf } from './stop';

export interface Dispatch {
  readonly pipeline: GPUComputePipeline;
  readonly bindGroup: GPUBindGroup;
  readonly grid: Dim3;
}

/** Repeatable unit: one or more dispatches, in order. */
export type Launch = readonly Dispatch[];

/**
 * Work that computes C: one launch, or several in separate submits, because one would take too
 * long.
 */
export type Work = readonly Launch[];

export async function compile(
  session: Session,
  source: string,
  entryPoint: string,
): Promise<GPUComputePipeline> {
  const { device } = session;
  // The messages are read from the module; the scope only keeps them out of the console.
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
 * Records the launch `launches` times. Repetitions are serialized, because each writes the same
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

/** Submits each launch separately; returns the time seen by the host in milliseconds. */
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
