/**
 * Positions of block, warp and lane in `vectorized` and later algorithms. A lane's rows are groups
 * of adjacent rows, interleaved with the groups of the other lanes.
 */
import { WARP_LANES } from '../../../hardware/warp';
import {
  add,
  blockIdx,
  ceilDiv,
  constant,
  div,
  int,
  min,
  mod,
  mul,
  sub,
  threadIdx,
  variable,
} from '../../ir/expr';
import type { Expr, Statement } from '../../ir/ir';
import { alongSide } from '../../../plan/stridedRows';
import type { LanedPlan, WarpMatrixPlan } from '../../../plan/plan';
import type { ThreadLayout, ThreadLayouts } from '../../../plan/threadLayout';
import { comment, declare } from '../loops';
import * as name from '../names';

export const LANES = { m: constant('LANES_M'), n: constant('LANES_N') } as const;
const WARP_TILE = { m: constant('WM'), n: constant('WN') } as const;

/** Returns a width as an expression: the constant VEC if the width equals it. */
export function widthOf(plan: LanedPlan | WarpMatrixPlan, width: number): Expr {
  const { vector } = plan.family === 'simt' ? plan.lanes : plan.matrix;
  return width > 1 && width === vector ? constant('VEC') : int(width);
}

/** Returns the stride, in the matrix, between the elements of a staged vector. */
export const strideOf = (plan: LanedPlan, side: 'm' | 'n'): Expr => {
  const { fragment } = alongSide(plan.lanes, side);
  return div(side === 'm' ? name.BM : name.BN, widthOf(plan, fragment));
};

/** Returns the row or column in the tile of the first element of a staged vector. */
export function firstInMatrix(plan: LanedPlan, side: 'm' | 'n', position: Expr): Expr {
  const { fragmentStride, fragment } = alongSide(plan.lanes, side);
  return fragmentStride === 1 ? position : div(position, widthOf(plan, fragment));
}

/** Returns the offset of a lane's i-th row or column of C. */
export function resultOffset(plan: LanedPlan, side: 'm' | 'n', index: Expr, step: number): Expr {
  const { fragmentStride, fragment } = alongSide(plan.lanes, side);
  if (fragmentStride === 1) return offsetOf(plan, side, index, step);
  const width = widthOf(plan, fragment);
  return add(mul(div(index, width), LANES[side]), mul(mod(index, width), strideOf(plan, side)));
}

/** Returns the offset of a lane's i-th row or column in the staged tile. */
export function offsetOf(plan: LanedPlan, side: 'm' | 'n', index: Expr, step: number): Expr {
  const { group } = plan.lanes;
  // A single group is contiguous. With steps of whole groups, the quotient below is exact.
  if (group[side] === plan.thread[side]) return index;
  if (step % group[side] === 0) return mul(index, LANES[side]);
  const width = widthOf(plan, group[side]);
  return add(mul(mul(div(index, width), width), LANES[side]), mod(index, width));
}

export function lanePosition(plan: LanedPlan): readonly Statement[] {
  const { group, threadLayouts } = plan.lanes;
  if (threadLayouts !== undefined) return layoutPosition(plan, threadLayouts);
  const [first, last] = [widthOf(plan, group.m), widthOf(plan, group.n)];
  const tid = threadIdx('x');
  const warps = plan.spec.schedule.warp !== undefined;
  const lane = warps ? variable('lane') : tid;
  const across = div(name.BN, WARP_TILE.n);
  const warpRow = mul(div(variable('warp'), across), WARP_TILE.m);
  const warpColumn = mul(mod(variable('warp'), across), WARP_TILE.n);
  const { quads } = plan.lanes;
  const [two, line] = [int(2), mul(int(2), LANES.n)];
  const inRow = quads
    ? add(mod(div(lane, two), two), mul(div(lane, line), two))
    : div(lane, LANES.n);
  const inColumn = quads
    ? add(mod(lane, two), mul(mod(div(lane, int(4)), div(LANES.n, two)), two))
    : mod(lane, LANES.n);
  const [row, column] = [mul(inRow, first), mul(inColumn, last)];
  return [
    ...blockPosition(plan),
    ...(warps
      ? [declare('warp', div(tid, int(WARP_LANES))), declare('lane', mod(tid, int(WARP_LANES)))]
      : []),
    ...describeGroups(plan),
    ...(quads ? [comment(QUADS)] : []),
    declare('threadRow', warps ? add(warpRow, row) : row),
    declare('threadCol', warps ? add(warpColumn, column) : column),
  ];
}

