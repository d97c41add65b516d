/**
 * Schedule fields that each algorithm uses. Setting another field is a violation, except to "off"
 * where the algorithm has shared tiles.
 */
import type { ResolvedSchedule } from '../spec/resolved';
import { isNeutral, leaves } from '../spec/scheduleFields';
import type { Algorithm, Schedule, Target, Variant } from '../spec/schema';
import { isTmaMma } from './wgmma/tmaMma';

interface Uses {
  readonly fields: readonly string[];
  readonly variants: readonly Variant[];
  /** Fields that only CUDA uses. */
  readonly ofCuda?: readonly string[];
  /**
   * Fields whose values the algorithm determines. Setting them is a violation even for the value
   * "off".
   */
  readonly always?: readonly string[];
}

const BLOCK = ['block.m', 'block.n', 'splitK', 'minBlocksPerSm'];
const STAGED = [...BLOCK, 'block.k', 'padding.a', 'padding.b'];
const RASTER = ['raster.order', 'raster.group'];
const LANED = [
  ...STAGED,
  'thread.m',
  'thread.n',
  'vector',
  'swizzle',
  'unroll',
  'traversal',
  ...RASTER,
];
const WARPS = [...LANED, 'warp.m', 'warp.n'];

/**
 * Fields of each supported algorithm. Algorithms without an entry are declared in the schema but
 * not supported.
 */
export const PLANNED: Readonly<Partial<Record<Algorithm, Uses>>> = {
  naive: { fields: BLOCK, variants: [] },
  coalesced: { fields: [...BLOCK, 'variant', 'raster.order'], variants: ['swap', 'remap'] },
  'shared-tile': { fields: [...STAGED, 'variant'], variants: ['2d', '1d', 'transposed'] },
  'thread-tile-1d': { fields: [...STAGED, 'thread.m'], variants: [] },
  'thread-tile-2d': { fields: [...STAGED, 'thread.m', 'thread.n'], variants: [] },
  'register-tile': {
    fields: [...BLOCK, 'block.k', 'thread.m', 'thread.n', 'vector', 'sharing', ...RASTER],
    variants: [],
  },
  gemv: {
    fields: [...BLOCK, 'block.k', 'thread.m', 'thread.n', 'thread.k', 'vector'],
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
    fields: [
      ...STAGED,
      ...RASTER,
      'warp.m',
      'warp.n',
      'vector',
      'mma.m',
      'mma.n',
      'mma.k',
      'stages',
      'fragments',
      'swizzle',
      'split',
    ],
    variants: [],
    ofCuda: ['stages', 'fragments', 'swizzle', 'split'],
  },
  wgmma: {
    fields: [
      'block.m',
      'block.n',
      'block.k',
      'stages',
      ...RASTER,
      'mma.m',
      'mma.n',
      'mma.k',
      'cluster.m',
      'cluster.n',
      'consumers',
      'kernelSchedule',
      'operandOrder',
      'launch',
      'split',
      'splitK',
    ],
    variants: [],
    always: ['swizzle'],
  },
};

/**
 * Returns the fields of a schedule's kernels. `mma` with `kernelSchedule` `tma` has the fields of
 * `wgmma`.
 */
export const usesOf = (schedule: Pick<Schedule, 'kernelSchedule'> & { algorithm: Algorithm }) =>
  PLANNED[isTmaMma(schedule) ? 'wgmma' : schedule.algorithm];

export const isPlanned = (algorithm: Algorithm): boolean => PLANNED[algorithm] !== undefined;

export const plannedAlgorithms = (): readonly Algorithm[] => Object.keys(PLANNED) as Algorithm[];

/**
 * Returns the paths of the given fields that the algorithm does not use. Algorithms with shared
 * tiles also accept unused fields whose value means "off".
 */
export function unusedFields(schedule: ResolvedSchedule, target: Target): readonly string[] {
  const uses = usesOf(schedule);
  if (uses === undefined) return [];
  const { ofCuda = [], always: fixed = [] } = uses;
  const isUsed = (path: string): boolean =>
    uses.fields.includes(path) && (target === 'cuda' || !ofCuda.includes(path));
  const staged = uses.fields.includes('block.k');
  const split = (schedule.splitK ?? 1) > 1;
  return leaves(schedule).flatMap(([path, value]) =>
    path === 'algorithm' ||
    isUsed(path) ||
    (split && path === 'splitKReduction') ||
    (staged && isNeutral(path, value) && !fixed.includes(path))
      ? []
      : [path],
  );
}
