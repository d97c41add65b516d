/** Specs of `wgmma`, each with something that the others lack; and as they may be drawn. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { emit } from '../../src/core/kernel/emit';
import { isLowered, type DeclaredKernel } from '../../src/core/kernel/kernel';
import { swapMN } from '../../src/core/plan/swapAB';
import { plan } from '../../src/core/plan/planner';
import { resolve } from '../../src/core/defaults/resolve';
import type { GemmSpec, Schedule } from '../../src/core/spec/schema';

type Problem = GemmSpec['problem'];

export const warpGroups = (problem: Problem, schedule: Schedule = {}): GemmSpec => ({
  problem,
  schedule: { algorithm: 'wgmma', ...schedule },
});

/** A kernel whose main loop is written by hand. */
export function declaredFor(spec: GemmSpec): DeclaredKernel {
  const planned = plan(resolve(spec), 'cuda');
  assert.ok(planned.ok, JSON.stringify(planned));
  const kernel = emit(planned.plan);
  assert.ok(!isLowered(kernel));
  return kernel;
}

/** `mma` with tiles that TMA loads. */
export const tmaMma = (problem: Problem, schedule: Schedule = {}): GemmSpec => ({
  problem,
  schedule: { algorithm: 'mma', kernelSchedule: 'tma', ...schedule },
});

const size = (m: number, n = m, k = m) => ({ m, n, k });
const bf16 = { a: { dtype: 'bf16' } } as const;
/** K is contiguous in both. */
const TN = { ...bf16, b: { layout: 'col' } } as const;

