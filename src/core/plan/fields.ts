/** Which schedule fields an algorithm has a use for. A field without use is a violation when given. */
import type { ResolvedSchedule } from '../spec/resolved';
import { isNeutral, leaves } from '../spec/scheduleDefaults';
import type { Algorithm, Target, Variant } from '../spec/schema';

interface Uses {
  /** JSON paths under `schedule`. */
  readonly fields: readonly string[];
  readonly variants: readonly Variant[];
  /** Absent: every target. */
  readonly targets?: readonly Target[];
}

const BLOCK = ['block.m', 'block.n', 'splitK', 'minBlocksPerSm'];
const STAGED = [...BLOCK, 'block.k', 'padding.a', 'padding.b'];
const RASTER = ['raster.order', 'raster.group'];
const LANED = [
  ...[...STAGED, 'thread.m', 'thread.n', 'vector', 'swizzle', 'unroll', 'traversal'],
  ...RASTER,
];
const WARPS = [...LANED, 'warp.m', 'warp.n'];

/** The algorithms of this version; the others of the ladder are declared but not planned yet. */
export const PLANNED: Readonly<Partial<Record<Algorithm, Uses>>> = {
  naive: { fields: BLOCK, variants: [] },
  coalesced: { fields: [...BLOCK, 'variant'], variants: ['swap', 'remap'] },
  'shared-tile': { fields: [...STAGED, 'variant'], variants: ['2d', '1d', 'transposed'] },
  'thread-tile-1d': { fields: [...STAGED, 'thread.m'], variants: [] },
  'thread-tile-2d': { fields: [...STAGED, 'thread.m', 'thread.n'], variants: [] },
  'register-tile': {
    fields: [...BLOCK, 'block.k', 'thread.m', 'thread.n', 'vector', 'sharing', ...RASTER],
    variants: [],
  },
  vectorized: { fields: [...LANED, 'prefetch'], variants: [] },
  'warp-tile': { fields: [...WARPS, 'prefetch'], variants: [] },
  layout: {
    fields: [...STAGED, ...RASTER, 'threadLayout.a', 'threadLayout.b', 'threadLayout.c'],
    variants: [],
  },
  pipelined: { fields: [...WARPS, 'stages', 'fragments'], variants: [] },
  mma: {
    fields: [...STAGED, ...RASTER, ...['warp.m', 'warp.n', 'vector', 'mma.m', 'mma.n', 'mma.k']],
    variants: [],
    targets: ['wgsl'],
  },
};

/** Whether this version plans it for a target. */
export function isPlanned(algorithm: Algorithm, target: Target): boolean {
  const uses = PLANNED[algorithm];
  return uses?.targets?.includes(target) ?? uses !== undefined;
}

/** Those that it plans for a target, in order. */
export const plannedFor = (target: Target): readonly Algorithm[] =>
  (Object.keys(PLANNED) as Algorithm[]).filter(algorithm => isPlanned(algorithm, target));

/** Paths of the given fields that the algorithm has no use for, outermost first. */
export function unusedFields(schedule: ResolvedSchedule): readonly string[] {
  const uses = PLANNED[schedule.algorithm];
  if (uses === undefined) return [];
  const staged = uses.fields.includes('block.k');
  const split = (schedule.splitK ?? 1) > 1;
  return leaves(schedule).flatMap(([path, value]) =>
    path === 'algorithm' ||
    uses.fields.includes(path) ||
    (split && path === 'splitKReduction') ||
    (staged && isNeutral(path, value))
      ? []
      : [path],
  );
}
