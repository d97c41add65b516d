/**
 * Legality of `register-tile` and later SIMT algorithms: warp tiles, vectors, stages and swizzles.
 */
import { t } from '@vscode/l10n';
import { DTYPE_BYTES } from '../../types/dtype';
import { isLaned, NARROWEST_COPY_BYTES, widest, WIDEST_BYTES } from '../simt/lanes';
import type { LanePlan } from '../plan';
import { threadLayouts } from './threadLayoutRules';
import { laneRule } from './familyRule';
import type { RuleViolation, ShapeRule } from './rule';
import { WARP_LANES } from '../../hardware/warp';

const SIDES = ['m', 'n'] as const;
/** Minimum and maximum number of pipeline stages. One stage cannot overlap copies with FMAs. */
export const STAGES = { least: 2, most: 5 } as const;

const warpTiles: ShapeRule = ({ spec: { schedule }, geometry: { tile, thread } }) => {
  const { warp } = schedule;
  if (!isLaned(schedule.algorithm) || warp?.m === undefined || warp.n === undefined) return [];
  const { m, n } = warp;
  const extents = { m, n };
  const uneven = SIDES.flatMap((side): readonly RuleViolation[] => [
    ...(tile[side] % extents[side] === 0
      ? []
      : [
          {
            rule: 'warp-tile',
            path: `schedule.warp.${side}`,
            message: t(
              'warp.{0} must divide block.{0}: {1} is not a multiple of {2}.',
              side,
              tile[side],
              extents[side],
            ),
            otherwise: {
              path: `schedule.block.${side}`,
              nearest: extents[side] * Math.max(1, Math.round(tile[side] / extents[side])),
            },
          },
        ]),
    ...(extents[side] % thread[side] === 0
      ? []
      : [
          {
            rule: 'thread-tile',
            path: `schedule.thread.${side}`,
            message: t(
              'thread.{0} must divide warp.{0}: {1} is not a multiple of {2}.',
              side,
              extents[side],
              thread[side],
            ),
          },
        ]),
  ]);
  const lanes = (m / thread.m) * (n / thread.n);
  if (uneven.length > 0 || lanes === WARP_LANES) return uneven;
  const message = t(
    '({0} / {1}) x ({2} / {3}) = {4} lanes; a warp has {5}.',
    m,
    thread.m,
    n,
    thread.n,
    lanes,
    WARP_LANES,
  );
  return [{ rule: 'warp-lanes', path: 'schedule.warp.n', message }];
};

const vectors: ShapeRule = ({ spec: { problem, schedule }, target }) => {
  const { vector } = schedule;
  if (vector === undefined || !isLaned(schedule.algorithm)) return [];
  // The operand with the smaller element type allows the most elements per access.
  const narrow = DTYPE_BYTES[problem.b.dtype] < DTYPE_BYTES[problem.a.dtype] ? 'b' : 'a';
  const { dtype } = problem[narrow];
  const bytes = DTYPE_BYTES[dtype];
  const most = widest(bytes, target);
  if (vector <= most) return [];
  const message =
    vector * bytes > WIDEST_BYTES
      ? t(
          '{0} elements of {1} are {2} B; the widest access is {3} B.',
          vector,
          dtype,
          vector * bytes,
          WIDEST_BYTES,
        )
      : t("WGSL's widest vector has {0} elements; vector is {1}.", most, vector);
  return [{ rule: 'vector', path: 'schedule.vector', message, nearest: most }];
};

const stages = laneRule(({ spec: { schedule, device }, target }, lanes) => {
  const { stages: given, algorithm } = schedule;
  if (algorithm !== 'pipelined' || given === undefined) return [];
  const breach = (message: string, nearest: number): readonly RuleViolation[] => [
    { rule: 'stages', path: 'schedule.stages', message, nearest },
  ];
  const { least, most } = STAGES;
  if (lanes.copies === 'registers' && given > least) {
    const { tooNarrow } = lanes;
    if (tooNarrow !== undefined) {
      return breach(
        t(
          'Asynchronous copies need at least {2} B, but {0} allows only {1} B per copy. Prefetching in registers requires {3} stages, got {4}.',
          tooNarrow.operand.toUpperCase(),
          tooNarrow.bytes,
          NARROWEST_COPY_BYTES,
          least,
          given,
        ),
        least,
      );
    }
    const who = target === 'wgsl' ? 'WGSL' : device;
    return breach(
      t(
        '{0} has no asynchronous copies, so the next tile is prefetched in registers. This requires {1} stages, got {2}.',
        who,
        least,
        given,
      ),
      least,
    );
  }
  if (given >= least && given <= most) return [];
  return breach(
    t('Expected {0} to {1} pipeline stages, got {2}.', least, most, given),
    given < least ? least : most,
  );
});

