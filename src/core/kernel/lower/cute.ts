/** What the head and the constants of a `layout` kernel say, in CuTe's notation: `_128` is known at compile time. */
import { localTile } from '../../layout/divide';
import { flatten } from '../../layout/intTuple';
import { layoutOf, type Layout } from '../../layout/layout';
import type { NamedConstant } from '../ir/ir';
import type { LanedPlan, Plan } from '../../plan/plan';
import { extent } from '../../spec/resolved';

/** The kernel's constants are all fixed; of a matrix only strides of 1 are, and the extents of its tiles. */
function text({ shape, stride }: Layout, fixedExtents = Infinity): string {
  const all = fixedExtents === Infinity;
  const extents = flatten(shape).map((extent, i) => (i < fixedExtents ? `_${extent}` : extent));
  const strides = flatten(stride).map(step => (all || step === 1 ? `_${step}` : step));
  return `(${extents.join(',')}):(${strides.join(',')})`;
}

/** Extents of the thread layouts: how far a repetition of them reaches. */
export function layoutConstants({ lanes }: LanedPlan): readonly NamedConstant[] {
  const layouts = lanes.threadLayouts;
  if (layouts === undefined) return [];
  const c = (name: string, value: number, comment: string): NamedConstant => ({
    name,
    value,
    comment,
  });
  return [
    c('TA_M', layouts.a.shape[0], 'rows of A that the threads copy at once'),
    c('TA_K', layouts.a.shape[1], 'columns of A that the threads copy at once'),
    c('TB_N', layouts.b.shape[0], 'columns of B that the threads copy at once'),
    c('TB_K', layouts.b.shape[1], 'rows of B that the threads copy at once'),
  ];
}

/** The idea of the kernel and CuTe's reading of its tensors; A is (M,K), B is (N,K), C is (M,N). */
export function layoutSummary(plan: LanedPlan): readonly string[] {
  const { tile, lanes, shared } = plan;
  const layouts = lanes.threadLayouts;
  if (layouts === undefined || shared === undefined) return [];
  const staged = (operand: 'a' | 'b'): readonly string[] => {
    const label = operand.toUpperCase();
    const matrix = matrixOf(plan, operand);
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
  const ofC = localTile(matrixOf(plan, 'c'), [layoutOf(tile.m, 1), layoutOf(tile.n, 1)], [0, 0]);
  return [
    `Each block computes a ${tile.m} x ${tile.n} tile of C as CuTe's tutorial does: thread layouts tA and tB are repeated`,
    `over the tiles of A and B to copy them, and tC over the tile of C to compute it.`,
    '',
    "CuTe's reading, shape:stride, of the matrices, their tiles, the tiles in shared memory and the threads:",
    ...staged('a'),
    ...staged('b'),
    `  gC ${text(ofC.layout, 2)}`,
    `  tC ${text(layouts.c)}`,
  ];
}

/** A matrix with CuTe's modes: (M,K), (N,K) and (M,N). */
function matrixOf({ spec: { problem } }: Plan, operand: 'a' | 'b' | 'c'): Layout {
  const { layout, ld } = problem[operand];
  const { rows, columns } = extent(problem, operand);
  const stride = layout === 'col' ? [1, ld] : [ld, 1];
  return operand === 'b'
    ? layoutOf([columns, rows], stride.toReversed())
    : layoutOf([rows, columns], stride);
}
