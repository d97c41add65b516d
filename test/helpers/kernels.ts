/** Kernels of specs that must be legal. */
import assert from 'node:assert/strict';
import { emit } from '../../src/core/kernel/emit';
import { isLowered, type Kernel, type LoweredKernel } from '../../src/core/kernel/kernel';
import { plan } from '../../src/core/plan/planner';
import { resolve } from '../../src/core/defaults/resolve';
import type { GemmSpec, Target } from '../../src/core/spec/schema';

/** A spec that names nothing but its size. */
export const cubeSpec = (size: number): GemmSpec => ({ problem: { m: size, n: size, k: size } });

export function kernelFor(spec: GemmSpec, target: Target = 'cuda'): LoweredKernel {
  const planned = plan(resolve(spec), target);
  assert.ok(planned.ok, JSON.stringify(planned));
  return loweredOf(emit(planned.plan));
}

/** A kernel whose text prints a loop IR. */
export function loweredOf(kernel: Kernel): LoweredKernel {
  assert.ok(isLowered(kernel), `${kernel.entry} has no loop IR`);
  return kernel;
}
