/** Arbitrary specs of this version's ladder, legal or not, small enough to simulate. */
import fc from 'fast-check';
import type { DType } from '../../src/core/types/dtype';
import type { GemmSpec, Target } from '../../src/core/spec/schema';

const size = fc.oneof(fc.integer({ min: 1, max: 70 }), fc.constantFrom(1, 16, 32, 64));
const layout = fc.constantFrom('row' as const, 'col' as const);
const extent = fc.constantFrom(1, 2, 3, 4, 6, 8, 12, 16, 24, 32);
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });

type Schedule = NonNullable<GemmSpec['schedule']>;

/** Lanes of a warp along M and N; the last two are no warp. */
const lanes = fc.constantFrom(
  [4, 8],
  [8, 4],
  [2, 16],
  [16, 2],
  [32, 1],
  [4, 4],
  [3, 8],
) as fc.Arbitrary<[number, number]>;
const side = fc.constantFrom(1, 2, 3, 4, 6, 8);
const times = fc.constantFrom(1, 1, 2, 3);
const depth = fc.constantFrom(1, 3, 4, 5, 8, 12, 16);

/** From `vectorized` on: warps and blocks are made of thread tiles, so that most are legal. */
const laned: fc.Arbitrary<Schedule> = fc
  .record({
    algorithm: fc.constantFrom('vectorized', 'warp-tile', 'pipelined'),
    lanes,
    thread: fc.record({ m: side, n: side }),
    timesM: times,
    timesN: times,
    depth,
    vector: optional(fc.constantFrom(1, 2, 4, 8)),
    stages: fc.constantFrom(1, 2, 2, 3, 4, 5, 6),
    fragments: fc.constantFrom(1, 1, 2),
    traversal: optional(fc.constantFrom('row', 'col', 'col-pairs')),
    unroll: optional(fc.constantFrom('none', 'full')),
    prefetch: optional(fc.constantFrom('none', 'registers')),
    padding: optional(fc.record({ a: fc.constantFrom(0, 1, 4), b: fc.constantFrom(0, 2) })),
    swizzle: optional(fc.constantFrom('none', 'xor')),
    raster: optional(
      fc.record({ order: fc.constantFrom('row', 'col'), group: fc.constantFrom(1, 2, 3) }),
    ),
  })
  .map(({ algorithm, lanes: [lanesM, lanesN], thread, timesM, timesN, depth: k, ...rest }) => {
    const warp = { m: lanesM * thread.m, n: lanesN * thread.n };
    const { stages, fragments, prefetch, ...all } = rest;
    const pipeline = { stages, ...(fragments === 1 ? {} : { fragments }) };
    const fields = { ...all, ...(algorithm === 'pipelined' ? pipeline : { prefetch }) };
    const given = Object.entries(fields).filter(([, value]) => value !== undefined);
    return {
      algorithm,
      thread,
      block: { m: warp.m * timesM, n: warp.n * timesN, k },
      ...(algorithm === 'vectorized' ? {} : { warp }),
      ...Object.fromEntries(given),
    };
  });

/** Layouts of 32 or 64 threads, most of them compact and of one size. */
const modes = fc.constantFrom('(32,1)', '(16,2)', '(8,4)', '(4,8)', '(8,8)', '(3,8)');
const threadLayout = fc
  .tuple(
    modes,
    fc.constantFrom('column' as const, 'column' as const, 'row' as const, 'odd' as const),
  )
  .map(([shape, order]) => {
    const [s0 = '', s1 = ''] = shape.slice(1, -1).split(',');
    const strides = { column: `(1,${s0})`, row: `(${s1},1)`, odd: '(2,5)' } as const;
    return `${shape}:${strides[order]}`;
  });
const layouts: fc.Arbitrary<Schedule> = fc.record({
  algorithm: fc.constant('layout' as const),
  block: fc.record({
    m: fc.constantFrom(32, 64, 48),
    n: fc.constantFrom(32, 64),
    k: fc.constantFrom(4, 8, 16, 24),
  }),
  threadLayout: fc.record({ a: threadLayout, b: threadLayout, c: threadLayout }),
  padding: fc.record({ a: fc.constantFrom(0, 1), b: fc.constantFrom(0, 4) }),
});

/** Lanes along N of which quads are made, or not. */
const direct: fc.Arbitrary<Schedule> = fc
  .record({
    thread: fc.record({ m: side, n: side }),
    lanesM: fc.constantFrom(1, 2, 3, 8),
    depth,
    lanesN: fc.constantFrom(1, 3, 4, 8),
    vector: optional(fc.constantFrom(1, 2, 4, 8)),
    sharing: optional(fc.constantFrom('none', 'quad', 'quad')),
  })
  .map(({ thread, lanesM, lanesN, depth: k, ...rest }) => ({
    algorithm: 'register-tile' as const,
    thread,
    block: { m: lanesM * thread.m, n: lanesN * thread.n, k },
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
  }));

