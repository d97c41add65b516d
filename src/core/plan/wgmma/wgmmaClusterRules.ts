/** Legality of what blocks of a cluster share: tiles that they load for each other, and parts of K whose sums they exchange. */
import { t } from '@vscode/l10n';
import { grouped as n } from '../../text/numbers';
import type { ShapeRule } from '../rules/rule';
import { BARRIER_BYTES } from './wgmma';
import { computedRule, wgmmaRule as rule } from './wgmmaRule';

const SIDES = [1, 2, 4, 8] as const;
/** Blocks of a cluster that every GPU with clusters takes (CUDA C++ Programming Guide, "Thread Block Clusters"). */
const MOST_PORTABLE_CLUSTER = 8;

const clusters = rule('cluster', ({ wgmma: { cluster } }) => {
  const { m, n: columnsOf } = cluster;
  const isSide = (side: number): boolean => SIDES.some(one => one === side);
  if (isSide(m) && isSide(columnsOf) && m * columnsOf <= MOST_PORTABLE_CLUSTER) return [];
  const message = t(
    'A cluster has {0} blocks along a side, and {1} at most; it is {2} x {3}.',
    SIDES.join(', '),
    MOST_PORTABLE_CLUSTER,
    m,
    columnsOf,
  );
  const down = (side: number, most: number): number =>
    SIDES.findLast(one => one <= Math.min(side, most)) ?? 1;
  const nearest = { m: down(m, MOST_PORTABLE_CLUSTER), n: 1 };
  return [
    {
      path: 'schedule.cluster',
      message,
      nearest: { ...nearest, n: down(columnsOf, MOST_PORTABLE_CLUSTER / nearest.m) },
    },
  ];
});

/** Columns that a lane has a pair of; each part adds up whole ones of them. */
const COLUMNS_A_SHARE = 8;
const SUM_BYTES = 4;

/** Blocks that share a tile are of one cluster, since they exchange their sums through its shared memory. */
const parts = computedRule(
  'split-k',
  ({ spec: { problem }, geometry: { tile }, limits, wgmma }) => {
    const { splitK, kernelSchedule, pieces, stages, cluster, a, b } = wgmma;
    if (splitK === 1) return [];
    const blocks = cluster.m * cluster.n;
    const steps = Math.ceil(problem.k / tile.k);
    const shares = tile.n / COLUMNS_A_SHARE;
    const stage = a.bytes + b.bytes;
    const exchanged = tile.m * tile.n * SUM_BYTES;
    const needed = Math.ceil(exchanged / stage);
    const isPossible =
      kernelSchedule === 'cooperative' &&
      pieces === undefined &&
      needed * stage <= limits.sharedBytes - needed * BARRIER_BYTES;
    const most = Math.min(splitK, steps, Math.floor(MOST_PORTABLE_CLUSTER / blocks));
    const counts = Array.from({ length: Math.max(1, most) }, (_, i) => most - i);
    const nearest = (isPossible ? counts.find(count => shares % count === 0) : undefined) ?? 1;
    const no = (message: string) => [{ path: 'schedule.splitK', message, nearest }];
    if (kernelSchedule === 'pingpong') {
      return no(t('Consumers that take turns have no parts of K: cooperative has.'));
    }
    if (pieces !== undefined) {
      return no(t('f32 that is split into pieces is summed along all of K.'));
    }
    if (blocks * splitK > MOST_PORTABLE_CLUSTER) {
      const message = t(
        '{0} parts of K and {1} blocks that share tiles are a cluster of {2}; {3} is the most.',
        splitK,
        blocks,
        blocks * splitK,
        MOST_PORTABLE_CLUSTER,
      );
      return no(message);
    }
    if (steps < splitK) {
      return no(
        t('K = {0} is {1} steps of {2}, too few for {3} parts.', problem.k, steps, tile.k, splitK),
      );
    }
    if (shares % splitK !== 0) {
      const message = t(
        'Each part adds up a share of the {0} columns, in eights: {1} parts have none that are equal.',
        tile.n,
        splitK,
      );
      return no(message);
    }
    if (needed <= stages) return [];
    const message = t(
      '{0} B of sums are exchanged through the {1} B of the stages: they need more stages.',
      n(exchanged),
      n(stages * stage),
    );
    return isPossible ? [{ path: 'schedule.stages', message, nearest: needed }] : no(message);
  },
);

/** Rows of a box: swizzles repeat after 8, and TMA counts to 256 (CUDA Driver API, "cuTensorMapEncodeTiled"). */
const BOX_ROWS = { unit: 8, most: 256 } as const;

const shares = computedRule('cluster-share', ({ geometry: { tile }, wgmma, names }) => {
  const { cluster } = wgmma;
  const parted = (['a', 'b'] as const).find(
    operand => wgmma[operand].share > 1 && wgmma[operand].box[1] % BOX_ROWS.unit !== 0,
  );
  if (parted === undefined) return [];
  const { share, major } = wgmma[parted];
  const whole = major === 'k' ? (parted === 'a' ? tile.m : tile.n) : tile.k;
  const message = t(
    '{0} blocks of a cluster each load a part of {1}, in rows of 8: {2} rows have no such parts.',
    share,
    names[parted],
    whole,
  );
  const most = (side: 'a' | 'b', given: number): number => {
    const extent = wgmma[side].box[1] * wgmma[side].share;
    return SIDES.findLast(one => one <= given && extent % (one * BOX_ROWS.unit) === 0) ?? 1;
  };
  const nearest = { m: most('b', cluster.m), n: most('a', cluster.n) };
  return [{ path: 'schedule.cluster', message, nearest }];
});

const boxes = computedRule('tma-box', ({ wgmma, names }) =>
  (['a', 'b'] as const).flatMap(operand => {
    const [, outer] = wgmma[operand].box;
    if (outer <= BOX_ROWS.most) return [];
    const side = operand === 'a' ? 'm' : 'n';
    const message = t(
      'TMA loads boxes of up to {0} rows: {1} of {2} are {3}.',
      BOX_ROWS.most,
      names[side],
      names[operand],
      outer,
    );
    return [{ path: `schedule.block.${side}`, message }];
  }),
);

export const CLUSTER_RULES: readonly ShapeRule[] = [clusters, parts, shares, boxes];
