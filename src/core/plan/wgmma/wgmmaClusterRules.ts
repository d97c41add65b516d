/**
 * Legality of clusters, whose blocks share loaded tiles or exchange the accumulators of split-K
 * slices.
 */
import { t } from '@vscode/l10n';
import { grouped as n } from '../../text/numbers';
import type { ShapeRule } from '../rules/rule';
import { exchangedBytes } from './clusterSplit';
import { BARRIER_BYTES } from './specialization';
import { computedRule, wgmmaRule as rule } from './wgmmaRule';

const SIDES = [1, 2, 4, 8] as const;
/**
 * Maximum portable cluster size in blocks (CUDA C++ Programming Guide, "Thread Block Clusters").
 */
export const MAX_PORTABLE_CLUSTER = 8;

const clusters = rule('cluster', ({ wgmma: { cluster } }) => {
  const { m, n: columnsOf } = cluster;
  const isSide = (side: number): boolean => SIDES.some(one => one === side);
  if (isSide(m) && isSide(columnsOf) && m * columnsOf <= MAX_PORTABLE_CLUSTER) return [];
  const message = t(
    'Cluster dimensions must be one of {0}, with at most {1} blocks; got {2} x {3}.',
    SIDES.join(', '),
    MAX_PORTABLE_CLUSTER,
    m,
    columnsOf,
  );
  const down = (side: number, most: number): number =>
    SIDES.findLast(one => one <= Math.min(side, most)) ?? 1;
  const nearest = { m: down(m, MAX_PORTABLE_CLUSTER), n: 1 };
  return [
    {
      path: 'schedule.cluster',
      message,
      nearest: { ...nearest, n: down(columnsOf, MAX_PORTABLE_CLUSTER / nearest.m) },
    },
  ];
});

/**
 * Checks split-K in a cluster, whose blocks exchange accumulators through distributed shared
 * memory.
 */
const parts = computedRule(
  'split-k',
  ({ spec: { problem }, geometry: { tile }, limits, wgmma }) => {
    const { splitK, kernelSchedule, fp32Emulation, stages, cluster, a, b } = wgmma;
    if (splitK === 1) return [];
    const blocks = cluster.m * cluster.n;
    const steps = Math.ceil(problem.k / tile.k);
    const stage = a.bytes + b.bytes;
    const stagesFor = (slices: number): number => Math.ceil(exchangedBytes(tile, slices) / stage);
    const isPossible = (slices: number): boolean =>
      kernelSchedule === 'cooperative' &&
      fp32Emulation === undefined &&
      stagesFor(slices) * (stage + BARRIER_BYTES) <= limits.sharedBytes;
    const most = Math.min(splitK, steps, Math.floor(MAX_PORTABLE_CLUSTER / blocks));
    const counts = Array.from({ length: Math.max(1, most) }, (_, i) => most - i);
    const nearest = counts.find(isPossible) ?? 1;
    const no = (message: string) => [{ path: 'schedule.splitK', message, nearest }];
    if (kernelSchedule === 'pingpong') {
      return no(withoutPingpong());
    }
    if (fp32Emulation !== undefined) {
      return no(withoutEmulation());
    }
    if (blocks * splitK > MAX_PORTABLE_CLUSTER) {
      const message = t(
        '{0} split-K slices x {1} blocks form a cluster of {2}; the maximum is {3}.',
        splitK,
        blocks,
        blocks * splitK,
        MAX_PORTABLE_CLUSTER,
      );
      return no(message);
    }
    if (steps < splitK) {
      return no(
        t(
          'K = {0} has {1} k-iterations of {2}, too few for {3} slices.',
          problem.k,
          steps,
          tile.k,
          splitK,
        ),
      );
    }
    const needed = stagesFor(splitK);
    if (needed <= stages) return [];
    const message = t(
      'Split-K exchanges {0} B of accumulators, but the stages have only {1} B of shared memory.',
      n(exchangedBytes(tile, splitK)),
      n(stages * stage),
    );
    return isPossible(splitK)
      ? [{ path: 'schedule.stages', message, nearest: needed }]
      : no(message);
  },
);

/**
 * Checks the kernels that support the given reduction. Rules of all algorithms check the slices.
 */
const reduction = rule('split-k', ({ spec: { schedule }, wgmma }) => {
  const { splitK = 1, splitKReduction } = schedule;
  if (splitK > 1 && splitKReduction === 'atomic') {
    const message = t(
      'wgmma does not add split-K slices with atomics. Fix: use two-pass, or remove splitKReduction to reduce the slices in the cluster.',
    );
    return [{ path: 'schedule.splitKReduction', message, nearest: 'two-pass' }];
  }
  if (wgmma.twoPass === undefined) return [];
  const no = (message: string) => [{ path: 'schedule.splitK', message, nearest: 1 }];
  if (wgmma.kernelSchedule === 'pingpong') return no(withoutPingpong());
  return wgmma.fp32Emulation === undefined ? [] : no(withoutEmulation());
});

const withoutPingpong = (): string =>
  t('The ping-pong schedule does not support split-K. Fix: use cooperative.');
const withoutEmulation = (): string =>
  t('FP32 emulation does not support split-K. Fix: remove splitK.');

/**
 * Row limits of a TMA box: swizzles repeat every 8 rows, and the maximum is 256 rows (CUDA Driver
 * API, "cuTensorMapEncodeTiled").
 */
export const BOX_ROWS = { unit: 8, most: 256 } as const;

const shares = computedRule('cluster-share', ({ geometry: { tile }, wgmma, names }) => {
  const { cluster } = wgmma;
  const parted = (['a', 'b'] as const).find(
    operand => wgmma[operand].share > 1 && wgmma[operand].box[1] % BOX_ROWS.unit !== 0,
  );
  if (parted === undefined) return [];
  const { share, major } = wgmma[parted];
  const whole = major === 'k' ? (parted === 'a' ? tile.m : tile.n) : tile.k;
  const message = t(
    '{0} blocks of a cluster divide the load of {1} into equal multiples of 8 rows; {2} rows are not divisible.',
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
      'A TMA box has at most {0} rows; {1} results in {3} rows of {2}.',
      BOX_ROWS.most,
      names[side],
      names[operand],
      outer,
    );
    return [{ path: `schedule.block.${side}`, message }];
  }),
);

export const CLUSTER_RULES: readonly ShapeRule[] = [clusters, parts, reduction, shares, boxes];
