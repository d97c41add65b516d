/**
 * Seeds bugs into kernels of every algorithm, one bug per seed. All bugs without `textOnly` are in
 * the loop IR, so that all backends get the same bug.
 */
import { cuda } from '../../src/core/kernel/print/cuda';
import { emit } from '../../src/core/kernel/emit';
import {
  isLowered,
  launchesOf,
  type KernelLaunch,
  type LoweredKernel,
} from '../../src/core/kernel/kernel';
import { printOptionsOf } from '../../src/core/kernel/print/planOptions';
import { print } from '../../src/core/kernel/print/print';
import { printExpr } from '../../src/core/kernel/print/printExpr';
import { wgslOf } from '../../src/core/kernel/print/wgsl';
import type { KernelIr, Statement } from '../../src/core/kernel/ir/ir';
import { plan } from '../../src/core/plan/planner';
import { resolve } from '../../src/core/defaults/resolve';
import type { GemmSpec, Target } from '../../src/core/spec/schema';
import { KINDS, type Kind } from './kinds';
import { roundingKinds, truncating } from './rounding';
import { everywhere } from './rewrite';

export interface Seed {
  readonly algorithm: string;
  readonly bug: string;
  /** Position of the bug, as CUDA source. */
  readonly place: string;
  readonly kernel: LoweredKernel;
  /** Set if the bug is only in the source, where interpreters of the IR cannot detect it. */
  readonly textOnly?: true;
}

/** Problem with sizes that no tile divides, and with alpha and beta whose effect is observable. */
const problem = { m: 41, n: 37, k: 29, alpha: 2, beta: -2 } as const;
const tiles = { block: { m: 32, n: 32, k: 8 }, thread: { m: 4, n: 4 } } as const;
const warps = { ...tiles, warp: { m: 16, n: 32 } } as const;
const even = { ...problem, m: 40, n: 36, k: 28 } as const;

interface Case {
  readonly spec: GemmSpec;
  /** Names of the bugs to seed; all bugs if undefined. */
  readonly only?: RegExp;
  readonly lower?: GemmSpec;
}

const of = (spec: GemmSpec): Case => ({ spec });
/** Returns a case whose K is a multiple of BK, so that the main loop reaches the last row of B. */
const whole = (schedule: NonNullable<GemmSpec['schedule']>, k = 32): Case => ({
  spec: { problem: { ...even, k }, schedule },
  only: /guard|clamp/,
});
const split = (
  reduction: 'atomic' | 'two-pass',
  schedule: NonNullable<GemmSpec['schedule']>,
): Case => ({
  spec: { problem, schedule: { ...schedule, splitK: 2, splitKReduction: reduction } },
  only: /slice|accumulator rounded|accumulated in|kernel|atomic|guard omitted|wrong stride|beta|alpha|K/,
});
/**
 * Returns a case with 16-bit elements and FP32 accumulators. For f16, the case includes the spec
 * with FP16 accumulators.
 */
const narrow = (dtype: 'f16' | 'bf16', schedule: NonNullable<GemmSpec['schedule']>): Case => {
  const typed = (accumulator: 'f32' | 'f16'): GemmSpec => ({
    problem: { ...even, a: { dtype }, accumulator },
    schedule,
  });
  return {
    spec: typed('f32'),
    only: /round|lower/,
    ...(dtype === 'f16' ? { lower: typed('f16') } : {}),
  };
};

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
  'shared-tile, split-K in two passes': split('two-pass', { algorithm: 'shared-tile' }),
  'thread-tile-2d, split-K in two passes': split('two-pass', {
    algorithm: 'thread-tile-2d',
    ...tiles,
  }),
  'vectorized, split-K, atomic': split('atomic', { algorithm: 'vectorized', ...tiles }),
  'vectorized, padded batch of 3': {
    spec: {
      problem: {
        ...even,
        batch: 3,
        a: { batchStride: 1204 },
        b: { batchStride: 1100 },
        c: { batchStride: 1444 },
      },
      schedule: { algorithm: 'vectorized', ...tiles },
    },
    only: /batch/,
  },
  'naive, f16': narrow('f16', { algorithm: 'naive' }),
  'vectorized, f16': narrow('f16', { algorithm: 'vectorized', ...tiles }),
  'pipelined, bf16': narrow('bf16', { algorithm: 'pipelined', ...warps }),
  'thread-tile-2d, f32 with f64 accumulators': {
    spec: {
      problem: { ...even, accumulator: 'f64', c: { dtype: 'f32' } },
      schedule: { algorithm: 'thread-tile-2d', ...tiles },
    },
    only: /round|lower/,
    lower: {
      problem: even,
      schedule: { algorithm: 'thread-tile-2d', ...tiles },
    },
  },
  'pipelined, prefetch': of({
    problem: even,
    device: 't4',
    schedule: { algorithm: 'pipelined', ...warps },
  }),
};

