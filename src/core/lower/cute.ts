/** What the head and the constants of a `layout` kernel say, in CuTe's notation: `_128` is known at compile time. */
import type { NamedConstant } from '../ir/ir';
import type { Plan } from '../plan/plan';
import type { ThreadLayout } from '../plan/threadLayout';
import { extent } from '../spec/resolved';

const fixed = (...values: readonly number[]): readonly string[] => values.map(value => `_${value}`);
const text = (shape: readonly string[], stride: readonly string[]): string =>
  `(${shape.join(',')}):(${stride.join(',')})`;
const threads = ({ shape, stride }: ThreadLayout): string =>
  text(fixed(...shape), fixed(...stride));
/** A stride of 1 is known; a leading dimension is passed at run time. */
const stride = (value: number): string => (value === 1 ? '_1' : String(value));

/** Extents of the thread layouts: how far a repetition of them reaches. */
export function layoutConstants({ laned }: Plan): readonly NamedConstant[] {
  const layouts = laned?.threadLayouts;
  if (layouts === undefined) return [];
  const c = (name: string, value: number, comment: string): NamedConstant => ({
    ...{ name, value, comment },
  });
  return [
    c('TA_M', layouts.a.shape[0], 'rows of A that the threads copy at once'),
    c('TA_K', layouts.a.shape[1], 'columns of A that the threads copy at once'),
    c('TB_N', layouts.b.shape[0], 'columns of B that the threads copy at once'),
    c('TB_K', layouts.b.shape[1], 'rows of B that the threads copy at once'),
  ];
}

/** The idea of the kernel and CuTe's reading of its tensors; A is (M,K), B is (N,K), C is (M,N). */
export function layoutSummary(plan: Plan): readonly string[] {
  const { tile, laned, shared } = plan;
  const layouts = laned?.threadLayouts;
  if (layouts === undefined || shared === undefined) return [];
  const { problem } = plan.spec;
  const strides = (operand: 'a' | 'b' | 'c'): readonly [number, number] => {
    const { layout, ld } = problem[operand];
    // B's first mode is N, its column.
    const first = operand === 'b' ? layout === 'row' : layout === 'col';
    return first ? [1, ld] : [ld, 1];
  };
  const staged = (operand: 'a' | 'b'): readonly string[] => {
    const { rows, columns } = extent(problem, operand);
    const [along, depth] = strides(operand);
    const label = operand.toUpperCase();
    const side = operand === 'a' ? tile.m : tile.n;
    const shape = operand === 'a' ? [rows, columns] : [columns, rows];
    const tiles = String(Math.ceil(problem.k / tile.k));
    const row = shared[operand].inner + shared[operand].padding;
    return [
      `  m${label} ${text(shape.map(String), [along, depth].map(stride))}`,
      `  g${label} ${text([...fixed(side, tile.k), tiles], [...[along, depth].map(stride), String(depth * tile.k)])}`,
      `  s${label} ${text(fixed(side, tile.k), fixed(1, row))}`,
      `  t${label} ${threads(layouts[operand])}`,
    ];
  };
  const [rows, columns] = strides('c');
  return [
    `Each block computes a ${tile.m} x ${tile.n} tile of C as CuTe's tutorial does: thread layouts tA and tB are repeated`,
    `over the tiles of A and B to copy them, and tC over the tile of C to compute it.`,
    '',
    "CuTe's reading, shape:stride, of the matrices, their tiles, the tiles in shared memory and the threads:",
    ...staged('a'),
    ...staged('b'),
    `  gC ${text(fixed(tile.m, tile.n), [rows, columns].map(stride))}`,
    `  tC ${threads(layouts.c)}`,
  ];
}
