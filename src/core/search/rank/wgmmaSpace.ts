/** `wgmma` on Hopper: the schedules that a tune may choose from where warp groups multiply the problem's type. */
import { mirroredSchedule, mirroredSpec } from '../../plan/swapAB';
import { planIfLegal } from '../../plan/planner';
import { elementOf, splitOf } from '../../plan/pieces';
import { GROUPS } from '../../plan/wgmma/wgmmaMoves';
import { isHopper, isTurned, majorOf, stagesThatFit, STAGE_COUNTS } from '../../plan/wgmma/wgmma';
import { findDevice } from '../../hardware/devices';
import { DTYPE_BYTES } from '../../types/dtype';
import type { ResolvedProblem, ResolvedSchedule, ResolvedSpec } from '../../spec/resolved';
import { completeSchedule } from '../../defaults/byShape';
import { tileCount, type Sides } from '../../plan/tileCount';

/**
 * Of f32, if its schedule says how it is split. Where a kernel before transposes an operand, which `mma` needs not and which
 * may cost more than a product of few rows, only if the schedule is one of wgmma.
 */
export function hasWarpGroups(spec: ResolvedSpec): boolean {
  if (!isHopper(spec.device)) return false;
  const given = { algorithm: 'wgmma', ...splitOf(spec) } as const;
  const schedule = completeSchedule(given, spec.problem, { device: spec.device });
  const plan = planIfLegal({ ...spec, schedule }, 'cuda');
  if (plan?.family !== 'wgmma') return false;
  const { wgmma } = plan;
  const turns = isTurned(wgmma.a) || isTurned(wgmma.b);
  return !turns || spec.schedule.algorithm === 'wgmma';
}

/** Rows that all tiles are multiples of. */
const ROWS = 64;
/** The widest first. Between multiples of 32, which TMA stores, tiles may fit C or the number of multiprocessors better. */
const COLUMNS = Array.from({ length: 15 }, (_, i) => 256 - 16 * i);
/** Of a B that the instruction transposes: a panel of TMA. */
const PANEL = 32;
/** Of a C that has fewer. */
const NARROW = [8, 16, 24, 32];
/** Bytes of a row of a tile along K. */
const DEPTH_BYTES = 128;

const CLUSTERS = [
  { m: 1, n: 1 },
  { m: 2, n: 1 },
  { m: 1, n: 2 },
  { m: 1, n: 4 },
] as const;
/** Tiles along M up to which more than two blocks share one of A. */
const FEW_ROWS = 2;
const PARTS = [1, 2, 4];

/** Rows of C up to which the transposed product is computed, too: those of B then fill the instruction. */
const FEW_TO_TURN = 128;

/** Every schedule of the space, most of them legal; of the transposed product where rows of C are few, or it is column-major. */
export function* warpGroupSchedules(spec: ResolvedSpec): Generator<ResolvedSchedule> {
  const { m, n, c } = spec.problem;
  if (c.layout === 'row' || n <= FEW_TO_TURN) yield* computedSchedules(spec);
  if (c.layout === 'col' || m <= FEW_TO_TURN) {
    for (const schedule of computedSchedules(mirroredSpec(spec))) yield mirroredSchedule(schedule);
  }
}

/** Of the product whose rows are those of the instruction. */
function* computedSchedules(spec: ResolvedSpec): Generator<ResolvedSchedule> {
  const { problem, device } = spec;
  const [group = 1] = rasterGroups(problem.m);
  const common: ResolvedSchedule = {
    // Wherever both were raced, a kernel that begins while the one before it ends was faster.
    algorithm: 'wgmma',
    raster: { order: 'row', group },
    launch: 'programmatic',
    ...splitOf(spec),
  };
  const k = DEPTH_BYTES / DTYPE_BYTES[elementOf({ problem, schedule: common })];
  for (const { m, ...groups } of GROUPS) {
    if (m > ROWS && m - ROWS >= problem.m) continue;
    for (const n of columnsFor(spec)) {
      const block = { m, n, k };
      for (const cluster of clustersFor(problem, block)) {
        for (const splitK of partsFor(spec, { block, ...groups })) {
          const parts = splitK === 1 ? {} : { splitK };
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

/** As many as fit, and one less; where very many fit, the usual ones. */
const stagesFor = (most: number): readonly number[] =>
  most > STAGE_COUNTS.usual ? [STAGE_COUNTS.usual, most] : [most, most - 1];

/** None that are more than C has, but for the narrowest. */
function columnsFor(spec: ResolvedSpec): readonly number[] {
  const { n } = spec.problem;
  const isDeep = majorOf(spec, 'b') === 'k';
  // Parts of K each add up eight of them at least.
  if (n < PANEL && isDeep) return NARROW.filter(columns => columns >= n);
  return COLUMNS.filter(
    (columns, i) =>
      (isDeep || columns % PANEL === 0) && (columns === PANEL || (COLUMNS[i + 1] ?? 0) < n),
  );
}

type Tile = Readonly<Record<'m' | 'n' | 'k', number>>;

/** Blocks of a cluster have tiles of their own; where one of A meets many of B, more blocks share it. */
function clustersFor(problem: ResolvedProblem, block: Sides): readonly Sides[] {
  const { m, n } = tileCount(problem, block);
  return CLUSTERS.filter(
    cluster => cluster.m <= m && cluster.n <= n && (cluster.n <= 2 || m <= FEW_ROWS),
  );
}

/** Parts of K while tiles leave multiprocessors idle: consumers that share a tile have some, where K has a step for each. */
function partsFor(
  { problem, device, schedule }: ResolvedSpec,
  { block, kernelSchedule }: Pick<ResolvedSchedule, 'kernelSchedule'> & { readonly block: Tile },
): readonly number[] {
  if (kernelSchedule === 'pingpong' || schedule.split !== undefined) return [1];
  const { m, n } = tileCount(problem, block);
  const { multiprocessors = 1 } = findDevice(device) ?? {};
  const steps = Math.ceil(problem.k / block.k);
  const idle = (parts: number): boolean => m * n * problem.batch * (parts / 2) < multiprocessors;
  return PARTS.filter(parts => parts === 1 || (idle(parts) && parts <= steps));
}

/** Rows (or columns) of clusters that are walked together, the likeliest first: no more than there are of the smallest tiles. */
export const rasterGroups = (extent: number): readonly number[] =>
  [16, 8, 32, 4].filter(group => group === 4 || (group / 2) * ROWS < extent);
