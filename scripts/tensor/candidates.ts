/** Defines the tensor-core benchmarks: problems, types, layouts and the schedules to time. */
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import type { BaselineId } from '../../src/core/measure/backend';
import type { DType } from '../../src/core/types/dtype';
import { plan } from '../../src/core/plan/planner';
import { resolve } from '../../src/core/defaults/resolve';
import type { GemmSpec, Layout, Schedule } from '../../src/core/spec/schema';
import { tensorRungs } from '../../src/core/search/ladder/tensorRungs';

const side = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const shapesSchema = v.pipe(
  v.array(v.object({ name: v.string(), m: side, n: side, k: side, from: v.string() })),
  v.check(
    shapes => new Set(shapes.map(({ name }) => name)).size === shapes.length,
    'Each shape needs a unique name.',
  ),
);
export type NamedShape = v.InferOutput<typeof shapesSchema>[number];

export const readShapes = (file: string): readonly NamedShape[] =>
  v.parse(shapesSchema, JSON.parse(readFileSync(file, 'utf8')));

/**
 * Layouts of A and B. TN and NN are their cuBLAS names for a row-major C. In TN, B is stored as
 * [N][K], as weights are ([outputs][inputs]).
 */
export const ORDERS = {
  TN: { a: 'row', b: 'col' },
  NN: { a: 'row', b: 'row' },
  'A col, B col': { a: 'col', b: 'col' },
  'A col, B row': { a: 'col', b: 'row' },
} as const satisfies Readonly<Record<string, Readonly<Record<'a' | 'b', Layout>>>>;
export type Order = keyof typeof ORDERS;
export const ORDER_NAMES = Object.keys(ORDERS) as readonly Order[];

/** Kernels of a benchmark; `ladder` means all tensor-core rungs. */
export type RacedAs = 'wgmma' | 'mma' | 'ladder';

export interface Contest {
  readonly algorithm: RacedAs;
  readonly shape: NamedShape;
  readonly dtype: DType;
  readonly order: Order;
  readonly specs: readonly GemmSpec[];
  readonly baselines: readonly BaselineId[];
  /** Time relative to the fastest kernel above which a kernel is timed only once. */
  readonly behind: number;
}
type Named = Pick<Contest, 'algorithm' | 'shape' | 'dtype' | 'order'>;

/** Returns the key of a benchmark in the record. It omits the algorithm if this is `wgmma`. */
export const contestKey = ({ algorithm, shape, dtype, order }: Named): string =>
  `${shape.name}, ${dtype} ${order}${algorithm === 'wgmma' ? '' : `, ${algorithm}`}`;

/** Square sizes of the FP32-emulation benchmarks and of the ladder. */
const SPLIT_SIDES = [4096, 8192];
const isSquare = ({ m, n, k }: NamedShape): boolean => m === n && n === k;

/** Lists the `wgmma` benchmarks, starting with the most important. */
const wgmmaContests = (shapes: readonly NamedShape[]): readonly Contest[] => {
  const squares = shapes.filter(isSquare);
  const some = squares.filter(({ m }) => SPLIT_SIDES.includes(m));
  return [
    ...contests(shapes, 'bf16', 'TN'),
    ...contests(some, 'f32', 'TN'),
    ...contests(squares, 'e4m3', 'TN'),
    ...contests(squares, 'tf32', 'TN'),
    ...contests(shapes, 'bf16', 'NN'),
    ...contests(shapes, 'f16', 'TN'),
    ...contests(shapes, 'f16', 'NN'),
    ...contests(some, 'f32', 'NN'),
    // These layouts require a pre-pass that transposes an operand.
    ...contests(squares, 'tf32', 'NN'),
    ...contests(squares, 'e4m3', 'NN'),
  ];
};

const MMA_SIDE = 8192;
const mmaContests = (shapes: readonly NamedShape[]): readonly Contest[] => {
  const large = shapes.filter(shape => isSquare(shape) && shape.m === MMA_SIDE);
  return ORDER_NAMES.flatMap(order => contests(large, 'bf16', order, 'mma'));
};

const ladderContests = (shapes: readonly NamedShape[]): readonly Contest[] =>
  contests(
    shapes.filter(shape => isSquare(shape) && SPLIT_SIDES.includes(shape.m)),
    'bf16',
    'NN',
    'ladder',
  );

