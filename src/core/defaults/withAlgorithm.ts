/** Change of the algorithm of a spec, which keeps the tiles that the user wrote. */
import { PLANNED } from '../plan/fields';
import type { Algorithm, GemmSpec, Schedule, Target } from '../spec/schema';
import { examiner } from '../plan/examiner';
import { checkAndPlan } from './check';

type Tile = 'block' | 'warp' | 'thread';
type Tiles = Partial<Pick<Schedule, Tile>>;

/** Tiles to keep, from all of them to none. The block tile is given up last. */
const KEPT: readonly (readonly Tile[])[] = [
  ['block', 'warp', 'thread'],
  ['block', 'warp'],
  ['block', 'thread'],
  ['block'],
  ['warp', 'thread'],
  ['warp'],
  ['thread'],
  [],
];

/**
 * Returns the schedule of an algorithm with the written block, warp and thread tiles. Tiles that
 * the algorithm does not use are left out, and tiles that would make a legal target illegal. All
 * other fields have their defaults.
 */
export function withAlgorithm(
  { schedule, ...spec }: GemmSpec,
  algorithm: Algorithm,
): Schedule & { readonly algorithm: Algorithm } {
  const legality = examiner();
  const legalOf = (tiles: Tiles): readonly Target[] =>
    checkAndPlan({ ...spec, schedule: { algorithm, ...tiles } }, undefined, undefined, legality)
      .report.legal;
  const written = usedTiles(schedule ?? {}, PLANNED[algorithm]?.fields ?? []);
  const required = legalOf({});
  const candidates = KEPT.filter(names => names.every(name => written[name] !== undefined));
  const pick = (names: readonly Tile[]): Tiles =>
    Object.fromEntries(names.map(name => [name, written[name]]));
  const kept = candidates.map(pick).find(tiles => {
    const legal = legalOf(tiles);
    return legal.length > 0 && required.every(target => legal.includes(target));
  });
  return { algorithm, ...kept };
}

function usedTiles(schedule: Schedule, fields: readonly string[]): Tiles {
  const used = (name: Tile) =>
    Object.entries(schedule[name] ?? {}).filter(
      ([side, value]) => value !== undefined && fields.includes(`${name}.${side}`),
    );
  return Object.fromEntries(
    (['block', 'warp', 'thread'] as const).flatMap(name => {
      const sides = used(name);
      return sides.length === 0 ? [] : [[name, Object.fromEntries(sides)]];
    }),
  );
}
