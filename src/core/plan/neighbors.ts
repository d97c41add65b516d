/** Neighbors of a schedule, with halved or doubled tiles. Legality is not checked here. */
import type { ResolvedSchedule, ResolvedSpec } from '../spec/resolved';
import { usesOf } from './fields';

export interface ScheduleChange<Value = number | string> {
  /** JSON path of the changed field, such as `schedule.padding.a`. */
  readonly path: string;
  readonly from: Value;
  readonly to: Value;
}

export type Move<Value = number | string> = readonly ScheduleChange<Value>[];

const TILE = /^(block|warp|thread)\./;

/**
 * Returns moves that halve or double one tile field, or all tile fields along M or N. Changing the
 * block, warp and thread tile together keeps the number of threads.
 */
export function tileMoves(schedule: ResolvedSchedule): readonly Move<number>[] {
  const tiles = (usesOf(schedule)?.fields ?? [])
    .filter(field => TILE.test(field))
    .flatMap(field => {
      const from = valueAt(schedule, field);
      if (typeof from !== 'number') return [];
      return [from / 2, from * 2]
        .filter(to => Number.isInteger(to) && to >= 1)
        .map(to => ({ path: `schedule.${field}`, from, to, grows: to > from }));
    });
  const along = (['m', 'n'] as const).flatMap(dimension =>
    [false, true].map(grows =>
      tiles.filter(tile => tile.path.endsWith(`.${dimension}`) && tile.grows === grows),
    ),
  );
  return [...tiles.map(tile => [tile]), ...along.filter(move => move.length > 1)].map(move =>
    move.map(({ path, from, to }) => ({ path, from, to })),
  );
}

export function tileMovePairs(schedule: ResolvedSchedule): readonly Move<number>[] {
  const moves = tileMoves(schedule);
  const pairs = moves.flatMap((one, index) =>
    moves
      .slice(index + 1)
      .filter(other => !one.some(({ path }) => other.some(change => change.path === path)))
      .map(other => [...one, ...other]),
  );
  return [...moves, ...pairs];
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

export const valueAt = (root: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), root);

/**
 * Returns the changes of the given fields between two schedules. `fields` maps each path to its
 * default value.
 */
export const changesIn = <Value extends number | string>(
  fields: Readonly<Record<string, Value>>,
  before: ResolvedSchedule,
  after: ResolvedSchedule,
): Move<Value> =>
  Object.entries(fields).flatMap(([field, absent]) => {
    const of = (schedule: ResolvedSchedule): Value => {
      const value = valueAt(schedule, field);
      return value === undefined ? absent : (value as Value);
    };
    const [from, to] = [of(before), of(after)];
    return from === to ? [] : [{ path: `schedule.${field}`, from, to }];
  });

export function changed(spec: ResolvedSpec, { path, to }: ScheduleChange): ResolvedSpec {
  const [, group = '', name] = path.split('.');
  const { schedule } = spec;
  const inner = valueAt(schedule, group);
  const value = name === undefined ? to : { ...(isObject(inner) ? inner : {}), [name]: to };
  return { ...spec, schedule: { ...schedule, [group]: value } };
}
