/** Legal extents of a tile, for the handles at its edges. */
import { planSpec } from '../src/core/defaults/check';
import { usesOf } from '../src/core/plan/fields';
import type { Kernel } from '../src/core/kernel/kernel';
import type { GemmSpec } from '../src/core/spec/schema';
import { resolvedOf } from './derive';
import { applyChanges, valueAt } from './edit';

export type TilePath = `schedule.${'block' | 'warp'}.${'m' | 'n'}`;

/** Tested extents: the multiples of a quarter of each power of two. */
const EXTENTS: readonly number[] = [
  ...new Set(
    [1, 2, 4, 8, 16, 32, 64, 128, 256].flatMap(power =>
      [4, 5, 6, 7].map(quarters => (power * quarters) / 4),
    ),
  ),
  512,
].filter(Number.isInteger);

export const MIN_EXTENT = 1;
export const MAX_EXTENT = 512;

/** Returns the paths of the tile extents along the rows and columns of C, if they can be edited. */
export function extentPaths(
  { spec: { schedule } }: Kernel,
  level: 'block' | 'warp',
): { readonly rows: TilePath; readonly columns: TilePath } | null {
  const fields: readonly string[] = usesOf(schedule)?.fields ?? [];
  if (!fields.includes(`${level}.m`) || !fields.includes(`${level}.n`)) return null;
  return { rows: `schedule.${level}.m`, columns: `schedule.${level}.n` };
}

/** A legal extent, with the changes of the spec that set it. */
export interface LegalExtent {
  readonly extent: number;
  readonly changes: Readonly<Record<string, number>>;
}

/**
 * Returns the legal extents in ascending order. A warp tile may also need the opposite change of
 * its other extent, because a warp has a fixed number of lanes.
 */
export function legalExtents(
  spec: GemmSpec,
  path: TilePath,
  target: Kernel['target'],
): readonly LegalExtent[] {
  const resolved = resolvedOf(spec);
  const isLegal = (changes: LegalExtent['changes']): boolean => {
    const decoded = applyChanges(spec, resolved, changes);
    return decoded.ok && planSpec(decoded.spec, target).ok;
  };
  const other = OTHER_EXTENTS[path];
  const [own, opposite] = [path, other].map(of =>
    of === undefined ? null : valueAt(resolved, of),
  );
  return EXTENTS.flatMap(extent => {
    const alone = { [path]: extent };
    if (isLegal(alone)) return [{ extent, changes: alone }];
    if (other === undefined || typeof own !== 'number' || typeof opposite !== 'number') return [];
    const both = { ...alone, [other]: (own * opposite) / extent };
    return isLegal(both) ? [{ extent, changes: both }] : [];
  });
}

const OTHER_EXTENTS: Readonly<Partial<Record<TilePath, TilePath>>> = {
  'schedule.warp.m': 'schedule.warp.n',
  'schedule.warp.n': 'schedule.warp.m',
};

/** Returns the legal extent that is nearest to a value; null without legal extents. */
export const nearestExtent = (legal: readonly LegalExtent[], wanted: number): LegalExtent | null =>
  legal.reduce<LegalExtent | null>(
    (best, of) =>
      best === null || Math.abs(of.extent - wanted) < Math.abs(best.extent - wanted) ? of : best,
    null,
  );

/** Returns the next legal extent above or below a value; null if there is none. */
export const nextExtent = (
  legal: readonly LegalExtent[],
  value: number,
  up: boolean,
): LegalExtent | null =>
  (up
    ? legal.find(({ extent }) => extent > value)
    : legal.findLast(({ extent }) => extent < value)) ?? null;