export const WARP_GROUP_SPECS = {
  narrowSlices: warpGroups(
    { m: 7, n: 456, k: 1000, ...bf16 },
    {
      block: { m: 8, n: 128 },
      consumers: 1,
      kernelSchedule: 'cooperative',
      operandOrder: 'ba',
      splitK: 4,
    },
  ),
  TN: warpGroups({ ...size(8192), ...TN }),
  NN: warpGroups({ ...size(8192), ...bf16 }, { cluster: { m: 2, n: 1 } }),
  small: warpGroups({ ...size(2048), ...TN }),
  cooperative: warpGroups(
    { ...size(16_384), ...TN },
    { block: { m: 256, n: 192 }, cluster: { m: 1, n: 2 } },
  ),
  sums: warpGroups(
    {
      m: 1000,
      n: 1016,
      k: 1001,
      alpha: 2,
      beta: 0.5,
      a: { dtype: 'f16', layout: 'col' },
      b: { layout: 'row' },
      c: { dtype: 'f32' },
    },
    { block: { m: 192, n: 96 } },
  ),
  batch: warpGroups(
    { ...size(1024, 1056, 512), batch: 3, ...TN },
    { block: { m: 64, n: 160, k: 32 } },
  ),
  tf32: warpGroups({ ...size(4096), a: { dtype: 'tf32' }, b: { layout: 'col' } }),
  pieces: warpGroups({ ...size(4096), b: { layout: 'col' } }, { split: 'bf16x6' }),
  parts: warpGroups(
    { ...size(128, 4096, 14_336), ...TN },
    { block: { m: 128, n: 64 }, splitK: 2, kernelSchedule: 'cooperative', launch: 'programmatic' },
  ),
  'two passes': warpGroups(
    { ...size(440, 168, 13_784), ...TN },
    {
      block: { m: 64, n: 64 },
      cluster: { m: 2, n: 4 },
      splitK: 8,
      splitKReduction: 'two-pass',
      kernelSchedule: 'cooperative',
      launch: 'programmatic',
    },
  ),
  // Copies of A and B before the partial results, rows of C as columns of the computed GEMM.
  'two passes, odd': warpGroups(
    { ...size(129, 77, 1001), a: { dtype: 'f16' }, batch: 2, alpha: 2, beta: 0.5 },
    {
      operandOrder: 'ba',
      block: { m: 32, n: 64 },
      splitK: 3,
      splitKReduction: 'two-pass',
      kernelSchedule: 'cooperative',
    },
  ),
  // Boxes of C that do not divide the tile, wide and narrow ones.
  overlapping: warpGroups(
    { ...size(4096), ...TN },
    { block: { m: 128, n: 112 }, cluster: { m: 2, n: 1 }, launch: 'programmatic' },
  ),
  narrow: warpGroups({ ...size(1024, 1000, 512), ...TN }, { block: { m: 64, n: 48 } }),
  'pieces in turns': warpGroups(
    { ...size(2048), b: { layout: 'col' } },
    { block: { m: 64, n: 64 }, split: 'bf16x3', kernelSchedule: 'pingpong' },
  ),
  'tf32 NN': warpGroups({ ...size(4096), a: { dtype: 'tf32' } }),
  'e4m3 NT': warpGroups({
    ...size(1000, 1016, 1001),
    batch: 2,
    a: { dtype: 'e4m3', layout: 'col' },
    b: { layout: 'row' },
    c: { dtype: 'bf16' },
  }),
  'odd rows': warpGroups(
    { ...size(1001, 515, 97), a: { dtype: 'f16' } },
    { block: { m: 64, n: 64 }, launch: 'programmatic' },
  ),
  columns: warpGroups({ ...size(2048), ...bf16, c: { layout: 'col' } }),
  'few rows': warpGroups(
    { ...size(16, 4096, 14_336), ...TN },
    { operandOrder: 'ba', block: { m: 16, n: 64 } },
  ),
  'prefetched weights': warpGroups(
    { ...size(16, 8192, 3584), ...TN },
    {
      operandOrder: 'ba',
      block: { m: 16, n: 128 },
      kernelSchedule: 'cooperative',
      consumers: 1,
      launch: 'prefetch',
    },
  ),
  // Panels of an N-major B, slices of K in a cluster whose blocks share tiles of A.
  'prefetched slices': warpGroups(
    { ...size(16, 7168, 5120), a: { dtype: 'bf16' } },
    {
      operandOrder: 'ba',
      block: { m: 16, n: 128 },
      kernelSchedule: 'cooperative',
      consumers: 2,
      cluster: { m: 1, n: 2 },
      splitK: 4,
      launch: 'prefetch',
    },
  ),
  // Boxes of a column-major C, which TMA or the warps of a warp group store.
  'transposed boxes': warpGroups(
    { ...size(4096), ...bf16 },
    {
      operandOrder: 'ba',
      block: { m: 160, n: 256 },
      kernelSchedule: 'cooperative',
      consumers: 2,
      cluster: { m: 2, n: 1 },
      launch: 'programmatic',
    },
  ),
  'odd columns': warpGroups(
    { ...size(515, 1001, 97), a: { dtype: 'f16' } },
    { operandOrder: 'ba', block: { m: 72, n: 128 }, launch: 'programmatic' },
  ),
  'one warp group': warpGroups(
    { ...size(4096), ...TN },
    { kernelSchedule: 'tma', block: { m: 128, n: 128 }, stages: 4 },
  ),
  // Threads store boxes of a column-major C, copies of A and B, several entries.
  'one warp group, odd': warpGroups(
    { ...size(515, 1001, 97), a: { dtype: 'f16' }, batch: 2, alpha: 2 },
    {
      kernelSchedule: 'tma',
      operandOrder: 'ba',
      block: { m: 72, n: 64 },
      stages: 3,
      launch: 'programmatic',
    },
  ),
  'mma with TMA': tmaMma({ ...size(4096), ...TN }),
  // M-major A, N-major B in 64-byte panels, registers stored to a padded C.
  'mma with TMA, odd': tmaMma(
    { ...size(515, 1001, 97), a: { dtype: 'f16', layout: 'col' }, c: { dtype: 'f32', ld: 1009 } },
    { block: { m: 64, n: 96, k: 32 }, stages: 2, launch: 'programmatic' },
  ),
  // Threads store boxes of a column-major C, copies of A and B, several entries.
  'mma with TMA, swapped': tmaMma(
    { ...size(515, 1001, 97), a: { dtype: 'f16' }, batch: 2, alpha: 2 },
    { operandOrder: 'ba', block: { m: 48, n: 128 } },
  ),
  e4m3: warpGroups({
    ...size(4096),
    a: { dtype: 'e4m3' },
    b: { layout: 'col' },
    c: { dtype: 'bf16' },
  }),
} as const satisfies Readonly<Record<string, GemmSpec>>;

const side = fc.constantFrom(1, 7, 63, 64, 65, 128, 200);