/**
 * Returns the correct kernel of a spec; null if the spec is illegal for the target or the kernel
 * has no loop IR.
 */
export function soundKernel(spec: GemmSpec, target: Target): LoweredKernel | null {
  const planned = plan(resolve(spec), target);
  const kernel = planned.ok ? emit(planned.plan) : null;
  return kernel !== null && isLowered(kernel) ? kernel : null;
}

export function seedsOf(algorithm: string, target: Target): readonly Seed[] {
  const given = CASES[algorithm];
  const kernel = given === undefined ? null : soundKernel(given.spec, target);
  if (given === undefined || kernel === null) return [];
  const { only = /./, lower } = given;
  const kinds = [...KINDS, ...roundingKinds(kernel)].filter(({ name }) => only.test(name));
  return [
    ...launchesOf<KernelLaunch>(kernel).flatMap(launch =>
      kinds.flatMap(kind => inLaunch(kernel, launch, kind)),
    ),
    ...withoutLaunches(kernel),
    ...(lower === undefined ? [] : summedLower(kernel, lower)),
    ...truncated(kernel, only),
  ].map(seed => ({ algorithm, ...seed }));
}

type Unnamed = Omit<Seed, 'algorithm'>;

const inLaunch = (
  kernel: LoweredKernel,
  launch: KernelLaunch,
  { name, change }: Kind,
): readonly Unnamed[] =>
  everywhere(launch.ir.body, change).map(({ changed, body }) => ({
    bug: name,
    place: placeOf(changed),
    kernel: withIr(kernel, launch, { ...launch.ir, body }),
  }));

function withIr(kernel: LoweredKernel, launch: KernelLaunch, ir: KernelIr): LoweredKernel {
  const swapped = <L extends KernelLaunch>(of: L): L => (of.ir === launch.ir ? { ...of, ir } : of);
  const { before, after } = kernel;
  const changed: LoweredKernel = {
    ...swapped(kernel),
    ...(before === undefined ? {} : { before: before.map(swapped) }),
    ...(after === undefined ? {} : { after: after.map(swapped) }),
  };
  const all = [
    changed.ir,
    ...[...(changed.before ?? []), ...(changed.after ?? [])].map(of => of.ir),
  ];
  const text = (of: KernelIr): string =>
    print(of, printOptionsOf(kernel.plan), kernel.target === 'cuda' ? cuda : wgslOf(of));
  return { ...changed, source: all.map(text).join('\n') };
}

/** Returns one bug per pre-pass or post-pass on C. The seeded kernel omits all of them. */
function withoutLaunches(kernel: LoweredKernel): readonly Unnamed[] {
  const { before, after, ...alone } = kernel;
  return [...(before ?? []), ...(after ?? [])].map(({ entry }) => ({
    bug: 'kernel omitted',
    place: entry,
    kernel: alone,
  }));
}

/**
 * Returns the kernel with a lower-precision accumulator for the same problem; empty if the target
 * does not support it.
 */
function summedLower(kernel: LoweredKernel, spec: GemmSpec): readonly Unnamed[] {
  const lower = soundKernel(spec, kernel.target);
  if (lower === null) return [];
  const bug = 'accumulated in lower precision';
  const place = `${lower.plan.accumulator} for ${kernel.plan.accumulator}`;
  return [{ bug, place, kernel: { ...lower, problem: kernel.problem } }];
}

/**
 * Returns the bug of rounding toward zero. It changes only the CUDA source, because the IR has no
 * other rounding mode.
 */
function truncated(kernel: LoweredKernel, only: RegExp): readonly Unnamed[] {
  const bug = 'rounded toward zero';
  const source = kernel.target === 'cuda' && only.test(bug) ? truncating(kernel.source) : null;
  return source === null
    ? []
    : [{ bug, place: 'C store', kernel: { ...kernel, source }, textOnly: true as const }];
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
    case 'let':
    case 'registers':
      return statement.name;
    case 'assign': {
      const { place, value } = statement;
      const source =
        value.op === 'guarded' ? value.value : value.op === 'add' ? value.right : value;
      const sites = [place, source].flatMap(of => ('site' in of ? [of.site.name] : []));
      return [...new Set(sites)].join(', ');
    }
    case 'fma':
      return 'FMA';
    default:
      return '';
  }
}