/** Grids of threads along N and K, of which a few are illegal. */
const gemv: fc.Arbitrary<Schedule> = fc
  .record({
    m: fc.constantFrom(1, 1, 2, 3, 4),
    columns: fc.constantFrom(1, 2, 3, 4, 8),
    depth: fc.constantFrom(1, 2, 3, 4, 8, 16),
    threads: fc.constantFrom(
      { n: 1, k: 32 },
      { n: 4, k: 32 },
      { n: 2, k: 64 },
      { n: 8, k: 8 },
      { n: 32, k: 2 },
      { n: 64, k: 1 },
      { n: 3, k: 32 },
    ),
    vector: optional(fc.constantFrom(1, 2, 4, 8)),
  })
  .map(({ m, columns, depth: k, threads, vector }) => ({
    algorithm: 'gemv' as const,
    block: { m, n: threads.n * columns, k: threads.k * k },
    thread: { m, n: columns, k },
    ...(vector === undefined ? {} : { vector }),
  }));

/** Warps of matrices; rows of the tiles that begin at any place, now and then. */
const matrices: fc.Arbitrary<Schedule> = fc
  .record({
    mma: fc.constantFrom(
      { m: 16, n: 16, k: 16 },
      { m: 16, n: 8, k: 16 },
      { m: 16, n: 8, k: 8 },
      { m: 8, n: 8, k: 8 },
    ),
    warpM: times,
    warpN: times,
    timesM: times,
    timesN: times,
    timesK: times,
    vector: optional(fc.constantFrom(1, 2, 4, 8)),
    padding: optional(fc.record({ a: fc.constantFrom(0, 8, 4), b: fc.constantFrom(0, 8) })),
    raster: optional(fc.record({ group: fc.constantFrom(1, 2, 3) })),
  })
  .map(({ mma, warpM, warpN, timesM, timesN, timesK, ...rest }) => {
    const warp = { m: mma.m * warpM, n: mma.n * warpN };
    return {
      algorithm: 'mma' as const,
      mma,
      warp,
      block: { m: warp.m * timesM, n: warp.n * timesN, k: mma.k * timesK },
      ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
    };
  });

/** Warps whose lanes hold their parts of matrices, with every pipeline. */
const fragments: fc.Arbitrary<Schedule> = fc
  .record({
    mma: fc.constantFrom({ m: 16, n: 8, k: 16 }, { m: 16, n: 8, k: 8 }),
    warpM: times,
    warpN: fc.constantFrom(1, 2, 4),
    timesM: times,
    timesN: times,
    timesK: fc.constantFrom(1, 2, 2, 4),
    stages: fc.constantFrom(undefined, undefined, undefined, 2, 2, 4),
    fragments: optional(fc.constantFrom(1)),
    vector: optional(fc.constantFrom(1, 2, 4, 8)),
    padding: optional(fc.record({ a: fc.constantFrom(0, 8), b: fc.constantFrom(0, 8) })),
    raster: optional(fc.record({ group: fc.constantFrom(1, 2, 3) })),
  })
  .map(({ mma, warpM, warpN, timesM, timesN, timesK, ...rest }) => {
    const warp = { m: mma.m * warpM, n: mma.n * warpN };
    return {
      algorithm: 'mma' as const,
      mma,
      warp,
      block: { m: warp.m * timesM, n: warp.n * timesN, k: mma.k * timesK },
      ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
    };
  });

const schedule: fc.Arbitrary<Schedule> = fc.oneof(
  { weight: 6, arbitrary: laned },
  { weight: 2, arbitrary: layouts },
  fc.record({
    algorithm: fc.constant('naive' as const),
    block: fc.record({ m: extent, n: extent }),
  }),
  fc.record({
    algorithm: fc.constant('coalesced' as const),
    block: fc.record({ m: extent, n: extent }),
    variant: fc.constantFrom('swap' as const, 'remap' as const),
    raster: optional(fc.record({ order: fc.constantFrom('row' as const, 'col' as const) })),
  }),
  fc.record({
    algorithm: fc.constant('shared-tile' as const),
    block: fc.record({ m: extent, n: extent, k: extent }),
    variant: fc.constantFrom('2d' as const, '1d' as const, 'transposed' as const),
    padding: fc.record({ a: fc.constantFrom(0, 1), b: fc.constantFrom(0, 4) }),
  }),
  fc.record({
    algorithm: fc.constant('thread-tile-1d' as const),
    block: fc.record({ m: extent, n: extent, k: extent }),
    thread: fc.record({ m: fc.constantFrom(1, 2, 4, 8) }),
  }),
  fc.record({
    algorithm: fc.constant('thread-tile-2d' as const),
    block: fc.record({ m: extent, n: extent, k: extent }),
    thread: fc.record({ m: fc.constantFrom(1, 2, 3, 4, 8), n: fc.constantFrom(1, 2, 4, 8) }),
    padding: fc.record({ a: fc.constantFrom(0, 1), b: fc.constantFrom(0, 4) }),
  }),
);

