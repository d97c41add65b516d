/** Kernels of each algorithm with one bug each, seeded in the loop IR: all backends get the same bug. */
import { cuda } from '../../src/core/emit/cuda';
import { emit } from '../../src/core/emit/emit';
import type { Kernel } from '../../src/core/emit/kernel';
import { print } from '../../src/core/emit/print';
import { printExpr } from '../../src/core/emit/printExpr';
import { wgslOf } from '../../src/core/emit/wgsl';
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

interface Case {
  readonly spec: GemmSpec;
  /** Only the bugs at edges: the others are those of the same algorithm at other sizes. */
  readonly edges?: true;
}

const of = (spec: GemmSpec): Case => ({ spec });
/** K in whole tiles, so that the main loop meets the last row of B. */
const whole = (schedule: NonNullable<GemmSpec['schedule']>, k = 32): Case => ({
  spec: { problem: { ...even, k }, schedule },
  edges: true,
});
const EDGES = /guard|clamp/;

export const CASES: Readonly<Record<string, Case>> = {
  naive: of({ problem, schedule: { algorithm: 'naive' } }),
  coalesced: of({ problem, schedule: { algorithm: 'coalesced', variant: 'remap' } }),
  'shared-tile': of({ problem, schedule: { algorithm: 'shared-tile' } }),
  'shared-tile, whole K': whole({ algorithm: 'shared-tile' }),
  'shared-tile, transposed': of({
    problem,
    schedule: { algorithm: 'shared-tile', variant: 'transposed' },
  }),
  'shared-tile, batch of 2': of({
    problem: { ...problem, batch: 2 },
    schedule: { algorithm: 'shared-tile', variant: '1d' },
  }),
  'thread-tile-1d': of({ problem, schedule: { algorithm: 'thread-tile-1d' } }),
  'thread-tile-1d, whole K': whole({ algorithm: 'thread-tile-1d' }),
  'thread-tile-2d': of({ problem, schedule: { algorithm: 'thread-tile-2d', ...tiles } }),
  'thread-tile-2d, whole K': whole({ algorithm: 'thread-tile-2d', ...tiles }),
  layout: of({ problem, schedule: { algorithm: 'layout' } }),
  'layout, whole K': whole({ algorithm: 'layout' }),
  vectorized: of({ problem: even, schedule: { algorithm: 'vectorized', ...tiles } }),
  'vectorized, whole K': whole({ algorithm: 'vectorized', ...tiles }),
  'warp-tile, XOR swizzle': of({
    problem: even,
    schedule: { algorithm: 'warp-tile', ...warps, swizzle: 'xor' },
  }),
  'warp-tile, whole K': whole({ algorithm: 'warp-tile', ...warps }),
  'pipelined, 3 stages': of({
    problem: even,
    schedule: { algorithm: 'pipelined', ...warps, stages: 3 },
  }),
  'pipelined, fewer tiles than stages': whole({ algorithm: 'pipelined', ...warps, stages: 3 }, 8),
  'pipelined, prefetch': of({
    ...{ problem: even, device: 't4' },
    schedule: { algorithm: 'pipelined', ...warps },
  }),
};

/** The kernel of a spec as it should be; null where the target cannot have it. */
export function soundKernel(spec: GemmSpec, target: Target): Kernel | null {
  const planned = plan(resolve(spec), target);
  return planned.ok ? emit(planned.plan) : null;
}

/** Every bug in every place of one algorithm's kernel. */
export function seedsOf(algorithm: string, target: Target): readonly Seed[] {
  const given = CASES[algorithm];
  const kernel = given === undefined ? null : soundKernel(given.spec, target);
  if (kernel === null) return [];
  const kinds = given?.edges === true ? KINDS.filter(({ name }) => EDGES.test(name)) : KINDS;
  return kinds.flatMap(({ name, change }) =>
    everywhere(kernel.ir.body, change).map(({ changed, body }) => {
      const ir = { ...kernel.ir, body };
      const source = print(ir, kernel.plan, target === 'cuda' ? cuda : wgslOf(ir));
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
