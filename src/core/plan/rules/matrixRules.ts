/**
 * Legality of `mma`: types and shapes that matrix units support, and tiles that consist of full
 * matrices.
 */
import { t } from '@vscode/l10n';
import { DTYPE_BYTES } from '../../types/dtype';
import { MATRIX_ROW_BYTES, matrixShapes } from '../mma/matrix';
import { WIDEST_BYTES } from '../simt/lanes';
import type { MatrixShape } from '../plan';
import { matrixRule, subgroupMatrixRule } from './familyRule';
import type { RuleViolation, ShapeRule } from './rule';

const text = ({ m, n, k }: MatrixShape): string => `${m} x ${n} x ${k}`;

const types = subgroupMatrixRule(({ spec: { problem } }) => {
  const { a, b, accumulator } = problem;
  const breach = (of: 'a' | 'b', message: string, nearest: string): readonly RuleViolation[] => [
    { rule: 'matrix-type', path: `problem.${of}.dtype`, message, nearest },
  ];
  if (matrixShapes(problem).length === 0) {
    return breach('a', t('WGSL subgroup matrices support f16 and f32, not {0}.', a.dtype), 'f16');
  }
  if (a.dtype !== b.dtype) {
    const message = t(
      'Matrix instructions require A and B of the same type; A is {0}, B is {1}.',
      a.dtype,
      b.dtype,
    );
    return breach('b', message, a.dtype);
  }
  if (accumulator === 'f32' || accumulator === 'f16') return [];
  const message = t('Subgroup matrices accumulate in f32 or f16, not in {0}.', accumulator);
  return [{ rule: 'matrix-type', path: 'problem.accumulator', message, nearest: 'f32' }];
});

const shapes = subgroupMatrixRule(({ spec: { problem } }, { shape }) => {
  const known = matrixShapes(problem);
  const [first] = known;
  if (first === undefined || known.some(one => text(one) === text(shape))) return [];
  const message = t(
    'No known adapter supports {1} matrices of {0}. Supported: {2}.',
    problem.a.dtype,
    text(shape),
    known.map(text).join(', '),
  );
  return [{ rule: 'matrix-shape', path: 'schedule.mma', message, nearest: first }];
});

const tiles = matrixRule((_, { tile, matrix: { warp, shape } }) => {
  const sides = (['m', 'n'] as const).flatMap((side): readonly RuleViolation[] => [
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
): readonly RuleViolation[] {
  if (size > 0 && size % extent === 0) return [];
  const message = t(
    '{0}.{1} must be a multiple of {2}.{1}: {3} is not a multiple of {4}.',
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
    '{0} elements of {1} are {2} B; the widest access is {3} B.',
    schedule.vector,
    dtype,
    schedule.vector * DTYPE_BYTES[dtype],
    WIDEST_BYTES,
  );
  return [{ rule: 'vector', path: 'schedule.vector', message, nearest: most }];
});

/**
 * Checks that the padding keeps the rows of shared tiles aligned to 16 bytes, which matrix loads
 * require.
 */
const rows = matrixRule(({ spec: { problem } }, { shared }) =>
  (['a', 'b'] as const).flatMap((operand): readonly RuleViolation[] => {
    const { inner, padding } = shared[operand];
    const unit = MATRIX_ROW_BYTES / DTYPE_BYTES[problem[operand].dtype];
    if ((inner + padding) % unit === 0 || inner % unit !== 0) return [];
    const message = t(
      'Rows of {0}s must be {1}-byte aligned for matrix loads; the row stride {2} + {3} is not a multiple of {4} elements.',
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