/**
 * Checks double-buffered fragments. They require asynchronous copies, an even number of k-steps per
 * tile, and at least one full K tile.
 */
const fragments = laneRule(({ spec: { problem, schedule }, target }, lanes, { tile }) => {
  if (schedule.algorithm !== 'pipelined' || lanes.fragments !== 2) return [];
  const breach = (message: string): readonly RuleViolation[] => [
    { rule: 'fragments', path: 'schedule.fragments', message, nearest: 1 },
  ];
  if (lanes.copies !== 'asynchronous') {
    return breach(
      target === 'wgsl'
        ? t('Double-buffered fragments require asynchronous copies, which WGSL does not have.')
        : t(
            'Double-buffered fragments require asynchronous copies; these tiles are prefetched in registers.',
          ),
    );
  }
  if (tile.k % 2 !== 0) {
    return breach(
      t('Double-buffered fragments require an even number of k-steps per tile; got {0}.', tile.k),
    );
  }
  // Past the end of K, the kernel copies the last tile again without bounds checks. The copy stays
  // inside the matrix, because K has at least one full tile.
  if (problem.k >= tile.k) return [];
  return breach(
    t(
      'Double-buffered fragments require a full K tile: K = {0} is smaller than a tile of {1}.',
      problem.k,
      tile.k,
    ),
  );
});

const traversals = laneRule(({ spec: { problem, schedule }, target }, _, { thread }) => {
  if (schedule.traversal === undefined) return [];
  const breach = (message: string): readonly RuleViolation[] => [
    { rule: 'traversal', path: 'schedule.traversal', message, nearest: null },
  ];
  if (target === 'cuda' && problem.accumulator !== 'f16') {
    const odd = schedule.traversal === 'col-pairs' && thread.n % 2 !== 0;
    return odd
      ? breach(
          t(
            'The traversal col-pairs requires an even number of columns per thread; got {0}.',
            thread.n,
          ),
        )
      : [];
  }
  if (target === 'wgsl' && schedule.traversal !== 'col-pairs') return [];
  const message = t(
    'The traversal cannot be set: each vector instruction computes several accumulators, so vectors determine the order. Fix: remove traversal.',
  );
  return breach(message);
});

/**
 * Maximum number of unrolled statements. Drivers need several seconds to compile larger kernels.
 */
const MAX_UNROLLED = 2048;

const unrolls = laneRule(({ spec: { problem, schedule }, target }, lanes, { tile, thread }) => {
  if (schedule.unroll !== 'full' || target !== 'wgsl') return [];
  const width = lanes.group[problem.c.layout === 'row' ? 'n' : 'm'];
  const statements = (tile.k * thread.m * thread.n) / width;
  if (statements <= MAX_UNROLLED) return [];
  const message = t(
    'Full unrolling expands the {0} k-steps of a tile to {1} vector FMAs; the maximum is {2}.',
    tile.k,
    statements,
    MAX_UNROLLED,
  );
  return [{ rule: 'unroll', path: 'schedule.unroll', message, nearest: 'none' }];
});

const swizzles = laneRule(({ spec: { schedule } }, lanes, { shared, tile }) => {
  if (schedule.swizzle !== 'xor' || shared === undefined) return [];
  const breach = (message: string): readonly RuleViolation[] => [
    { rule: 'swizzle', path: 'schedule.swizzle', message, nearest: 'none' },
  ];
  const transposed = (['a', 'b'] as const).filter(operand => lanes[operand].transposed);
  if (transposed.length === 0) {
    return breach(
      t(
        'XOR swizzle applies only to operands that are transposed in shared memory; A and B are not transposed.',
      ),
    );
  }
  const padded = transposed.find(operand => shared[operand].padding > 0);
  if (padded !== undefined) {
    return breach(
      t(
        'padding.{0} = {1} and XOR swizzle both remove these bank conflicts. Fix: use only one of them.',
        padded,
        shared[padded].padding,
      ),
    );
  }
  const whole = transposed.find(operand => lanes[operand].swizzle === 1);
  if (whole === undefined) return [];
  const [extent, group] = sideOf(lanes, tile, whole);
  return breach(
    t(
      'XOR swizzle of groups of {1} elements requires rows with a multiple of {2} elements; got {0}.',
      extent,
      group,
      2 * group,
    ),
  );
});

const sideOf = (
  { group }: LanePlan,
  tile: { readonly m: number; readonly n: number },
  operand: 'a' | 'b',
): readonly [number, number] => (operand === 'a' ? [tile.m, group.m] : [tile.n, group.n]);

export const LANE_RULES: readonly ShapeRule[] = [
  warpTiles,
  vectors,
  stages,
  fragments,
  traversals,
  unrolls,
  swizzles,
  threadLayouts,
];
