/** Generates random tensor-core specs. */
import { emit } from '../../../src/core/kernel/emit';
import type { Kernel } from '../../../src/core/kernel/kernel';
import { plan } from '../../../src/core/plan/planner';
import { SPLITS as SPLIT_PIECES } from '../../../src/core/plan/fp32Emulation';
import { DTYPE_BYTES, type DType } from '../../../src/core/types/dtype';
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec, Layout, Schedule } from '../../../src/core/spec/schema';
import { choicesOf, type Choices } from '../../../scripts/grid/choices';
import { FRAGMENT_SEEDS, specOf } from '../../../scripts/grid/specs';

const TYPES = ['bf16', 'bf16', 'f16', 'f16', 'tf32', 'e4m3', 'e5m2', 'f32'] as const;
const SPLITS = ['tf32x3', 'bf16x3', 'bf16x6', 'bf16x9'] as const;
const SIDES = [
  1, 8, 63, 64, 65, 100, 127, 128, 200, 255, 256, 257, 384, 500, 777, 1000, 1024, 1537,
];
const DEPTHS = [1, 7, 8, 31, 32, 64, 65, 100, 128, 255, 256, 500, 1000, 1024, 2049, 4096];
const BLOCK_M = [64, 64, 128, 128, 128, 192, 256, 384];
const BLOCK_N = [8, 24, 64, 96, 128, 128, 160, 192, 192, 224, 256];
const CLUSTERS = [
  { m: 2, n: 1 },
  { m: 1, n: 2 },
  { m: 2, n: 2 },
  { m: 4, n: 1 },
];

const elementOf = ({
  dtype,
  split,
}: {
  readonly dtype: DType;
  readonly split?: (typeof SPLITS)[number] | undefined;
}): DType => (split === undefined ? dtype : SPLIT_PIECES[split].dtype);

type EpilogueOps = NonNullable<GemmSpec['problem']['epilogue']>;
const BIAS = { op: 'bias', along: 'n' } as const;
const SCALE = { op: 'scale' } as const;
const EPILOGUES: readonly ((residual: EpilogueOps[number]) => EpilogueOps)[] = [
  residual => [residual],
  residual => [SCALE, residual],
  residual => [BIAS, residual, { op: 'silu' }],
  residual => [residual, BIAS],
  () => [BIAS, { op: 'gelu' }],
];

/** Returns the spec of a seed, the same on every machine. The spec may be illegal. */
function wgmmaSpec(seed: number): GemmSpec {
  const from = choicesOf(seed);
  const { pick, maybe } = from;
  const dtype = pick(TYPES);
  const split = dtype === 'f32' ? pick(SPLITS) : undefined;
  const bytes = DTYPE_BYTES[elementOf({ dtype, split })];
  const layouts = { a: pick(['row', 'col'] as const), b: pick(['row', 'col'] as const) };
  const [m, n, k] = [pick(SIDES), pick(SIDES), pick(DEPTHS)];
  const ld = (layout: Layout, rows: number, columns: number) =>
    maybe(50, () => {
      const least = layout === 'row' ? columns : rows;
      const unit = 16 / bytes;
      // Choose leading dimensions with and without TMA alignment.
      return { ld: pick([Math.ceil(least / unit) * unit, least + unit, least + 1]) };
    });
  const c =
    dtype === 'bf16' || dtype === 'f16'
      ? pick([dtype, 'f32'] as const)
      : pick(['f32', 'bf16'] as const);
  const layout = pick(['row', 'row', 'row', 'col'] as const);
  const across = layout === 'row' ? n : m;
  const order = maybe(30, () => ({ operandOrder: pick(['ab', 'ba', 'ba'] as const) }));
  const { operandOrder = layout === 'col' ? 'ba' : 'ab' } = order;
  const rows = operandOrder === 'ab' ? 'm' : 'n';
  return {
    problem: {
      m,
      n,
      k,
      ...maybe(25, () => ({ batch: pick([2, 3]) })),
      ...maybe(25, () => ({ alpha: pick([0.5, 2, -1]) })),
      ...maybe(25, () => ({ beta: pick([1, -0.5]) })),
      a: { dtype, layout: layouts.a, ...ld(layouts.a, m, k) },
      b: { dtype, layout: layouts.b, ...ld(layouts.b, k, n) },
      c: { dtype: c, layout, ...maybe(30, () => ({ ld: across + pick([1, 8]) })) },
      ...maybe(40, () => ({ epilogue: pick(EPILOGUES)({ op: 'residual', layout }) })),
    },
    schedule: {
      algorithm: 'wgmma',
      ...order,
      ...tiles(from, bytes, rows),
      ...(split === undefined ? {} : { split }),
    },
    targets: ['cuda'],
    device: 'h200',
  };
}

