/**
 * Search spaces for tuning, which are enumerated lazily. Spaces from files are decoded in
 * spaceFile.ts.
 */
import { hasTensorCores } from '../../plan/instructions';
import { hasAsynchronousCopies } from '../../plan/limits';
import { elementOf } from '../../plan/fp32Emulation';
import { SPACE, schedulesOf } from '../rank/space';
import { DTYPE_BYTES } from '../../types/dtype';
import type { ResolvedProblem, ResolvedSchedule, ResolvedSpec } from '../../spec/resolved';
import type { Layout, Target } from '../../spec/schema';
import { gemvSchedules } from '../../defaults/simt/gemvSchedules';
import { MAX_ROWS } from '../../plan/simt/gemv';
import { differingInOne } from './decisionDistance';
import { matrixForms, matrixSchedules } from './matrixSpace';
import { hasWarpGroups, rasterGroups, warpGroupSchedules } from '../rank/wgmmaSpace';

export interface TuneSpace {
  readonly name: string;
  /** Number of schedules, legal or not; null if it is unknown before enumeration. */
  readonly size: number | null;
  /**
   * Enumerates the schedules in a fixed order. A file space of more than `MAX_ENUMERATED` schedules
   * is sampled evenly.
   */
  readonly walk: () => Iterable<ResolvedSchedule>;
  /** Returns the variants of a schedule, which only a measurement can distinguish. */
  readonly variants: (schedule: ResolvedSchedule) => readonly ResolvedSchedule[];
  readonly variantCount: (schedule: ResolvedSchedule) => number;
  /** Enumerates schedules that differ from the given schedule in one decision. */
  readonly neighbours: (schedule: ResolvedSchedule) => Iterable<ResolvedSchedule>;
}

export const MAX_ENUMERATED = 2 ** 17;

/**
 * Raster orders to try. They matter if the matrices exceed the L2 cache; the model does not cover
 * their effect.
 */
const RASTERS: readonly ResolvedSchedule['raster'][] = [
  undefined,
  { order: 'row', group: 8 },
  { order: 'col', group: 8 },
];

/**
 * Fragment prefetch and FMA orders to try. Their effect depends on the compiler's register
 * allocation.
 */
const OVERLAPS: readonly Pick<ResolvedSchedule, 'fragments' | 'traversal'>[] = [
  {},
  { fragments: 2, traversal: 'row' },
  { fragments: 2, traversal: 'col' },
  { fragments: 2, traversal: 'col-pairs' },
];

/**
 * Forms of the WGSL source: loop unrolling, FMA order and prefetch into registers. Their effect
 * depends on the driver's compiler.
 */
type Form = Pick<ResolvedSchedule, 'fragments' | 'traversal' | 'unroll' | 'prefetch'>;
const TEXTS: readonly Form[] = [{}, { unroll: 'full' }, { unroll: 'full', traversal: 'row' }];
const PREFETCHED = TEXTS.map((text): Form => ({ ...text, prefetch: 'registers' }));

const PLAIN: readonly Form[] = [{}];

/**
 * Returns the WGSL forms to try for an algorithm. A pipeline always prefetches into registers, so
 * it needs no forms with prefetch.
 */
function formsOf(algorithm: ResolvedSchedule['algorithm']): readonly Form[] {
  if (algorithm === 'pipelined') return TEXTS;
  return algorithm === 'register-tile' ? PLAIN : [...TEXTS, ...PREFETCHED];
}

/**
 * Returns whether the main loop has only full tiles, as fragment prefetch requires
 * (plan/rules/laneRules.ts).
 */
const hasWholeTiles = ({ k }: ResolvedProblem, { block, splitK = 1 }: ResolvedSchedule): boolean =>
  k % (block?.k ?? 1) === 0 || (splitK === 1 && k > (block?.k ?? 1));

/**
 * Returns the default search space:
 * - CUDA: `wgmma` schedules if they apply, otherwise `mma` schedules on tensor cores, otherwise FMA
 * schedules
 * - WGSL: FMA schedules within the limits of WGSL
 */