const QUADS =
  'Lanes are arranged in 2 x 2 quads: pairs of lanes read the same address, so a wavefront of shared memory serves twice as many lanes.';

/**
 * Returns the coordinates of this thread in a thread layout; the mode with the larger stride needs
 * no remainder.
 */
function coordinates(
  { shape, stride }: ThreadLayout,
  [first, second]: readonly [Expr, Expr],
): readonly [Expr, Expr] {
  const tid = threadIdx('x');
  const [s0, s1] = shape;
  const rowMajor = s1 > 1 && stride[1] === 1 && (s0 === 1 || stride[0] === s1);
  if (s0 === 1) return [int(0), tid];
  if (s1 === 1) return [tid, int(0)];
  return rowMajor ? [div(tid, second), mod(tid, second)] : [mod(tid, first), div(tid, first)];
}

function layoutPosition(plan: LanedPlan, layouts: ThreadLayouts): readonly Statement[] {
  const [am, ak] = coordinates(layouts.a, [constant('TA_M'), constant('TA_K')]);
  const [bn, bk] = coordinates(layouts.b, [constant('TB_N'), constant('TB_K')]);
  const [cm, cn] = coordinates(layouts.c, [LANES.m, LANES.n]);
  return [
    ...blockPosition(plan),
    comment('Coordinates of this thread in the layouts tA, tB and tC.'),
    declare('aM', am),
    declare('aK', ak),
    declare('bN', bn),
    declare('bK', bk),
    declare('threadRow', cm),
    declare('threadCol', cn),
  ];
}

function describeGroups(plan: LanedPlan): readonly Statement[] {
  const { group, lanes } = plan.lanes;
  const { thread } = plan;
  const parts = (['m', 'n'] as const)
    .filter(side => group[side] < thread[side] || alongSide(plan.lanes, side).fragmentStride > 1)
    .map(side => {
      const what = side === 'm' ? 'rows' : 'columns';
      const some = thread[side] / group[side];
      const { fragmentStride } = alongSide(plan.lanes, side);
      if (fragmentStride > 1) {
        const groups = some === 1 ? '' : `${some} groups of `;
        return `${groups}${group[side]} ${what} with a stride of ${fragmentStride}, so that adjacent threads own adjacent ${what}`;
      }
      const grouped =
        group[side] === 1 ? `${some} ${what}` : `${some} groups of ${group[side]} ${what}`;
      return `${grouped} (stride ${group[side] * lanes[side]})`;
    });
  return parts.length === 0 ? [] : [comment(`Each thread owns ${parts.join(' and ')}.`)];
}

/** Declares the origin of the block's tile, in raster order. */
export function blockPosition(plan: LanedPlan | WarpMatrixPlan): readonly Statement[] {
  const { order = 'row', group = 1 } = plan.spec.schedule.raster ?? {};
  if (order === 'row' && group === 1) {
    return [
      declare('blockRow', mul(blockIdx('y'), name.BM)),
      declare('blockCol', mul(blockIdx('x'), name.BN)),
    ];
  }
  const [tilesM, tilesN] = [variable('tilesM'), variable('tilesN')];
  const byRows = order === 'row';
  const [along, across] = byRows ? [tilesN, tilesM] : [tilesM, tilesN];
  const linear = variable('linearTile');
  const [firstName, extentName] = byRows
    ? ['firstTileRow', 'groupRows']
    : ['firstTileColumn', 'groupColumns'];
  const [first, extent] = [variable(firstName), variable(extentName)];
  const RASTER = constant('RASTER');
  const inGroup = mod(linear, mul(RASTER, along));
  const slow = div(inGroup, extent);
  const fast = add(first, mod(inGroup, extent));
  return [
    comment(
      `Rasterization in groups of RASTER tile ${byRows ? 'rows' : 'columns'} (L2 reuse); the last group may be smaller.`,
    ),
    declare('tilesM', ceilDiv(name.M, name.BM)),
    declare('tilesN', ceilDiv(name.N, name.BN)),
    declare('linearTile', add(mul(blockIdx('y'), tilesN), blockIdx('x'))),
    declare(firstName, mul(div(linear, mul(RASTER, along)), RASTER)),
    declare(extentName, min(sub(across, first), RASTER)),
    declare('blockRow', mul(byRows ? fast : slow, name.BM)),
    declare('blockCol', mul(byRows ? slow : fast, name.BN)),
  ];
}
