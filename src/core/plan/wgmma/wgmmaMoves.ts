/** Neighbours of a schedule of `wgmma`: another tile or other warp groups, parts of K among them, with as many stages as fit then; and a launch that begins early. */
import type { ResolvedSchedule, ResolvedSpec } from '../../spec/resolved';
import { isSwapped, mirroredSchedule, mirroredSpec } from '../swapAB';
import { changesIn, type Move } from '../moves';
import { stagesThatFit, STAGE_COUNTS } from './wgmma';

/** Rows of a tile, and who multiplies them: a consumer has 64 or 128. */
export const GROUPS = [
  { m: 128, kernelSchedule: 'pingpong', consumers: 2 },
  { m: 128, kernelSchedule: 'cooperative', consumers: 2 },
  { m: 256, kernelSchedule: 'cooperative', consumers: 2 },
  { m: 192, kernelSchedule: 'cooperative', consumers: 3 },
  { m: 64, kernelSchedule: 'pingpong', consumers: 2 },
  { m: 64, kernelSchedule: 'cooperative', consumers: 1 },
  { m: 128, kernelSchedule: 'cooperative', consumers: 1 },
] as const;

/** Widths that any layout takes. */
const COLUMNS = [32, 64, 96, 128, 160, 192, 224, 256];
const PARTS = [1, 2, 4, 8];

/** What may differ, and what it is where a schedule does not name it. */
const FIELDS = {
  'block.m': 0,
  'block.n': 0,
  stages: 0,
  kernelSchedule: 'cooperative',
  consumers: 1,
  splitK: 1,
  launch: 'serial',
};

/** Legal or not: whoever asks plans them. */
export function warpGroupMoves(spec: ResolvedSpec): readonly Move[] {
  const { schedule } = spec;
  const swaps = isSwapped(schedule);
  const found = swaps
    ? neighbours(mirroredSpec(spec)).map(neighbour => mirroredSchedule(neighbour))
    : neighbours(spec);
  return found
    .map(neighbour => changesIn<number | string>(FIELDS, schedule, neighbour))
    .filter(({ length }) => length > 0);
}

/** Of the product whose rows are those of the instruction. */
function neighbours(spec: ResolvedSpec): readonly ResolvedSchedule[] {
  const { schedule } = spec;
  const k = schedule.block?.k;
  const early: ResolvedSchedule = { ...schedule, launch: 'programmatic' };
  if (k === undefined) return [early];
  const tiles = COLUMNS.flatMap(n =>
    GROUPS.flatMap(({ m, ...groups }) =>
      (groups.kernelSchedule === 'cooperative' ? PARTS : [1]).map(splitK => {
        const block = { m, n, k };
        const tile = { ...schedule, ...groups, block, splitK };
        // As the default has them.
        const most = Math.min(
          STAGE_COUNTS.usual,
          stagesThatFit({ ...spec, schedule: tile }, block),
        );
        return { ...tile, stages: Math.max(STAGE_COUNTS.least, most) };
      }),
    ),
  );
  return [early, ...tiles];
}