export const CONTESTS = {
  wgmma: wgmmaContests,
  mma: mmaContests,
  ladder: ladderContests,
} as const satisfies Readonly<Record<RacedAs, unknown>>;

const contests = (
  shapes: readonly NamedShape[],
  dtype: DType,
  order: Order,
  algorithm: Contest['algorithm'] = 'wgmma',
): readonly Contest[] =>
  shapes.map(shape => ({
    algorithm,
    shape,
    dtype,
    order,
    // Some tile widths are legal only for one layout.
    specs: candidates(algorithm, shape, dtype)
      .map((schedule): GemmSpec => ({
        problem: problemOf({ shape, dtype, order }),
        schedule,
        targets: ['cuda'],
        device: DEVICE,
        // The copies and split terms of the largest squares exceed the default limit.
        workspaceLimitBytes: Number.MAX_SAFE_INTEGER,
      }))
      .filter(spec => plan(resolve(spec), 'cuda').ok),
    baselines: dtype === 'f32' ? ['cublas', 'cublaslt'] : ['cublaslt'],
    // All rungs and FP32 emulations are reported, so slow kernels are also timed fully.
    behind: algorithm === 'ladder' || dtype === 'f32' ? 1000 : 1.07,
  }));

export const problemOf = ({
  shape: { m, n, k },
  dtype,
  order,
}: Omit<Named, 'algorithm'>): GemmSpec['problem'] => ({
  m,
  n,
  k,
  a: { dtype, layout: ORDERS[order].a },
  b: { dtype, layout: ORDERS[order].b },
  ...(dtype === 'e4m3' ? { c: { dtype: 'bf16' } } : {}),
});

export const DEVICE = 'h200';

const candidates = (algorithm: RacedAs, shape: NamedShape, dtype: DType): readonly Schedule[] =>
  algorithm === 'ladder'
    ? tensorRungs(dtype, DEVICE).map(({ schedule }) => schedule)
    : (algorithm === 'mma' ? WARPS : schedulesFor(shape, dtype)).map(one => ({
        algorithm,
        ...one,
      }));

interface More {
  readonly cluster?: readonly [m: number, n: number];
  readonly group?: number;
  readonly order?: Layout;
  readonly splitK?: number;
  readonly stages?: number;
}
const schedule = (
  kernelSchedule: 'cooperative' | 'pingpong',
  [m, n, consumers]: readonly [number, number, number],
  { cluster: [along, across] = [1, 1], order = 'row', group = 8, ...more }: More,
): Schedule => ({
  block: { m, n },
  kernelSchedule,
  consumers,
  cluster: { m: along, n: across },
  raster: { order, group },
  ...more,
});
const turns = (m: number, n: number, more: More = {}): Schedule =>
  schedule('pingpong', [m, n, 2], more);
const shared = (m: number, n: number, consumers: number, more: More = {}): Schedule =>
  schedule('cooperative', [m, n, consumers], more);
const early = (one: Schedule): Schedule => ({ ...one, launch: 'programmatic' });

const warps = (
  [m, n, k]: readonly [number, number, number],
  [along, across]: readonly [number, number],
  more: Schedule,
): Schedule => ({ block: { m, n, k }, warp: { m: along, n: across }, ...more });
const WARPS: readonly Schedule[] = [
  {},
  ...[3, 4].map(stages => warps([256, 128, 32], [64, 64], { stages, fragments: 2 })),
  warps([128, 256, 32], [64, 64], { stages: 4, fragments: 2 }),
  ...[3, 4].map(stages => warps([128, 160, 32], [64, 80], { stages, fragments: 1 })),
];

/** Maximum number of rows of C for the schedules of `FEW`; `SOME_ROWS` is the limit for `SOME`. */
const FEW_ROWS = 64;
const SOME_ROWS = 512;

