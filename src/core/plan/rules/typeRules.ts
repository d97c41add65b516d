/**
 * Legality of element types: types that a target supports, and combinations that are compatible.
 */
import { t } from '@vscode/l10n';
import {
  accumulatorsOf,
  defaultOutput,
  needsTensorCores,
  outputsOf,
  type DType,
} from '../../types/dtype';
import type { Algorithm, Target } from '../../spec/schema';
import type { ProblemRule } from './rule';

const NAMED = {
  a: 'problem.a.dtype',
  b: 'problem.b.dtype',
  c: 'problem.c.dtype',
  accumulator: 'problem.accumulator',
} as const;
type Named = keyof typeof NAMED;

type Types = Readonly<Record<Named, DType>>;

interface TypeViolation {
  readonly of: Named;
  readonly message: string;
}

const SUBSTITUTES: Readonly<Partial<Record<DType, DType>>> = {
  tf32: 'f32',
  e4m3: 'f16',
  e5m2: 'f16',
  f64: 'f32',
  bf16: 'f16',
  s8: 's32',
};

interface Where {
  readonly target: Target;
  readonly algorithm: Algorithm;
}

/**
 * Returns the reason why a target does not support a type. Returns undefined if it is supported, or
 * if another rule reports it.
 */
function unsupportedReason(dtype: DType, { target, algorithm }: Where): string | undefined {
  const onTensorCores = target === 'cuda' && (algorithm === 'mma' || algorithm === 'wgmma');
  if (needsTensorCores(dtype) && !onTensorCores) {
    return t(
      '{0} requires tensor cores. Fix: use the algorithm mma or wgmma with target cuda.',
      dtype,
    );
  }
  if (target !== 'wgsl') return undefined;
  switch (dtype) {
    case 'f64':
      return t('WGSL has no 64-bit floating-point type. Fix: use f32 or the target cuda.');
    case 'bf16':
      return t('WGSL has no bfloat16. Fix: use f16, which has the same size.');
    case 's8':
      return t(
        'WGSL has no 8-bit elements. Packing them into u32 would require leading dimensions and tiles that are multiples of 4. Fix: use s32 or the target cuda.',
      );
    default:
      return undefined;
  }
}

const lacking = (types: Types, where: Where): readonly TypeViolation[] =>
  (['a', 'b', 'c', 'accumulator'] as const).flatMap(of => {
    const message = unsupportedReason(types[of], where);
    return message === undefined ? [] : [{ of, message }];
  });

/**
 * Checks that the accumulator type supports A and B, and that C is an output type of the
 * accumulator.
 */
function clashing({ a, b, c, accumulator }: Types): readonly TypeViolation[] {
  const accumulators = accumulatorsOf(a, b);
  const text = (of: readonly DType[]): string => of.join(', ');
  if (accumulators.length === 0) {
    const message = t(
      'A and B have no common accumulator type: {0} uses {1}, {2} uses {3}.',
      a,
      text(accumulatorsOf(a, a)),
      b,
      text(accumulatorsOf(b, b)),
    );
    return [{ of: 'b', message }];
  }
  if (!accumulators.includes(accumulator)) {
    const inputs = a === b ? a : `${a} x ${b}`;
    const message = t(
      'Operands of type {0} accumulate in {1}, not in {2}.',
      inputs,
      text(accumulators),
      accumulator,
    );
    return [{ of: 'accumulator', message }];
  }
  if (outputsOf(accumulator).includes(c)) return [];
  const message = t(
    'Accumulators of type {0} are stored as {1}, not as {2}.',
    accumulator,
    text(outputsOf(accumulator)),
    c,
  );
  return [{ of: 'c', message }];
}

function clashesOf(types: Types, where: Where): readonly TypeViolation[] {
  const missing = lacking(types, where);
  return missing.length > 0 ? missing : clashing(types);
}

/**
 * Returns the first candidate type that removes the violations of one field; f32 if no candidate
 * does.
 */
function nearestOf(types: Types, of: Named, where: Where): DType {
  const { a, b, accumulator } = types;
  const like = [SUBSTITUTES[types[of]], ...(of === 'accumulator' ? accumulatorsOf(a, b) : [])];
  const others = [a, b, defaultOutput(a), accumulator, 'f32', 's32', 'f64'] as const;
  const fixes = (dtype: DType): boolean =>
    clashesOf({ ...types, [of]: dtype }, where).every(clash => clash.of !== of);
  return [...like, ...others].find(dtype => dtype !== undefined && fixes(dtype)) ?? 'f32';
}

const elementTypes: ProblemRule = ({ spec: { problem, schedule }, target }) => {
  const { a, b, c, accumulator } = problem;
  const types: Types = { a: a.dtype, b: b.dtype, c: c.dtype, accumulator };
  const where = { target, algorithm: schedule.algorithm };
  return clashesOf(types, where).map(({ of, message }) => ({
    rule: 'dtype',
    path: NAMED[of],
    message,
    nearest: nearestOf(types, of, where),
  }));
};

export const TYPE_RULES: readonly ProblemRule[] = [elementTypes];
