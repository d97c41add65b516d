/** Legality of `mma`: types and shapes that matrix units have, and tiles that are made of whole matrices. */
import { t } from '@vscode/l10n';
import { DTYPE_BYTES } from '../../types/dtype';
import { MATRIX_ROW_BYTES, matrixShapes } from '../mma/matrix';
import { WIDEST_BYTES } from '../simt/lanes';
import type { MatrixShape } from '../plan';
import { matrixRule, subgroupMatrixRule } from './familyRule';
import type { Breach, ShapeRule } from './rule';

const text = ({ m, n, k }: MatrixShape): string => `${m} x ${n} x ${k}`;

/** What a matrix unit multiplies is of one type, and WGSL knows f16 and f32. */
const types = subgroupMatrixRule(({ spec: { problem } }) => {
  const { a, b, accumulator } = problem;
  const breach = (of: 'a' | 'b', message: string, nearest: string): readonly Breach[] => [
    { rule: 'matrix-type', path: `problem.${of}.dtype`, message, nearest },
  ];
  if (matrixShapes(problem).length === 0) {
    return breach('a', t('Subgroup matrices of WGSL hold f16 or f32, not {0}.', a.dtype), 'f16');
  }
  if (a.dtype !== b.dtype) {
    const message = t(
      'A multiply-accumulate takes two matrices of one type: A is {0}, B is {1}.',
      a.dtype,
      b.dtype,
    );
    return breach('b', message, a.dtype);
  }
  if (accumulator === 'f32' || accumulator === 'f16') return [];
  const message = t('Subgroup matrices sum in f32 or f16, not in {0}.', accumulator);
  return [{ rule: 'matrix-type', path: 'problem.accumulator', message, nearest: 'f32' }];
});

const shapes = subgroupMatrixRule(({ spec: { problem } }, { shape }) => {
  const known = matrixShapes(problem);
  const [first] = known;
  if (first === undefined || known.some(one => text(one) === text(shape))) return [];
  const message = t(
    'No adapter is known to multiply matrices of {0} by {1}; some have {2}.',
    problem.a.dtype,
    text(shape),
    known.map(text).join(', '),
  );
  return [{ rule: 'matrix-shape', path: 'schedule.mma', message, nearest: first }];
});

/** A block is made of warps, a warp of matrices, and a staged tile of their depths. */
const tiles = matrixRule((_, { tile, matrix: { warp, shape } }) => {
  const sides = (['m', 'n'] as const).flatMap((side): readonly Breach[] => [
    ...whole('block', side, tile[side], { of: 'warp', extent: warp[side] }),
    ...whole('warp', side, warp[side], { of: 'mma', extent: shape[side] }),
  ]);
  return [...sides, ...whole('block', 'k', tile.k, { of: 'mma', extent: shape.k })];
});

function whole(
  group: 'block' | 'warp',
  side: 'm' | 'n' | 'k',
  size: number,
  { of, extent }: { readonly of: 'warp' | 'mma'; readonly extent: number },
): readonly Breach[] {
  if (size > 0 && size % extent === 0) return [];
  const message = t(
    '{0}.{1} must be a multiple of {2}.{1}: {3} is not one of {4}.',
    group,
    side,
    of,
    size,
    extent,
  );
  return [{ rule: 'matrix-tile', path: `schedule.${group}.${side}`, message }];
}

const vectors = matrixRule(({ spec: { problem, schedule } }) => {
  const { dtype } = problem.a;
  const most = WIDEST_BYTES / DTYPE_BYTES[dtype];
  if (schedule.vector === undefined || schedule.vector <= most) return [];
  const message = t(
    '{0} elements of {1} are {2} B; an access moves {3} B at most.',
    schedule.vector,
    dtype,
    schedule.vector * DTYPE_BYTES[dtype],
    WIDEST_BYTES,
  );
  return [{ rule: 'vector', path: 'schedule.vector', message, nearest: most }];
});

/** Matrices are loaded from rows that begin at multiples of 16 bytes. */
const rows = matrixRule(({ spec: { problem } }, { shared }) =>
  (['a', 'b'] as const).flatMap((operand): readonly Breach[] => {
    const { inner, padding } = shared[operand];
    const unit = MATRIX_ROW_BYTES / DTYPE_BYTES[problem[operand].dtype];
    if ((inner + padding) % unit === 0 || inner % unit !== 0) return [];
    const message = t(
      'Rows of {0}s begin at multiples of {1} B, as matrices are loaded: {2} + {3} elements are no multiple of {4}.',
      operand.toUpperCase(),
      MATRIX_ROW_BYTES,
      inner,
      padding,
      unit,
    );
    const nearest = Math.round(padding / unit) * unit;
    return [{ rule: 'matrix-row', path: `schedule.padding.${operand}`, message, nearest }];
  }),
);

export const MATRIX_RULES: readonly ShapeRule[] = [types, shapes, tiles, vectors, rows];
