/** Head and constants of a `layout` kernel, in CuTe notation: `_128` is a compile-time constant. */
import { localTile } from '../../layout/divide';
import { flatten } from '../../layout/intTuple';
import { layoutOf, type Layout } from '../../layout/layout';
import type { NamedConstant } from '../ir/ir';
import type { LanedPlan } from '../../plan/plan';
import { matrixLayout } from '../../spec/operandViews';

/**
 * Prints a layout. The first `fixedExtents` extents are static (`_`). If not all extents are
 * static, only strides of 1 are static.
 */
function text({ shape, stride }: Layout, fixedExtents = Infinity): string {
  const all = fixedExtents === Infinity;
  const extents = flatten(shape).map((extent, i) => (i < fixedExtents ? `_${extent}` : extent));
  const strides = flatten(stride).map(step => (all || step === 1 ? `_${step}` : step));
  return `(${extents.join(',')}):(${strides.join(',')})`;
}

export function layoutConstants({ lanes }: LanedPlan): readonly NamedConstant[] {
  const layouts = lanes.threadLayouts;
  if (layouts === undefined) return [];
  const c = (name: string, value: number, comment: string): NamedConstant => ({
    name,
    value,
    comment,
  });
  return [
    c('TA_M', layouts.a.shape[0], 'rows of A copied per repetition of tA'),
    c('TA_K', layouts.a.shape[1], 'columns of A copied per repetition of tA'),
    c('TB_N', layouts.b.shape[0], 'columns of B copied per repetition of tB'),
    c('TB_K', layouts.b.shape[1], 'rows of B copied per repetition of tB'),
  ];
}

/** Describes the tensors in CuTe's notation: A is (M,K), B is (N,K), C is (M,N). */
export function layoutSummary(plan: LanedPlan): readonly string[] {
  const { tile, lanes, shared } = plan;
  const layouts = lanes.threadLayouts;
  if (layouts === undefined || shared === undefined) return [];
  const staged = (operand: 'a' | 'b'): readonly string[] => {
    const label = operand.toUpperCase();
    const matrix = matrixLayout(plan.spec.problem, operand);
    const side = operand === 'a' ? tile.m : tile.n;
    const inTile = [side, tile.k] as const;
    const row = shared[operand].inner + shared[operand].padding;
    const tiles = localTile(
      matrix,
      inTile.map(extent => layoutOf(extent, 1)),
      [0, null],
    );
    return [
      `  m${label} ${text(matrix, 0)}`,
      `  g${label} ${text(tiles.layout, inTile.length)}`,
      `  s${label} ${text(layoutOf(inTile, [1, row]))}`,
      `  t${label} ${text(layouts[operand])}`,
    ];
  };
  const ofC = localTile(
    matrixLayout(plan.spec.problem, 'c'),
    [layoutOf(tile.m, 1), layoutOf(tile.n, 1)],
    [0, 0],
  );
  return [
    `Each thread block computes a ${tile.m} x ${tile.n} tile of C as in CuTe's tutorial. The thread layouts tA and tB are repeated over the tiles of A and B to copy them; tC is repeated over the tile of C.`,
    '',
    'CuTe layouts (shape:stride) of the matrices (m), their tiles (g), the shared-memory tiles (s) and the threads (t):',
    ...staged('a'),
    ...staged('b'),
    `  gC ${text(ofC.layout, 2)}`,
    `  tC ${text(layouts.c)}`,
  ];
}
