/** Legality from `vectorized` on: warp tiles, vectors, stages and swizzles. */
import { DTYPE_BYTES } from '../spec/dtype';
import { isLaned, widest, WIDEST_BYTES } from './lanes';
import type { LanePlan } from './plan';
import type { Breach, Rule } from './rule';

const SIDES = ['m', 'n'] as const;
const WARP_LANES = 32;
/** Of a pipeline: fewer are no pipeline, and more than five were never seen to help (see the ladder's measurements). */
const STAGES = { least: 2, most: 5 } as const;

const warpTiles: Rule = ({ spec: { schedule }, geometry: { tile, thread } }) => {
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
            message: `warp.${side} must divide block.${side}: ${tile[side]} is not a multiple of ${extents[side]}.`,
          },
        ]),
    ...(extents[side] % thread[side] === 0
      ? []
      : [
          {
            rule: 'thread-tile',
            path: `schedule.thread.${side}`,
            message: `thread.${side} must divide warp.${side}: ${extents[side]} is not a multiple of ${thread[side]}.`,
          },
        ]),
  ]);
  const lanes = (m / thread.m) * (n / thread.n);
  if (uneven.length > 0 || lanes === WARP_LANES) return uneven;
  const message = `(${m} / ${thread.m}) x (${n} / ${thread.n}) = ${lanes} lanes; a warp has ${WARP_LANES}.`;
  return [{ rule: 'warp-lanes', path: 'schedule.warp.n', message }];
};

const vectors: Rule = ({ spec: { problem, schedule }, target }) => {
  const { vector } = schedule;
  if (vector === undefined || !isLaned(schedule.algorithm)) return [];
  const { dtype } = problem.a;
  const bytes = DTYPE_BYTES[dtype];
  const most = widest(bytes, target);
  if (vector <= most) return [];
  const message =
    vector * bytes > WIDEST_BYTES
      ? `${vector} elements of ${dtype} are ${vector * bytes} B; an access moves ${WIDEST_BYTES} B at most.`
      : `WGSL's widest vector has ${most} elements; vector is ${vector}.`;
  return [{ rule: 'vector', path: 'schedule.vector', message, nearest: most }];
};

const stages: Rule = ({ spec: { schedule, device }, target, geometry: { laned } }) => {
  const { stages: given, algorithm } = schedule;
  if (algorithm !== 'pipelined' || given === undefined || laned === undefined) return [];
  const breach = (message: string, nearest: number): readonly Breach[] => [
    { rule: 'stages', path: 'schedule.stages', message, nearest },
  ];
  const { least, most } = STAGES;
  if (laned.copies === 'registers' && given > least) {
    const who = target === 'wgsl' ? 'WGSL has' : `${device} has`;
    return breach(
      `${who} no asynchronous copies: the next tile waits in registers, for which ${least} stages are enough; stages is ${given}.`,
      least,
    );
  }
  if (given >= least && given <= most) return [];
  return breach(
    `A pipeline has ${least} to ${most} stages; stages is ${given}.`,
    given < least ? least : most,
  );
};

const swizzles: Rule = ({ spec: { schedule }, geometry: { laned, shared, tile } }) => {
  if (schedule.swizzle !== 'xor' || laned === undefined || shared === undefined) return [];
  const breach = (message: string): readonly Breach[] => [
    { rule: 'swizzle', path: 'schedule.swizzle', message, nearest: 'none' },
  ];
  const turned = (['a', 'b'] as const).filter(operand => laned[operand].transposed);
  if (turned.length === 0) {
    return breach(
      'Neither tile is transposed while staged, so its rows are written as they are read: there is nothing to swizzle.',
    );
  }
  const padded = turned.find(operand => shared[operand].padding > 0);
  if (padded !== undefined) {
    return breach(
      `padding.${padded} = ${shared[padded].padding} cures the same conflicts: use one of the two.`,
    );
  }
  const whole = turned.find(operand => laned[operand].swizzle === 1);
  if (whole === undefined) return [];
  const [extent, group] = sideOf(laned, tile, whole);
  return breach(
    `A row of ${extent} elements in groups of ${group} has no two groups to exchange: it must be a multiple of ${2 * group}.`,
  );
};

const sideOf = (
  { group }: LanePlan,
  tile: { readonly m: number; readonly n: number },
  operand: 'a' | 'b',
): readonly [number, number] => (operand === 'a' ? [tile.m, group.m] : [tile.n, group.n]);

export const LANE_RULES: readonly Rule[] = [warpTiles, vectors, stages, swizzles];
