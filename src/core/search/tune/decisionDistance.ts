/**
 * Counts the tuning decisions in which two schedules differ. This distance defines neighbors and
 * near duplicates.
 */
import type { ResolvedSchedule } from '../../spec/resolved';
import { isNeutral, leaves } from '../../spec/scheduleFields';
import type { TuneSpace } from './space';

const THREAD_LAYOUTS = ['threadLayout.a', 'threadLayout.b', 'threadLayout.c'];

/** Groups of schedule fields; each group forms one tuning decision. */
const DECISIONS: readonly (readonly string[])[] = [
  ['block.m'],
  ['block.n'],
  ['warp.m', 'warp.n', 'thread.m', 'thread.n', 'thread.k', ...THREAD_LAYOUTS],
  ['block.k'],
  ['algorithm', 'stages', 'prefetch', 'variant', 'kernelSchedule', 'consumers', 'split'],
  ['padding.a', 'padding.b', 'swizzle'],
  ['raster.order', 'raster.group'],
  ['splitK', 'splitKReduction'],
  ['fragments', 'traversal'],
  ['minBlocksPerSm'],
  ['vector'],
  ['unroll'],
  ['sharing'],
  ['cluster.m', 'cluster.n'],
  ['mma.m', 'mma.n', 'mma.k'],
  ['launch'],
];

const DECISION_OF = new Map(
  DECISIONS.flatMap((fields, decision) => fields.map(field => [field, decision] as const)),
);

/** Returns one string per decision. Two schedules agree in a decision if the strings are equal. */
export function decisionsOf(schedule: ResolvedSchedule): readonly string[] {
  const texts = DECISIONS.map(() => '');
  for (const [path, value] of leaves(schedule)) {
    const decision = DECISION_OF.get(path);
    // An explicit padding of 0 yields the same kernel.
    if (decision === undefined || isNeutral(path, value) || value === 0) continue;
    texts[decision] = `${texts[decision] ?? ''}${path} ${String(value)},`;
  }
  return texts;
}

export function distance(one: readonly string[], other: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) count++;
  return count;
}

/** Enumerates schedules of the space that differ from the given schedule in one decision. */
export function* differingInOne(
  members: Iterable<ResolvedSchedule>,
  variants: TuneSpace['variants'],
  schedule: ResolvedSchedule,
): Generator<ResolvedSchedule> {
  const centre = decisionsOf(schedule);
  const raster = JSON.stringify(schedule.raster);
  for (const one of variants(schedule)) {
    if (distance(decisionsOf(one), centre) === 1) yield one;
  }
  for (const member of members) {
    if (!isPossiblyNear(member, schedule)) continue;
    for (const one of variants(member)) {
      if (JSON.stringify(one.raster) !== raster) continue;
      if (distance(decisionsOf(one), centre) === 1) yield one;
    }
  }
}

/**
 * Tests cheaply whether a schedule may be a neighbor, because most schedules of a large space are
 * not.
 */
function isPossiblyNear({ block }: ResolvedSchedule, { block: centre }: ResolvedSchedule): boolean {
  const sides = ['m', 'n', 'k'] as const;
  return sides.filter(side => block?.[side] !== centre?.[side]).length <= 1;
}