export function defaultSpace(spec: ResolvedSpec, target: Target): TuneSpace {
  if (target === 'cuda' && hasWarpGroups(spec)) return warpGroupSpace(spec);
  const { problem } = spec;
  const onTensorCores = target === 'cuda' && hasTensorCores(spec, elementOf(spec));
  const enumerate = () => {
    if (target === 'wgsl') return wgslSchedules(problem);
    return onTensorCores ? matrixSchedules(spec) : cudaSchedules(problem);
  };
  const canOverlap =
    target === 'cuda' && problem.accumulator !== 'f16' && hasAsynchronousCopies(spec);
  const overlapsOf = (schedule: ResolvedSchedule): readonly Form[] => {
    if (target === 'wgsl') return formsOf(schedule.algorithm);
    if (schedule.algorithm === 'mma') return matrixForms(schedule);
    return canOverlap && schedule.algorithm === 'pipelined' && hasWholeTiles(problem, schedule)
      ? OVERLAPS
      : PLAIN;
  };
  const variantCount = (schedule: ResolvedSchedule): number =>
    schedule.algorithm === 'gemv' ? 1 : RASTERS.length * overlapsOf(schedule).length;
  const variants = (schedule: ResolvedSchedule): readonly ResolvedSchedule[] => {
    // The tiles of gemv form a single row of tiles, so their order does not matter.
    if (schedule.algorithm === 'gemv') return [schedule];
    const varied = ['raster', 'fragments', 'traversal', 'unroll', 'prefetch'];
    const rest = Object.entries(schedule).filter(([field]) => !varied.includes(field));
    const plain = { ...Object.fromEntries(rest), algorithm: schedule.algorithm };
    return RASTERS.flatMap(raster =>
      overlapsOf(plain).map(overlap => ({
        ...plain,
        ...overlap,
        ...(raster === undefined ? {} : { raster }),
      })),
    );
  };
  return {
    name: onTensorCores ? 'mma schedules on tensor cores' : nameOf(target, problem),
    size: null,
    walk: enumerate,
    variants,
    variantCount,
    neighbours: schedule => differingInOne(enumerate(), variants, schedule),
  };
}

const isOwn = ({ raster }: ResolvedSchedule, { order }: { readonly order: Layout }): boolean =>
  (raster?.order ?? 'row') === order;

/** The variants of a schedule differ only in raster order. */
function warpGroupSpace(spec: ResolvedSpec): TuneSpace {
  const { m, n } = spec.problem;
  const rasters = [
    ...rasterGroups(m).map(group => ({ order: 'row', group }) as const),
    ...rasterGroups(n).map(group => ({ order: 'col', group }) as const),
  ];
  /** Variants with the raster order of the schedule are first. */
  const variants: TuneSpace['variants'] = schedule =>
    rasters
      .toSorted((one, other) => Number(isOwn(schedule, other)) - Number(isOwn(schedule, one)))
      .map(raster => ({ ...schedule, raster }));
  const enumerate = () => warpGroupSchedules(spec);
  return {
    name: 'wgmma schedules on Hopper tensor cores',
    size: null,
    walk: enumerate,
    variants,
    variantCount: () => rasters.length,
    neighbours: schedule => differingInOne(enumerate(), variants, schedule),
  };
}

function nameOf(target: Target, { m }: ResolvedProblem): string {
  const gemv = m <= MAX_ROWS ? 'gemv, ' : '';
  return target === 'cuda'
    ? `CUDA schedules of ${gemv}warp-tile and pipelined`
    : `WGSL schedules of ${gemv}vectorized, register-tile, warp-tile and pipelined`;
}

function* cudaSchedules(problem: ResolvedProblem): Generator<ResolvedSchedule> {
  yield* gemvSchedules(problem);
  yield* schedulesOf(problem);
}

/**
 * Yields WGSL schedules, which have at most two stages (no asynchronous copies), no launch bounds,
 * and vectors of at most 4 elements.
 */
function* wgslSchedules(problem: ResolvedProblem): Generator<ResolvedSchedule> {
  const space = { ...SPACE, depth: [4, ...SPACE.depth], stages: [2], minBlocksPerSm: [undefined] };
  const bytes = Math.min(DTYPE_BYTES[problem.a.dtype], DTYPE_BYTES[problem.b.dtype]);
  const vector = bytes === 8 ? 2 : 4;
  for (const schedule of gemvSchedules(problem))
    yield { ...schedule, vector, minBlocksPerSm: undefined };
  for (const schedule of schedulesOf(problem, space)) yield { ...schedule, vector };
  yield* registerTiles({ problem, vector });
  for (const m of space.thread) {
    for (const n of space.thread) {
      for (const rows of THREADS) {
        for (const columns of THREADS) {
          for (const k of space.depth) {
            const block = { m: m * rows, n: n * columns, k };
            yield { algorithm: 'vectorized', block, thread: { m, n }, vector };
          }
        }
      }
    }
  }
}

function* registerTiles({
  problem,
  vector,
}: {
  readonly problem: ResolvedProblem;
  readonly vector: 2 | 4;
}): Generator<ResolvedSchedule> {
  for (const m of [4, 8, 16]) {
    for (const n of [4, 8]) {
      for (const [rows, columns] of REGISTER_TILE_THREADS) {
        for (const k of [4, 8]) {
          const block = { m: m * rows, n: n * columns, k };
          const schedule = { algorithm: 'register-tile', block, thread: { m, n }, vector } as const;
          yield schedule;
          if (problem.a.layout === 'row') yield { ...schedule, sharing: 'quad' };
        }
      }
    }
  }
}

const REGISTER_TILE_THREADS = [
  [4, 4],
  [8, 4],
  [8, 8],
  [8, 16],
  [16, 8],
  [16, 16],
] as const;

const THREADS = [4, 8, 16, 32];
