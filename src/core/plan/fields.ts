/** Which schedule fields an algorithm has a use for. A field without use is a violation when given. */
import type { Algorithm, Schedule, Variant } from '../spec/schema';

interface Uses {
  /** JSON paths under `schedule`. */
  readonly fields: readonly string[];
  readonly variants: readonly Variant[];
}

const BLOCK = ['block.m', 'block.n', 'minBlocksPerSm'];
const STAGED = [...BLOCK, 'block.k', 'padding.a', 'padding.b'];

/** The algorithms of this version; the others of the ladder are declared but not planned yet. */
export const PLANNED: Readonly<Partial<Record<Algorithm, Uses>>> = {
  naive: { fields: BLOCK, variants: [] },
  coalesced: { fields: [...BLOCK, 'variant'], variants: ['swap', 'remap'] },
  'shared-tile': { fields: [...STAGED, 'variant'], variants: ['2d', '1d', 'transposed'] },
  'thread-tile-1d': { fields: [...STAGED, 'thread.m'], variants: [] },
  'thread-tile-2d': { fields: [...STAGED, 'thread.m', 'thread.n'], variants: [] },
};

/** Values that say "off" and are harmless where the field has no use yet. */
const NEUTRAL: Readonly<Record<string, unknown>> = {
  swizzle: 'none',
  splitK: 1,
  'raster.order': 'row',
  'raster.group': 1,
};

/** Paths of the given fields that the algorithm has no use for, outermost first. */
export function unusedFields(schedule: Schedule): readonly string[] {
  const uses = PLANNED[schedule.algorithm];
  if (uses === undefined) return [];
  return leaves(schedule).flatMap(([path, value]) =>
    path === 'algorithm' || uses.fields.includes(path) || NEUTRAL[path] === value ? [] : [path],
  );
}

function leaves(schedule: Schedule): readonly (readonly [string, unknown])[] {
  return Object.entries(schedule).flatMap(([key, value]): (readonly [string, unknown])[] => {
    if (value === undefined) return [];
    if (typeof value !== 'object') return [[key, value]];
    const inner = Object.entries(value).filter(([, field]) => field !== undefined);
    return inner.map(([name, field]) => [`${key}.${name}`, field]);
  });
}
