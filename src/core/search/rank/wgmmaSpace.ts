/** Search space of `wgmma` schedules on Hopper, for types that `wgmma` supports. */
import { swappedSchedule, swappedSpec } from '../../plan/swapAB';
import { planIfLegal } from '../../plan/planner';
import { elementOf, splitOf } from '../../plan/fp32Emulation';
import { GROUPS } from '../../plan/wgmma/wgmmaMoves';
import {
  isHopper,
  isTransposedCopy,
  majorOf,
  stagesThatFit,
  STAGE_COUNTS,
} from '../../plan/wgmma/wgmma';
import { findDevice } from '../../hardware/devices';
import { DTYPE_BYTES } from '../../types/dtype';
import type { ResolvedProblem, ResolvedSchedule, ResolvedSpec } from '../../spec/resolved';
import { completeSchedule } from '../../defaults/byShape';
import { tileCount, type Sides } from '../../plan/tileCount';

/**
 * Tests whether warp-group schedules apply. FP32 requires FP32 emulation in the schedule. If a
 * pre-pass must transpose an operand, the schedule must specify `wgmma`, because with few rows the
 * pre-pass can cost more than the GEMM.
 */
export function hasWarpGroups(spec: ResolvedSpec): boolean {
  if (!isHopper(spec.device)) return false;
  const given = { algorithm: 'wgmma', ...splitOf(spec) } as const;
  const schedule = completeSchedule(given, spec.problem, { device: spec.device });
  const plan = planIfLegal({ ...spec, schedule }, 'cuda');
  if (plan?.family !== 'wgmma') return false;
  const { wgmma } = plan;
  const needsTranspose = isTransposedCopy(wgmma.a) || isTransposedCopy(wgmma.b);
  return !needsTranspose || spec.schedule.algorithm === 'wgmma';
}

/** Rows per warp group; tile heights are multiples of this count. */
const ROWS = 64;
/**
 * Tile widths, widest first. Widths that are multiples of 16 but not of 32 may fit C or the number
 * of SMs better.
 */
const COLUMNS = Array.from({ length: 15 }, (_, i) => 256 - 16 * i);
/** Columns per TMA box of B, if the instruction transposes B. */
const PANEL = 32;
/** Tile widths for a C with fewer than 32 columns. */
const NARROW = [8, 16, 24, 32];
const K_EXTENT_BYTES = 128;

const CLUSTERS = [
  { m: 1, n: 1 },
  { m: 2, n: 1 },
  { m: 1, n: 2 },
  { m: 1, n: 4 },
] as const;
/** Maximum number of tiles along M for clusters with more than two blocks per A tile. */
const MAX_SHARED_TILES_M = 2;
const SLICES = [1, 2, 4];
/** Split-K slices that a second kernel reduces, for problems with few tiles. */
const TWO_PASS_SLICES = [4, 8];

/** Yields the schedules of both operand orders: the normal order and swap-AB. */
export function* warpGroupSchedules(spec: ResolvedSpec): Generator<ResolvedSchedule> {
  yield* computedSchedules(spec);
  for (const schedule of computedSchedules(swappedSpec(spec))) yield swappedSchedule(schedule);
}

function* computedSchedules(spec: ResolvedSpec): Generator<ResolvedSchedule> {
  const { problem, device } = spec;
  const [group = 1] = rasterGroups(problem.m);
  const common: ResolvedSchedule = {
    // Programmatic dependent launch was faster in benchmarks.
    algorithm: 'wgmma',
    raster: { order: 'row', group },
    launch: 'programmatic',
    ...splitOf(spec),
  };
  const k = K_EXTENT_BYTES / DTYPE_BYTES[elementOf({ problem, schedule: common })];
  for (const { m, ...groups } of GROUPS) {
    if (m > ROWS && m - ROWS >= problem.m) continue;
    for (const n of columnsFor(spec)) {
      const block = { m, n, k };
      for (const cluster of clustersFor(problem, block)) {
        for (const parts of slicesFor(spec, { block, ...groups })) {
          const schedule = { ...common, block, ...groups, cluster, ...parts };
          const most = stagesThatFit({ problem, device, schedule }, block);
          for (const stages of stagesFor(most)) {
            if (stages >= STAGE_COUNTS.least) yield { ...schedule, stages };
          }
        }
      }
    }
  }
}

const stagesFor = (most: number): readonly number[] =>
  most > STAGE_COUNTS.usual ? [STAGE_COUNTS.usual, most] : [most, most - 1];

/**
 * Returns the tile widths below N + 16, and always 32; multiples of `PANEL` unless B is K-major. A
 * C narrower than `PANEL` with a K-major B uses the widths of `NARROW` that cover C.
 */
function columnsFor(spec: ResolvedSpec): readonly number[] {
  const { n } = spec.problem;
  const isSplit = majorOf(spec, 'b') === 'k';
  if (n < PANEL && isSplit) return NARROW.filter(columns => columns >= n);
  return COLUMNS.filter(
    (columns, i) =>
      (isSplit || columns % PANEL === 0) && (columns === PANEL || (COLUMNS[i + 1] ?? 0) < n),
  );
}

type Tile = Readonly<Record<'m' | 'n' | 'k', number>>;

function clustersFor(problem: ResolvedProblem, block: Sides): readonly Sides[] {
  const { m, n } = tileCount(problem, block);
  return CLUSTERS.filter(
    cluster => cluster.m <= m && cluster.n <= n && (cluster.n <= 2 || m <= MAX_SHARED_TILES_M),
  );
}

/**
 * Returns the split-K slices to try: none, and counts up to the number of k-iterations if half as
 * many slices would leave SMs idle, reduced in a cluster or by a second kernel. Ping-pong and FP32
 * emulation do not use split-K.
 */
function slicesFor(
  { problem, device, schedule }: ResolvedSpec,
  { block, kernelSchedule }: Pick<ResolvedSchedule, 'kernelSchedule'> & { readonly block: Tile },
): readonly Pick<ResolvedSchedule, 'splitK' | 'splitKReduction'>[] {
  if (kernelSchedule === 'pingpong' || schedule.split !== undefined) return [{}];
  const { m, n } = tileCount(problem, block);
  const { multiprocessors = 1 } = findDevice(device) ?? {};
  const steps = Math.ceil(problem.k / block.k);
  const idle = (parts: number): boolean => m * n * problem.batch * (parts / 2) < multiprocessors;
  const helps = (parts: number): boolean => idle(parts) && parts <= steps;
  return [
    ...SLICES.filter(parts => parts === 1 || helps(parts)).map(splitK =>
      splitK === 1 ? {} : { splitK },
    ),
    ...TWO_PASS_SLICES.filter(parts => helps(parts) && hasNoEmptySlice(steps, parts)).map(
      splitK => ({ splitK, splitKReduction: 'two-pass' as const }),
    ),
  ];
}

const hasNoEmptySlice = (steps: number, slices: number): boolean =>
  Math.ceil(steps / Math.ceil(steps / slices)) === slices;

/**
 * Returns raster group sizes, most promising first. The number of tiles along the extent limits the
 * group size.
 */
export const rasterGroups = (extent: number): readonly number[] =>
  [16, 8, 32, 4].filter(group => group === 4 || (group / 2) * ROWS < extent);