/** Draws tiles and launch options; one in eight schedules keeps their defaults. */
const tiles = ({ pick, maybe }: Choices, bytes: number, rows: 'm' | 'n'): Schedule =>
  pick([1, 2, 3, 4, 5, 6, 7, 8]) === 1
    ? {}
    : {
        block: {
          ...(rows === 'm'
            ? { m: pick(BLOCK_M), n: pick(BLOCK_N) }
            : { n: pick(BLOCK_M), m: pick(BLOCK_N) }),
          k: pick([128, 128, 128, 64]) / bytes,
        },
        ...maybe(60, () => ({
          kernelSchedule: pick([
            'cooperative',
            'cooperative',
            'pingpong',
            'pingpong',
            'tma',
          ] as const),
        })),
        ...maybe(60, () => ({ consumers: pick([1, 2, 2, 3]) })),
        ...maybe(50, () => ({ stages: pick([2, 3, 4, 5, 6]) })),
        ...maybe(50, () => ({ cluster: pick(CLUSTERS) })),
        ...maybe(25, () => ({
          splitK: pick([2, 3, 4, 6, 8]),
          ...maybe(50, () => ({ splitKReduction: 'two-pass' as const })),
        })),
        ...maybe(40, () => ({ launch: pick(['programmatic', 'prefetch', 'prefetch'] as const) })),
        ...maybe(40, () => ({
          raster: { order: pick(['row', 'row', 'col'] as const), group: pick([1, 2, 3, 8, 16]) },
        })),
      };

/**
 * Returns a random `mma` spec for the H200. Every third seed has one-byte elements, whose
 * instruction has twice the K extent; every sixth seed uses FP32 emulation.
 */
function mmaSpec(seed: number): GemmSpec {
  const spec: GemmSpec = { ...specOf(FRAGMENT_SEEDS + seed), device: 'h200' };
  const { k = 1 } = spec.schedule?.block ?? {};
  if (seed % 3 === 0)
    return retyped(spec, BYTES[(seed / 3) % BYTES.length] ?? 's8', { k: 32 * Math.ceil(k / 16) });
  if (seed % 6 !== 1) return spec;
  const split = SPLITS[((seed - 1) / 6) % SPLITS.length];
  return retyped(spec, 'f32', { k: 16 * Math.ceil(k / 16), split });
}
const BYTES = ['s8', 'e4m3', 'e5m2'] as const;

/**
 * Changes the element type of a spec and removes its accumulator type, instruction and leading
 * dimensions.
 */
function retyped(
  { problem, schedule, ...spec }: GemmSpec,
  dtype: DType,
  { k, split }: { readonly k: number; readonly split?: Schedule['split'] },
): GemmSpec {
  const { a, b, c } = problem;
  const { m, n } = schedule?.block ?? {};
  const own = ({ layout }: { readonly layout?: Layout | undefined } = {}) =>
    layout === undefined ? {} : { layout };
  const vector = dtype === 'f32' ? undefined : schedule?.vector;
  return JSON.parse(
    JSON.stringify({
      ...spec,
      problem: {
        ...problem,
        accumulator: undefined,
        a: { ...own(a), dtype },
        b: { ...own(b), dtype },
        c: own(c),
      },
      schedule: { ...schedule, mma: undefined, vector, block: { m, n, k }, split },
    }),
  ) as GemmSpec;
}

export const RANDOM = { wgmma: wgmmaSpec, mma: mmaSpec } as const;

export interface SeededKernel {
  readonly seed: number;
  readonly kernel: Kernel;
}

const MOST_ILLEGAL = 2000;

/** Yields the kernels of legal specs, of problems that are wanted. */
export function* legalKernels(
  first: number,
  specOf: (seed: number) => GemmSpec = wgmmaSpec,
  isWanted: (problem: GemmSpec['problem']) => boolean = () => true,
): Generator<SeededKernel> {
  for (let seed = first, illegal = 0; illegal < MOST_ILLEGAL; seed++) {
    const spec = specOf(seed);
    if (!isWanted(spec.problem)) continue;
    const planned = plan(resolve(spec), 'cuda');
    illegal = planned.ok ? 0 : illegal + 1;
    if (planned.ok) yield { seed, kernel: emit(planned.plan) };
  }
}
