/** Legality from `vectorized` on: warp tiles, vectors, stages and swizzles. */
import { t } from '@vscode/l10n';
import { DTYPE_BYTES } from '../../types/dtype';
import { isLaned, NARROWEST_COPY_BYTES, widest, WIDEST_BYTES } from '../simt/lanes';
import type { LanePlan } from '../plan';
import { threadLayouts } from './threadLayoutRules';
import { laneRule } from './familyRule';
import type { Breach, ShapeRule } from './rule';
import { WARP_LANES } from '../../hardware/warp';

const SIDES = ['m', 'n'] as const;
/** Of a pipeline: fewer are none, and more than five only hold shared memory. */
export const STAGES = { least: 2, most: 5 } as const;

const warpTiles: ShapeRule = ({ spec: { schedule }, geometry: { tile, thread } }) => {
  const { warp } = schedule;
  if (!isLaned(schedule.algorithm) || warp?.m === undefined || warp.n === undefined) return [];
  const { m, n } = warp;
  const extents = { m, n };
  const uneven = SIDES.flatMap((side): readonly Breach[] => [
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
  // Each operand's accesses are as wide as its own type allows.
  const narrow = DTYPE_BYTES[problem.b.dtype] < DTYPE_BYTES[problem.a.dtype] ? 'b' : 'a';
  const { dtype } = problem[narrow];
  const bytes = DTYPE_BYTES[dtype];
  const most = widest(bytes, target);
  if (vector <= most) return [];
  const message =
    vector * bytes > WIDEST_BYTES
      ? t(
          '{0} elements of {1} are {2} B; an access moves {3} B at most.',
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
  const breach = (message: string, nearest: number): readonly Breach[] => [
    { rule: 'stages', path: 'schedule.stages', message, nearest },
  ];
  const { least, most } = STAGES;
  if (lanes.copies === 'registers' && given > least) {
    const { tooNarrow } = lanes;
    if (tooNarrow !== undefined) {
      return breach(
        t(
          '{0} would be copied {1} B at a time, and asynchronous copies move {2} B or more: the next tile waits in registers, for which {3} stages are enough; stages is {4}.',
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
        '{0} has no asynchronous copies: the next tile waits in registers, for which {1} stages are enough; stages is {2}.',
        who,
        least,
        given,
      ),
      least,
    );
  }
  if (given >= least && given <= most) return [];
  return breach(
    t('A pipeline has {0} to {1} stages; stages is {2}.', least, most, given),
    given < least ? least : most,
  );
});

/** Loads and multiply-adds that overlap: of kernels whose copies come by themselves. */
const fragments = laneRule(({ spec: { problem, schedule }, target }, lanes, { tile }) => {
  if (schedule.algorithm !== 'pipelined' || lanes.fragments !== 2) return [];
  const breach = (message: string): readonly Breach[] => [
    { rule: 'fragments', path: 'schedule.fragments', message, nearest: 1 },
  ];
  if (lanes.copies !== 'asynchronous') {
    return breach(
      target === 'wgsl'
        ? t(
            'Fragments are loaded ahead where tiles are copied asynchronously; WGSL has no such copies.',
          )
        : t(
            'Fragments are loaded ahead where tiles are copied asynchronously; these tiles wait in registers.',
          ),
    );
  }
  if (tile.k % 2 !== 0) {
    return breach(t('Two buffers take turns over the depths of a tile: {0} is not even.', tile.k));
  }
  const part = (schedule.splitK ?? 1) > 1;
  if (problem.k % tile.k === 0 || (problem.k > tile.k && !part)) return [];
  return breach(
    part
      ? t(
          'Parts of K whose last tile is not whole have no tile to copy again: K = {0} is not a multiple of {1}.',
          problem.k,
          tile.k,
        )
      : t(
          'Past the end the last tile is copied again, and it must be whole: K = {0} is less than a tile of {1}.',
          problem.k,
          tile.k,
        ),
  );
});

const traversals = laneRule(({ spec: { problem, schedule }, target }, _, { thread }) => {
  if (schedule.traversal === undefined) return [];
  const breach = (message: string): readonly Breach[] => [
    { rule: 'traversal', path: 'schedule.traversal', message, nearest: null },
  ];
  if (target === 'cuda' && problem.accumulator !== 'f16') {
    const odd = schedule.traversal === 'col-pairs' && thread.n % 2 !== 0;
    return odd ? breach(t('{0} columns are no pairs.', thread.n)) : [];
  }
  if (target === 'wgsl' && schedule.traversal !== 'col-pairs') return [];
  const message = t(
    'Several results are computed by one instruction here: their order is the order of the vectors.',
  );
  return breach(message);
});

/** A text that is written out is compiled for every size of it: beyond this, drivers take seconds. */
const MOST_WRITTEN_OUT = 2048;

const unrolls = laneRule(({ spec: { problem, schedule }, target }, lanes, { tile, thread }) => {
  if (schedule.unroll !== 'full' || target !== 'wgsl') return [];
  const width = lanes.group[problem.c.layout === 'row' ? 'n' : 'm'];
  const statements = (tile.k * thread.m * thread.n) / width;
  if (statements <= MOST_WRITTEN_OUT) return [];
  const message = t(
    'Written out, the {0} depths of a tile are {1} multiply-adds of vectors; {2} are the most.',
    tile.k,
    statements,
    MOST_WRITTEN_OUT,
  );
  return [{ rule: 'unroll', path: 'schedule.unroll', message, nearest: 'none' }];
});

const swizzles = laneRule(({ spec: { schedule } }, lanes, { shared, tile }) => {
  if (schedule.swizzle !== 'xor' || shared === undefined) return [];
  const breach = (message: string): readonly Breach[] => [
    { rule: 'swizzle', path: 'schedule.swizzle', message, nearest: 'none' },
  ];
  const turned = (['a', 'b'] as const).filter(operand => lanes[operand].transposed);
  if (turned.length === 0) {
    return breach(
      t(
        'Neither tile is transposed while staged, so its rows are written as they are read: there is nothing to swizzle.',
      ),
    );
  }
  const padded = turned.find(operand => shared[operand].padding > 0);
  if (padded !== undefined) {
    return breach(
      t(
        'padding.{0} = {1} cures the same conflicts: use one of the two.',
        padded,
        shared[padded].padding,
      ),
    );
  }
  const whole = turned.find(operand => lanes[operand].swizzle === 1);
  if (whole === undefined) return [];
  const [extent, group] = sideOf(lanes, tile, whole);
  return breach(
    t(
      'A row of {0} elements in groups of {1} has no two groups to exchange: it must be a multiple of {2}.',
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
