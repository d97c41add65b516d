/** CUDA kernels that tests of the memory hierarchy look at. */
import assert from 'node:assert/strict';
import { deviceOf } from '../../src/core/hardware/devices';
import { emit } from '../../src/core/kernel/emit';
import type { Kernel } from '../../src/core/kernel/kernel';
import { plan } from '../../src/core/plan/planner';
import { resolve } from '../../src/core/defaults/resolve';
import type { GemmSpec } from '../../src/core/spec/schema';

export const kernelOf = (spec: GemmSpec): Kernel | null => {
  const planned = plan(resolve(spec), 'cuda');
  return planned.ok ? emit(planned.plan) : null;
};
export const legal = (spec: GemmSpec): Kernel => {
  const kernel = kernelOf(spec);
  assert.ok(kernel !== null);
  return kernel;
};
export const cube = (size: number) => ({ m: size, n: size, k: size });
export const H200 = deviceOf('h200');
export const tiled = () =>
  legal({
    problem: cube(1024),
    schedule: {
      algorithm: 'thread-tile-2d',
      block: { m: 128, n: 128, k: 8 },
      thread: { m: 8, n: 8 },
    },
  });
export const warped = (extra = {}) =>
  legal({
    problem: cube(1024),
    schedule: {
      algorithm: 'warp-tile',
      block: { m: 128, n: 128, k: 16 },
      warp: { m: 32, n: 64 },
      thread: { m: 8, n: 8 },
      vector: 4,
      ...extra,
    },
  });
