/** Kernels for the tests of the cpu backend, and the runs that they get. */
import assert from 'node:assert/strict';
import { emit } from '../../../src/core/kernel/emit';
import type { Kernel, Runnable } from '../../../src/core/kernel/kernel';
import type { Measurement } from '../../../src/core/measure/measurement';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { runOnCpu, type ManyOptions } from '../../../src/host/cpu/backend';
import { CONTEXT } from '../../helpers/context';
import { present } from '../support';

/** Whether this machine can run the cpu backend; tests that need it skip by name otherwise. */
export const hasCxx = process.platform === 'linux' && present('g++', 'clang++') !== undefined;

export function cudaKernel(spec: GemmSpec): Kernel {
  const planned = plan(resolve(spec), 'cuda');
  assert.ok(planned.ok, JSON.stringify(planned));
  return emit(planned.plan);
}

/** The kernel with another text, as somebody edited it; the old text must be there. */
export function edited(kernel: Runnable, from: string | RegExp, to: string): Runnable {
  const source = kernel.source.replace(from, to);
  assert.notEqual(source, kernel.source, `${String(from)} is not in the kernel`);
  return { ...kernel, source };
}

export const lineOf = (kernel: Runnable, text: string): number =>
  kernel.source.split('\n').findIndex(line => line.includes(text)) + 1;

export const runAll = (
  runnables: readonly Runnable[],
  options: Partial<ManyOptions> = {},
): Promise<readonly Measurement[]> =>
  runOnCpu(runnables, { where: 'test', seed: 3, context: CONTEXT, ...options });

export async function runOne(
  runnable: Runnable,
  options: Partial<ManyOptions> = {},
): Promise<Measurement> {
  const [measurement] = await runAll([runnable], options);
  assert.ok(measurement);
  return measurement;
}