/** Small enough to be simulated; most of them legal. */
export const warpGroupSpecs: fc.Arbitrary<GemmSpec> = fc
  .record({
    m: side,
    n: side,
    k: side,
    dtype: fc.constantFrom('bf16', 'f16', 'tf32', 'e4m3', 'e5m2', 'f32'),
    a: fc.constantFrom('row', 'col'),
    b: fc.constantFrom('row', 'col'),
    c: fc.constantFrom('bf16', 'f16', 'f32'),
    batch: fc.constantFrom(1, 1, 2),
    alpha: fc.constantFrom(1, 1, 2),
    beta: fc.constantFrom(0, 0, 1, -0.5),
    gap: fc.constantFrom(0, 0, 1, 8),
    block: fc.record({
      m: fc.constantFrom(64, 128, 192, 256),
      n: fc.constantFrom(8, 40, 64, 96, 128, 160),
      row: fc.constantFrom(64, 128, 128),
    }),
    consumers: fc.constantFrom(undefined, 1, 2, 3),
    kernelSchedule: fc.constantFrom(undefined, undefined, 'cooperative', 'pingpong'),
    stages: fc.constantFrom(undefined, 2, 3),
    cluster: fc.constantFrom(undefined, { m: 2, n: 1 }, { m: 1, n: 2 }, { m: 2, n: 2 }),
    raster: fc.constantFrom(undefined, { group: 1 }, { group: 3 }, { order: 'col', group: 2 }),
    operandOrder: fc.constantFrom(undefined, undefined, 'ab', 'ba'),
    cLayout: fc.constantFrom('row', 'row', 'col'),
    splitK: fc.constantFrom(undefined, undefined, undefined, 2, 3, 4),
    split: fc.constantFrom('tf32x3', 'bf16x3', 'bf16x6', 'bf16x9'),
    reduction: fc.constantFrom('cluster', 'two-pass'),
  })
  .map(({ m, n, k, dtype, a, b, c, cLayout, batch, alpha, beta, gap, block, ...others }) => {
    const { split, reduction, ...rest } = others;
    const isTwoPass = reduction === 'two-pass' && rest.splitK !== undefined;
    const element = dtype !== 'f32' ? dtype : split === 'tf32x3' ? 'tf32' : 'bf16';
    const bytes = { tf32: 4, bf16: 2, f16: 2, e4m3: 1, e5m2: 1 }[element];
    const ldOf = (layout: string, [rows, columns]: readonly [number, number]): number =>
      (layout === 'row' ? columns : rows) + gap;
    const { operandOrder = cLayout === 'col' ? 'ba' : 'ab' } = rest;
    const sides = operandOrder === 'ba' ? swapMN(block) : { m: block.m, n: block.n };
    const spec: GemmSpec = {
      problem: {
        m,
        n,
        k,
        batch,
        alpha,
        beta,
        a: { dtype, layout: a, ld: ldOf(a, [m, k]) },
        b: { dtype, layout: b, ld: ldOf(b, [k, n]) },
        c: { dtype: c, layout: cLayout, ld: ldOf(cLayout, [m, n]) },
      },
      schedule: {
        algorithm: 'wgmma',
        block: { ...sides, k: block.row / bytes },
        ...(dtype === 'f32' ? { split } : {}),
        ...(isTwoPass ? { splitKReduction: 'two-pass' } : {}),
        ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
      },
    };
    return JSON.parse(JSON.stringify(spec)) as GemmSpec;
  });

const UNSUPPORTED = ['split', 'consumers', 'cluster', 'splitK', 'splitKReduction'];

const withType = (operand: Problem['a'], dtype: 'tf32'): Problem['a'] => ({ ...operand, dtype });

/**
 * Specs without warp specialization, small enough to be simulated, and without the fields that such
 * kernels do not support; most of them legal.
 */
export const oneWarpGroupSpecs: fc.Arbitrary<GemmSpec> = warpGroupSpecs.map(
  ({ problem, schedule = {} }) => {
    const { split } = schedule;
    const kept = Object.fromEntries(
      Object.entries(schedule).filter(([field]) => !UNSUPPORTED.includes(field)),
    ) as Schedule;
    const { a, b } = problem;
    const isSplit = split !== undefined;
    return warpGroups(
      isSplit ? { ...problem, a: withType(a, 'tf32'), b: withType(b, 'tf32') } : problem,
      {
        ...kept,
        ...(isSplit ? { block: { ...kept.block, k: 32 } } : {}),
        kernelSchedule: 'tma',
      },
    );
  },
);

const TMA_MMA_DTYPES = ['bf16', 'f16', 'tf32'] as const;

/** Specs of `mma` with `kernelSchedule` `tma`, small enough to be simulated; most of them legal. */
export const tmaMmaSpecs: fc.Arbitrary<GemmSpec> = fc
  .tuple(
    oneWarpGroupSpecs,
    fc.constantFrom(...TMA_MMA_DTYPES),
    fc.constantFrom(16, 48, 64, 96, 128, 192),
  )
  .map(([{ problem, schedule = {} }, dtype, columns]) => {
    const { block = {}, operandOrder = problem.c?.layout === 'col' ? 'ba' : 'ab' } = schedule;
    const isKnown = TMA_MMA_DTYPES.some(known => known === problem.a?.dtype);
    const computedRows = operandOrder === 'ba' ? block.n : block.m;
    const rows = (computedRows ?? 64) > 64 ? 128 : 64;
    const side = operandOrder === 'ba' ? { m: columns, n: rows } : { m: rows, n: columns };
    const type = isKnown ? (problem.a?.dtype ?? dtype) : dtype;
    const k = type === 'tf32' ? 32 : (block.k ?? 64) > 32 ? 64 : 32;
    return tmaMma(
      { ...problem, a: { ...problem.a, dtype: type }, b: { ...problem.b, dtype: type } },
      { ...schedule, algorithm: 'mma', block: { ...side, k } },
    );
  });
