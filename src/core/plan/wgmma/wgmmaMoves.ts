/**
 * Neighboring `wgmma` schedules. They have different tiles, warp groups or numbers of split-K
 * slices, with as many stages as fit, or use programmatic launch.
 */
import type { ResolvedSchedule, ResolvedSpec } from '../../spec/resolved';
import { isSwapped, swappedSchedule, swappedSpec } from '../swapAB';
import { changesIn, type Move } from '../neighbors';
import { stagesThatFit, STAGE_COUNTS } from './wgmma';

/** Tile rows and consumer warp groups of the candidates. Each consumer computes 64 or 128 rows. */
export const GROUPS = [
  { m: 128, kernelSchedule: 'pingpong', consumers: 2 },
  { m: 128, kernelSchedule: 'cooperative', consumers: 2 },
  { m: 256, kernelSchedule: 'cooperative', consumers: 2 },
  { m: 192, kernelSchedule: 'cooperative', consumers: 3 },
  { m: 64, kernelSchedule: 'pingpong', consumers: 2 },
  { m: 64, kernelSchedule: 'cooperative', consumers: 1 },
  { m: 128, kernelSchedule: 'cooperative', consumers: 1 },
] as const;

/** Tile widths that are legal for every layout. */
const COLUMNS = [32, 64, 96, 128, 160, 192, 224, 256];
const SLICES = [1, 2, 4, 8];

/** Fields that moves may change, with their default values. */
const FIELDS = {
  'block.m': 0,
  'block.n': 0,
  stages: 0,
  kernelSchedule: 'cooperative',
  consumers: 1,
  splitK: 1,
  launch: 'serial',
};

/** Returns the moves to neighboring schedules. Their legality is not checked here. */
export function warpGroupMoves(spec: ResolvedSpec): readonly Move[] {
  const { schedule } = spec;
  const swaps = isSwapped(schedule);
  const found = swaps
    ? neighborsOf(swappedSpec(spec)).map(neighbour => swappedSchedule(neighbour))
    : neighborsOf(spec);
  return found
    .map(neighbour => changesIn<number | string>(FIELDS, schedule, neighbour))
    .filter(({ length }) => length > 0);
}

function neighborsOf(spec: ResolvedSpec): readonly ResolvedSchedule[] {
  const { schedule } = spec;
  const k = schedule.block?.k;
  const early = (['programmatic', 'prefetch'] as const).map((launch): ResolvedSchedule => ({
    ...schedule,
    launch,
  }));
  if (k === undefined) return early;
  const tiles = COLUMNS.flatMap(n =>
    GROUPS.flatMap(({ m, ...groups }) =>
      (groups.kernelSchedule === 'cooperative' ? SLICES : [1]).map(splitK => {
        const block = { m, n, k };
        const tile = { ...schedule, ...groups, block, splitK };
        const most = Math.min(
          STAGE_COUNTS.usual,
          stagesThatFit({ ...spec, schedule: tile }, block),
        );
        return { ...tile, stages: Math.max(STAGE_COUNTS.least, most) };
      }),
    ),
  );
  return [...early, ...tiles];
}
