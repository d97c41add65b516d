/** What stands above a kernel of `mma`: the constants of its matrices, and a summary in words. */
import type { NamedConstant } from '../ir/ir';
import type { Plan } from '../plan/plan';
import { matrixOf } from './matrices';
import { linesOf } from './matrixStaging';
import { narrowed } from './widths';

export function matrixConstants(plan: Plan): readonly NamedConstant[] {
  const { matrix, tile, threads } = plan;
  if (matrix === undefined) return [];
  const { shape, vector } = matrix;
  const c = (name: string, value: number, comment: string): NamedConstant => ({
    ...{ name, value, comment },
  });
  const loads = (operand: 'a' | 'b'): NamedConstant => {
    const label = operand.toUpperCase();
    const { width } = matrix[operand];
    const elements = (operand === 'a' ? tile.m : tile.n) * tile.k;
    const what = width === 1 ? 'elements' : `vectors of ${width} elements`;
    const count = Math.ceil(elements / width / threads);
    return c(`LOADS_${label}`, count, `${what} of a tile of ${label} a thread loads`);
  };
  return [
    c('MMA_M', shape.m, 'rows of a matrix of C, and of A'),
    c('MMA_N', shape.n, 'columns of a matrix of C, and of B'),
    c('MMA_K', shape.k, 'depth of a multiply-accumulate'),
    c('VEC', vector, 'elements an access moves'),
    ...[loads('a'), loads('b')],
    ...(['a', 'b'] as const).flatMap(operand => {
      const label = operand.toUpperCase();
      const lines = linesOf(plan, operand);
      return lines === undefined
        ? []
        : [c(`LINES_${label}`, lines, `rows of ${label}s that the threads store at a time`)];
    }),
    c(
      'RASTER',
      plan.spec.schedule.raster?.group ?? 1,
      'tile rows or columns that blocks walk together',
    ),
  ];
}

export function matrixSummary(plan: Plan): readonly string[] {
  const { tile } = plan;
  const { warp, shape, direct } = matrixOf(plan);
  return [
    `Each block computes a ${tile.m} x ${tile.n} tile of C, a warp ${warp.m} x ${warp.n} of it in subgroup matrices of ${shape.m} x ${shape.n}, and walks K in`,
    `steps of ${tile.k} through shared memory: the next tile is loaded into registers while one is multiplied.`,
    'Needs the experimental feature chromium-experimental-subgroup-matrix, and subgroups of 32 invocations.',
    ...narrowed(plan),
    ...(direct
      ? []
      : [
          'Sums pass through shared memory, since C is not stored as whole matrices of their own type.',
        ]),
  ];
}
