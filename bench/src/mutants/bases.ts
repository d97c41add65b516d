/** Unmodified kernels from which the mutants are derived. */
import { emit } from '../../../src/core/kernel/emit';
import type { Kernel } from '../../../src/core/kernel/kernel';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec } from '../../../src/core/spec/schema';
import type { Base } from '../../../scripts/mutants/judge';

const odd = { m: 1000, n: 1000, k: 1004, alpha: 2, beta: -1 } as const;
const tiles = { block: { m: 128, n: 128, k: 8 }, thread: { m: 8, n: 8 }, vector: 4 } as const;

const SPECS = {
  /** Kernel with partial tiles along M and N, a K remainder, and padding between the rows of C. */
  shared: { problem: { ...odd, c: { ld: 1024 } }, schedule: { algorithm: 'shared-tile' } },
  vectorized: {
    problem: { m: 1024, n: 1024, k: 1024 },
    schedule: { algorithm: 'vectorized', ...tiles },
  },
  pipelined: {
    problem: odd,
    schedule: {
      algorithm: 'pipelined',
      ...tiles,
      block: { m: 128, n: 128, k: 16 },
      warp: { m: 64, n: 32 },
      stages: 3,
      padding: { a: 4 },
    },
  },
} as const satisfies Record<Base, GemmSpec>;

export const BASES = Object.keys(SPECS) as readonly Base[];

export function baseKernel(base: Base): Kernel {
  const planned = plan(resolve({ ...SPECS[base], targets: ['cuda'] }), 'cuda');
  if (!planned.ok) throw new Error(`${base}: ${planned.violations[0]?.message ?? 'illegal'}`);
  return emit(planned.plan);
}
