/**
 * The layouts of a kernel as CuTe C++ source with CuTe's names: the matrices (m), the tiles of a
 * thread block (g), the shared-memory tiles (s), the threads (t), and the elements of one thread.
 */
import { tupleText } from '../layout/intTuple';
import type { Layout } from '../layout/layout';
import { matrixLayout } from '../spec/operandViews';
import type { OperandName } from '../spec/resolved';
import type { Plan } from './plan';

export interface NamedLayout {
  readonly name: string;
  /** Definition in terms of earlier names. */
  readonly source: string;
}

/** Dynamic extents, and strides of which only 1 is static. */
function matrixSource({ shape, stride }: Layout): string {
  const strides = tupleText(stride).replaceAll(/\b1\b/g, '_1');
  return `make_layout(make_shape${tupleText(shape)}, make_stride${strides})`;
}

const staticTuple = (name: string, extents: readonly number[]): string =>
  `make_${name}(${extents.map(extent => `_${extent}`).join(',')})`;

const STEPS = { a: 'Step<_1,X,_1>', b: 'Step<X,_1,_1>', c: 'Step<_1,_1,X>' } as const;

/** Returns the named layouts of block (0,0) and thread 0, each defined by the ones before it. */
export function cuteLayouts(plan: Plan): readonly NamedLayout[] {
  const { spec, tile } = plan;
  // A kernel without tiles along K multiplies one k at a time.
  const tiler = staticTuple('shape', [tile.m, tile.n, Math.max(1, tile.k)]);
  const ofMatrix = (operand: OperandName): readonly NamedLayout[] => {
    const matrix = operand.toUpperCase();
    return [
      { name: `m${matrix}`, source: matrixSource(matrixLayout(spec.problem, operand)) },
      {
        name: `g${matrix}`,
        source: `local_tile(m${matrix}, ${tiler}, make_coord(0,0,_), ${STEPS[operand]}{})`,
      },
    ];
  };
  return [...ofMatrix('a'), ...ofMatrix('b'), ...ofMatrix('c'), ...threadLayouts(plan)];
}

/** Layouts of a kernel with thread layouts; none for other kernels. */
function threadLayouts(plan: Plan): readonly NamedLayout[] {
  const { tile } = plan;
  const layouts = 'lanes' in plan ? plan.lanes?.threadLayouts : undefined;
  const shared = 'shared' in plan ? plan.shared : undefined;
  if (layouts === undefined || shared === undefined) return [];
  const made = (extents: readonly number[], strides: readonly number[]): string =>
    `make_layout(${staticTuple('shape', extents)}, ${staticTuple('stride', strides)})`;
  const staged = (operand: 'a' | 'b'): string => {
    const { inner, padding } = shared[operand];
    return made([operand === 'a' ? tile.m : tile.n, tile.k], [1, inner + padding]);
  };
  const threads = (operand: OperandName): string =>
    made(layouts[operand].shape, layouts[operand].stride);
  return [
    { name: 'sA', source: staged('a') },
    { name: 'sB', source: staged('b') },
    { name: 'tA', source: threads('a') },
    { name: 'tB', source: threads('b') },
    { name: 'tC', source: threads('c') },
    { name: 'tAgA', source: 'local_partition(gA, tA, 0)' },
    { name: 'tAsA', source: 'local_partition(sA, tA, 0)' },
    { name: 'tBgB', source: 'local_partition(gB, tB, 0)' },
    { name: 'tBsB', source: 'local_partition(sB, tB, 0)' },
    { name: 'tCsA', source: 'local_partition(sA, tC, 0, Step<_1,X>{})' },
    { name: 'tCsB', source: 'local_partition(sB, tC, 0, Step<X,_1>{})' },
    { name: 'tCgC', source: 'local_partition(gC, tC, 0, Step<_1,_1>{})' },
  ];
}

/** Writes the layouts as C++ definitions, which may precede a layout expression. */
export const cuteSource = (layouts: readonly NamedLayout[]): string =>
  layouts.map(({ name, source }) => `auto ${name} = ${source};\n`).join('');
