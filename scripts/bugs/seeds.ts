/** Kernels of each algorithm with one bug each, seeded in the loop IR: all backends get the same bug. */
import { cuda } from '../../src/core/emit/cuda';
import { emit } from '../../src/core/emit/emit';
import type { Kernel } from '../../src/core/emit/kernel';
import { print, printExpr } from '../../src/core/emit/print';
import { wgsl } from '../../src/core/emit/wgsl';
import type { Statement } from '../../src/core/ir/ir';
import { plan } from '../../src/core/plan/planner';
import { resolve } from '../../src/core/spec/resolve';
import type { GemmSpec, Target } from '../../src/core/spec/schema';
import { KINDS } from './kinds';
import { everywhere } from './rewrite';

export interface Seed {
  readonly algorithm: string;
  readonly bug: string;
  /** Where it was made, as the CUDA text has it. */
  readonly place: string;
  readonly kernel: Kernel;
}

/** Sizes that no tile divides; alpha and beta so that both are read. */
const problem = { m: 41, n: 37, k: 29, alpha: 2, beta: -2 } as const;
const tiles = { block: { m: 32, n: 32, k: 8 }, thread: { m: 4, n: 4 } } as const;
const warps = { ...tiles, warp: { m: 16, n: 32 } } as const;
const even = { ...problem, m: 40, n: 36, k: 28 } as const;

export const SPECS: Readonly<Record<string, GemmSpec>> = {
  naive: { problem, schedule: { algorithm: 'naive' } },
  coalesced: { problem, schedule: { algorithm: 'coalesced', variant: 'remap' } },
  'shared-tile': { problem, schedule: { algorithm: 'shared-tile' } },
  'shared-tile, transposed': {
    problem,
    schedule: { algorithm: 'shared-tile', variant: 'transposed' },
  },
  'shared-tile, batch of 2': {
    problem: { ...problem, batch: 2 },
    schedule: { algorithm: 'shared-tile', variant: '1d' },
  },
  'thread-tile-1d': { problem, schedule: { algorithm: 'thread-tile-1d' } },
  'thread-tile-2d': { problem, schedule: { algorithm: 'thread-tile-2d', ...tiles } },
  layout: { problem, schedule: { algorithm: 'layout' } },
  vectorized: { problem: even, schedule: { algorithm: 'vectorized', ...tiles } },
  'warp-tile, XOR swizzle': {
    problem: even,
    schedule: { algorithm: 'warp-tile', ...warps, swizzle: 'xor' },
  },
  'pipelined, 3 stages': {
    problem: even,
    schedule: { algorithm: 'pipelined', ...warps, stages: 3 },
  },
  'pipelined, prefetch': {
    ...{ problem: even, device: 't4' },
    schedule: { algorithm: 'pipelined', ...warps },
  },
};

/** The kernel of a spec as it should be; null where the target cannot have it. */
export function soundKernel(spec: GemmSpec, target: Target): Kernel | null {
  const planned = plan(resolve(spec), target);
  return planned.ok ? emit(planned.plan) : null;
}

/** Every bug in every place of one algorithm's kernel. */
export function seedsOf(algorithm: string, target: Target): readonly Seed[] {
  const spec = SPECS[algorithm];
  const kernel = spec === undefined ? null : soundKernel(spec, target);
  if (kernel === null) return [];
  return KINDS.flatMap(({ name, change }) =>
    everywhere(kernel.ir.body, change).map(({ changed, body }) => {
      const ir = { ...kernel.ir, body };
      const source = print(ir, kernel.plan, target === 'cuda' ? cuda : wgsl);
      return {
        ...{ algorithm, bug: name, place: placeOf(changed) },
        kernel: { ...kernel, ir, source },
      };
    }),
  );
}

function placeOf(statement: Statement): string {
  switch (statement.op) {
    case 'if':
      return statement.condition
        .map(
          ({ left, right, orEqual }) =>
            `${printExpr(left, cuda)} ${orEqual ? '<=' : '<'} ${printExpr(right, cuda)}`,
        )
        .join(' && ');
    case 'for':
      return `loop over ${statement.index}`;
    case 'registers':
      return statement.name;
    case 'assign': {
      const { place, value } = statement;
      const source = value.op === 'guarded' ? value.value : value;
      const sites = [place, source].flatMap(of => ('site' in of ? [of.site.name] : []));
      return [...new Set(sites)].join(', ');
    }
    case 'fma':
      return 'multiply-add';
    default:
      return '';
  }
}
