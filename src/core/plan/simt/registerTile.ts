/**
 * `register-tile` kernels load operands directly into registers. The access width depends on the
 * contiguous elements that a thread needs: rows of an M-major A, columns of an N-major B, or
 * consecutive k if K is contiguous.
 */
import { DTYPE_BYTES } from '../../types/dtype';
import { extent, type ResolvedSpec } from '../../spec/resolved';
import type { Target } from '../../spec/schema';
import { gemvLanes } from './gemv';
import { aligned, furtherStrides, lanePlan, storeWidth, widest } from './lanes';
import type { LanePlan, Plan, StagedOperand } from '../plan';

/**
 * Number of threads that share loads of A. Four is the smallest subgroup size that WebGPU allows.
 */
export const QUAD = 4;

type Tiles = Pick<Plan, 'tile' | 'thread'>;

/** Returns the lane plan of a schedule; null for algorithms without lanes. */
export function lanePlanOf(spec: ResolvedSpec, target: Target, tiles: Tiles): LanePlan | null {
  switch (spec.schedule.algorithm) {
    case 'register-tile':
      return registerTile(spec, target, tiles);
    case 'gemv':
      return gemvLanes(spec, target, tiles);
    default:
      return lanePlan(spec, target, tiles);
  }
}

export const kPerLoad = ({ transposed, width }: StagedOperand): number => (transposed ? width : 1);

function registerTile(spec: ResolvedSpec, target: Target, { tile, thread }: Tiles): LanePlan {
  const { problem, schedule } = spec;
  const { vector = 1, sharing } = schedule;
  const [a, b] = (['a', 'b'] as const).map(operand =>
    direct(spec, { operand, target, tiles: { tile, thread } }),
  ) as [StagedOperand, StagedOperand];
  // If a load covers several k-steps, rows and columns of a thread need not be adjacent.
  const group = { m: a.transposed ? 1 : a.width, n: b.transposed ? 1 : b.width };
  const c = extent(problem, 'c');
  const row = problem.c.layout === 'row';
  return {
    warp: { m: tile.m, n: tile.n },
    lanes: { m: tile.m / thread.m, n: tile.n / thread.n },
    quads: false,
    group,
    vector,
    stages: 1,
    fragments: 1,
    copies: 'direct',
    a,
    b,
    storeWidth: storeWidth(spec, row ? group.n : group.m, {
      along: row ? c.columns : c.rows,
      target,
    }),
    ...(sharing === 'quad' ? { sharing } : {}),
  };
}

/**
 * Returns the access widths of an operand. `transposed` means that K is the contiguous dimension.
 */
function direct(
  spec: ResolvedSpec,
  given: { readonly operand: 'a' | 'b'; readonly target: Target; readonly tiles: Tiles },
): StagedOperand {
  const { operand, target, tiles } = given;
  const { problem, schedule } = spec;
  const { layout, ld, dtype } = problem[operand];
  const transposed = (operand === 'a') === (layout === 'row');
  const { rows, columns } = extent(problem, operand);
  const side = operand === 'a' ? tiles.thread.m : tiles.thread.n;
  const shared = operand === 'a' && schedule.sharing === 'quad';
  const most = Math.min(schedule.vector ?? 1, widest(DTYPE_BYTES[dtype], target));
  const width = aligned(shared ? 1 : most, [
    ld,
    layout === 'row' ? columns : rows,
    transposed ? tiles.tile.k : side,
    ...furtherStrides(problem, operand),
  ]);
  return { transposed, width, loadsPerStore: 1, fragment: width, fragmentStride: 1, swizzle: 1 };
}
