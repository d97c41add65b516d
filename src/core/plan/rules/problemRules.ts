/** Legality of the problem: types, scalars, leading dimensions, and index ranges. */
import { t } from '@vscode/l10n';
import { grouped as n } from '../../text/numbers';
import { DTYPE_BYTES, isInteger } from '../../types/dtype';
import {
  extent,
  matrixElements,
  OPERANDS,
  spanElements,
  type OperandName,
  type ResolvedProblem,
} from '../../spec/resolved';
import { roundTo } from '../../types/rounding';
import { MAX_DIMENSION } from '../../spec/schema';
import { EPILOGUE_PROBLEM_RULES } from './epilogueRules';
import { TYPE_RULES } from './typeRules';
import type { ProblemRule } from './rule';

/**
 * Maximum M, N or K that kernels can index. A signed 32-bit index can still address one tile beyond
 * it.
 */
const MAX_INDEXED = 2 ** 30;

const scalars: ProblemRule = ({ spec: { problem } }) =>
  (['alpha', 'beta'] as const)
    .filter(name => isInteger(problem.accumulator) && !isInt32(problem[name]))
    .map(name => ({
      rule: 'scalar',
      path: `problem.${name}`,
      message: t(
        '{0} must be a 32-bit integer for integer accumulators; got {1}.',
        name,
        problem[name],
      ),
      nearest: Math.round(Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, problem[name]))),
    }));
const isInt32 = (value: number): boolean => (value | 0) === value;

const floatScalars: ProblemRule = ({ spec: { problem } }) =>
  (['alpha', 'beta'] as const)
    .filter(name => !Number.isFinite(roundTo(problem.accumulator, problem[name])))
    .map(name => ({
      rule: 'scalar',
      path: `problem.${name}`,
      message: t(
        '{0} = {1} exceeds the largest {2} value ({3}).',
        name,
        problem[name],
        problem.accumulator,
        problem.accumulator === 'f16' ? n(65_504) : '3.4e38',
      ),
      nearest: 1,
    }));

/** Checks that the C matrices of a batch do not overlap. A and B matrices may overlap. */
const batchStrides: ProblemRule = ({ spec: { problem } }) => {
  const span = matrixElements(problem, 'c');
  if (problem.batch === 1 || problem.c.batchStride >= span) return [];
  const message = t(
    'One C matrix spans {0} elements; the batch stride is only {1}.',
    n(span),
    n(problem.c.batchStride),
  );
  const fix =
    span > MAX_DIMENSION
      ? { path: 'problem.batch', nearest: 1 }
      : { path: 'problem.c.batchStride', nearest: span };
  return [{ rule: 'batch-stride', message, ...fix }];
};

const leadingDimensions: ProblemRule = ({ spec: { problem } }) =>
  OPERANDS.flatMap(name => {
    const { rows, columns } = extent(problem, name);
    const { layout, ld } = problem[name];
    const packed = layout === 'row' ? columns : rows;
    if (ld >= packed) return [];
    const message = t(
      'A {0} {1} x {2} matrix requires a leading dimension of at least {3}; got {4}.',
      layout === 'row' ? t('row-major') : t('column-major'),
      ...([rows, columns, packed, ld] as const).map(n),
    );
    return [{ rule: 'leading-dimension', path: `problem.${name}.ld`, message, nearest: packed }];
  });

/**
 * Bytes of the virtual address space of GPUs since Pascal: 49 bits (CUDA C++ Programming Guide,
 * "Unified Memory").
 */
const ADDRESSABLE_BYTES = 2 ** 49;
/** Maximum number of elements in a WGSL array, which is indexed with u32. */
const MAX_WGSL_ELEMENTS = 2 ** 32 - 1;

const indexRange: ProblemRule = ({ spec: { problem }, target }) => {
  const tooLong = (['m', 'n', 'k'] as const)
    .filter(name => problem[name] > MAX_INDEXED)
    .map(name => ({
      path: `problem.${name}`,
      message: t(
        'Kernels use 32-bit indices: {0} = {1} > {2}.',
        name,
        n(problem[name]),
        n(MAX_INDEXED),
      ),
      nearest: MAX_INDEXED,
    }));
  const tooWide = OPERANDS.flatMap(name => {
    const cuda = target === 'cuda';
    const most = cuda ? ADDRESSABLE_BYTES / DTYPE_BYTES[problem[name].dtype] : MAX_WGSL_ELEMENTS;
    const spanned = spanElements(problem, name);
    if (spanned <= most) return [];
    const numbers = [name.toUpperCase(), n(spanned), n(most)];
    const message = cuda
      ? t('GPUs address 2^49 bytes: {0} spans {1} > {2} elements.', ...numbers)
      : t('WGSL indexes with u32: {0} spans {1} > {2} elements.', ...numbers);
    return [{ message, ...narrowed(problem, name, most) }];
  });
  const all = [...tooLong, ...tooWide];
  const least = (path: string): number =>
    Math.min(...all.filter(other => other.path === path).map(({ nearest }) => nearest));
  return all.map(breach => ({ rule: 'index-range', ...breach, nearest: least(breach.path) }));
};

const SIZES = { a: ['m', 'k'], b: ['k', 'n'], c: ['m', 'n'] } as const;

/**
 * Returns a field and its largest value for which the operand spans at most `most` elements. The
 * field is the batch, the leading dimension, or a problem dimension if the leading dimension cannot
 * shrink enough.
 */
function narrowed(
  problem: ResolvedProblem,
  name: OperandName,
  most: number,
): { readonly path: string; readonly nearest: number } {
  const { rows, columns } = extent(problem, name);
  const { layout, ld, batchStride } = problem[name];
  const matrix = matrixElements(problem, name);
  if (matrix <= most) {
    return { path: 'problem.batch', nearest: 1 + Math.floor((most - matrix) / batchStride) };
  }
  const [row, column] = SIZES[name];
  const [outer, inner, size] = layout === 'row' ? [rows, columns, row] : [columns, rows, column];
  const widest = outer === 1 ? ld : Math.floor((most - inner) / (outer - 1));
  if (widest >= inner && widest < ld) return { path: `problem.${name}.ld`, nearest: widest };
  return { path: `problem.${size}`, nearest: Math.max(1, Math.floor(most / inner)) };
}

export const PROBLEM_RULES: readonly ProblemRule[] = [
  ...TYPE_RULES,
  scalars,
  floatScalars,
  batchStrides,
  leadingDimensions,
  indexRange,
  ...EPILOGUE_PROBLEM_RULES,
];