export type Types = readonly [a: DType, b?: DType, c?: DType, accumulator?: DType];

/** Types of A, B, C and the sum: those left out follow from A. The last ones are illegal. */
const types: fc.Arbitrary<Types> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Types>(['f32']) },
  {
    weight: 6,
    arbitrary: fc.constantFrom<Types>(
      ['s32'],
      ['f64'],
      ['f16'],
      ['bf16'],
      ['s8'],
      ['f32', 'f32', 'f64', 'f64'],
      ['f32', 'f32', 'f32', 'f64'],
      ['f16', 'f16', 'f16', 'f16'],
      ['f16', 'f16', 'f32', 'f16'],
      ['f16', 'f16', 'f32'],
      ['bf16', 'bf16', 'f32'],
      ['f16', 'bf16', 'f16'],
      ['f32', 'f16'],
      ['f64', 'f32', 'f32'],
      ['s8', 's32'],
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Types>(
      ['tf32'],
      ['e4m3'],
      ['f16', 's8'],
      ['bf16', 'bf16', 'bf16', 'bf16'],
      ['f32', 'f32', 'f64'],
      ['s8', 's8', 's8'],
    ),
  },
);

/** With the types, layouts, sizes and parts of K that any problem may have. */
export const specsOf = (
  schedules: fc.Arbitrary<Schedule>,
  typed: fc.Arbitrary<Types> = types,
): fc.Arbitrary<GemmSpec> =>
  fc
    .record({
      m: size,
      n: size,
      k: size,
      gap: fc.constantFrom(0, 0, 1, 4, 5),
      a: layout,
      b: layout,
      c: layout,
      batch: fc.constantFrom(1, 1, 1, 2, 3),
      behind: fc.constantFrom(0, 0, 2, 7),
      types: typed,
      device: fc.constantFrom('h200', 'h200', 't4'),
      alpha: optional(fc.constantFrom(2, -3, 0)),
      beta: optional(fc.constantFrom(0, 1, -2)),
      splitK: fc.constantFrom(1, 1, 1, 2, 3, 5),
      splitKReduction: optional(fc.constantFrom('two-pass', 'atomic')),
      schedule: schedules,
    })
    .map(({ m, n, k, a, b, c, gap, types: drawn, alpha, beta, device, batch, behind, ...rest }) => {
      const { splitK, splitKReduction } = rest;
      const split = splitK === 1 ? {} : { splitK, splitKReduction };
      const [typeA, typeB = typeA, typeC, accumulator] = drawn;
      const operand = (
        name: 'row' | 'col',
        [rows, columns]: readonly [number, number],
        dtype?: DType,
      ) => {
        const ld = (name === 'row' ? columns : rows) + gap;
        const packed = (name === 'row' ? rows : columns) * ld;
        const strides = batch === 1 ? {} : { batchStride: packed + behind };
        return { dtype, layout: name, ld, ...strides };
      };
      const spec: GemmSpec = {
        problem: {
          ...(batch === 1 ? {} : { batch }),
          m,
          n,
          k,
          a: operand(a, [m, k], typeA),
          b: operand(b, [k, n], typeB),
          c: operand(c, [m, n], typeC),
          accumulator,
          ...(alpha === undefined ? {} : { alpha }),
          ...(beta === undefined ? {} : { beta }),
        },
        schedule: { ...rest.schedule, ...split },
        device,
      };
      // Plain objects, as they come from a file (fast-check also makes some without a prototype).
      return JSON.parse(JSON.stringify(spec)) as GemmSpec;
    });

export const specs = specsOf(schedule);
export const registerTileSpecs = specsOf(direct);
/** With one to four rows; a column-major A has one leading dimension for all of them. */
export const gemvSpecs = specsOf(gemv).map(({ problem, ...rest }): GemmSpec => ({
  ...rest,
  problem: { ...problem, m: 1 + (problem.m % 4) },
}));
const forTarget =
  (target: Target) =>
  (spec: GemmSpec): GemmSpec => ({ ...spec, targets: [target] });

export const fragmentSpecs = specsOf(
  fragments,
  fc.constantFrom<Types>(
    ['f16'],
    ['f16', 'f16', 'f32'],
    ['f16', 'f16', 'f16', 'f16'],
    ['bf16'],
    ['bf16'],
    ['bf16', 'bf16', 'f32'],
    ['f16', 'f16', 'f32', 'f16'],
  ),
).map(forTarget('cuda'));
export const matrixSpecs = specsOf(
  matrices,
  fc.constantFrom<Types>(
    ['f16'],
    ['f16', 'f16', 'f32'],
    ['f16', 'f16', 'f16', 'f16'],
    ['f32'],
    ['bf16'],
    ['f16', 'f16', 'f32', 'f16'],
  ),
).map(forTarget('wgsl'));