const FEW: readonly Schedule[] = [
  shared(64, 128, 1, { cluster: [1, 4] }),
  shared(64, 96, 1, { cluster: [1, 4] }),
  shared(64, 64, 1, { splitK: 2 }),
  shared(64, 128, 1, { splitK: 2 }),
  shared(64, 256, 1, { splitK: 4 }),
  shared(64, 160, 1, { splitK: 2 }),
  shared(64, 256, 1),
  shared(64, 224, 1),
  turns(64, 128),
  shared(64, 224, 1, { cluster: [1, 2] }),
  shared(64, 112, 1, { cluster: [1, 2] }),
].map(early);
/**
 * Returns a swap-AB schedule, which maps columns of C to the M extent of the instruction, and the
 * few rows of C to its N extent. Each split-K slice reduces at least eight rows.
 */
const swapped = (m: number, columns: number, consumers: number, more: More = {}): Schedule => ({
  ...shared(8 * Math.max(more.splitK ?? 1, Math.ceil(m / 8)), columns, consumers, {
    order: 'col',
    ...more,
  }),
  operandOrder: 'ba',
});
const fewSwapped = (m: number): readonly Schedule[] => {
  const deep = { stages: m > 32 ? 12 : 16 };
  return [
    swapped(m, 64, 1),
    swapped(m, 64, 1, { splitK: 2 }),
    swapped(m, 64, 1, { splitK: 4 }),
    swapped(m, 64, 1, deep),
    swapped(m, 64, 1, { splitK: 2, ...deep }),
    swapped(m, 128, 2),
    swapped(m, 128, 2, { splitK: 2 }),
    swapped(m, 128, 1, { splitK: 2 }),
  ].map(early);
};

const STREAMED: readonly Schedule[] = [
  shared(64, 128, 1, { cluster: [2, 1] }),
  shared(64, 256, 1, { cluster: [2, 1] }),
  shared(64, 224, 1, { cluster: [1, 2] }),
  turns(128, 64, { cluster: [1, 2] }),
  shared(128, 64, 2, { cluster: [1, 2] }),
  shared(128, 96, 2, { cluster: [2, 1] }),
  shared(128, 224, 2),
  shared(128, 224, 2, { cluster: [1, 2] }),
  shared(128, 96, 2),
  shared(128, 192, 2, { splitK: 2 }),
  shared(128, 256, 2, { splitK: 4 }),
];
const SOME: readonly Schedule[] = [
  ...STREAMED,
  turns(64, 128),
  turns(64, 192),
  turns(64, 224),
  turns(128, 128),
  turns(128, 112),
  turns(128, 128, { cluster: [2, 1] }),
  turns(128, 192),
  turns(128, 176),
  shared(64, 224, 1),
  shared(64, 256, 1),
  shared(128, 160, 2),
  shared(128, 192, 2),
  shared(128, 256, 2),
  shared(128, 128, 2, { cluster: [2, 1] }),
  shared(128, 128, 2, { splitK: 2 }),
  shared(128, 256, 2, { splitK: 2 }),
].map(early);
/** Returns a schedule in which pairs of blocks share loads of B. */
const pairs = (n: number, group = 4): Schedule => turns(128, n, { cluster: [2, 1], group });
const MANY: readonly Schedule[] = [
  pairs(112),
  pairs(128),
  pairs(144),
  pairs(160),
  pairs(176),
  pairs(192),
  turns(128, 168, { cluster: [1, 2], group: 4 }),
  turns(128, 112),
  turns(128, 128),
  turns(128, 128, { group: 16 }),
  turns(128, 192),
  turns(128, 128, { order: 'col' }),
  shared(128, 256, 2),
  shared(128, 256, 2, { cluster: [2, 1], group: 4 }),
  shared(128, 256, 2, { cluster: [1, 2], group: 4 }),
  shared(256, 128, 2),
  shared(256, 192, 2, { cluster: [2, 1], group: 4 }),
  shared(256, 160, 2),
].map(early);
const SPLIT: readonly Schedule[] = (['bf16x3', 'bf16x6', 'bf16x9', 'tf32x3'] as const).flatMap(
  split => [128, 192].map(n => ({ ...shared(128, n, 2), split })),
);

/**
 * Returns the FP32-emulation schedules for f32. For other types, returns the default schedule,
 * `{}`, and alternatives for this number of rows.
 */
const schedulesFor = ({ m }: NamedShape, dtype: DType): readonly Schedule[] =>
  dtype === 'f32'
    ? SPLIT
    : [{}, ...(m > SOME_ROWS ? MANY : m > FEW_ROWS ? SOME : [...fewSwapped(m), ...FEW])];
