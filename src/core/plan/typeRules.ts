/** Which element types a target computes with, and which of them go together. */
import { t } from '@vscode/l10n';
import {
  accumulatorsOf,
  defaultOutput,
  needsTensorCores,
  outputsOf,
  type DType,
} from '../spec/dtype';
import type { ResolvedProblem } from '../spec/resolved';
import type { Target } from '../spec/schema';
import type { Breach, Rule } from './rule';

/** The types of a problem with their paths. */
const typesOf = ({
  a,
  b,
  c,
  accumulator,
}: ResolvedProblem): readonly (readonly [string, DType])[] => [
  ['problem.a.dtype', a.dtype],
  ['problem.b.dtype', b.dtype],
  ['problem.c.dtype', c.dtype],
  ['problem.accumulator', accumulator],
];

/** What stands nearest to a type that a target or this version lacks. */
const INSTEAD: Readonly<Partial<Record<DType, DType>>> = {
  ...{ tf32: 'f32', e4m3: 'f16', e5m2: 'f16', f64: 'f32', bf16: 'f16', s8: 's32' },
};

/** Why a target lacks a type; undefined where it has it. */
function lack(dtype: DType, target: Target): string | undefined {
  if (needsTensorCores(dtype)) {
    return t(
      'Only tensor cores multiply {0}: it needs the algorithms mma or wgmma, which this version does not plan yet.',
      dtype,
    );
  }
  if (target !== 'wgsl') return undefined;
  switch (dtype) {
    case 'f64':
      return t('WGSL has no 64-bit floating point.');
    case 'bf16':
      return t('WGSL has no bfloat16; f16 has as many bits.');
    case 's8':
      return t(
        'WGSL has no 8-bit elements: packed four to a u32, they would ask for leading dimensions and tiles of whole words.',
      );
    default:
      return undefined;
  }
}

const known: Rule = ({ spec: { problem }, target }) =>
  typesOf(problem).flatMap(([path, dtype]): readonly Breach[] => {
    const message = lack(dtype, target);
    return message === undefined
      ? []
      : [{ rule: 'dtype', path, message, nearest: INSTEAD[dtype] ?? 'f32' }];
  });

/** Inputs convert to the sum's type exactly, and the sum is rounded to C's once. */
const together: Rule = input => {
  const { a, b, c, accumulator } = input.spec.problem;
  if (known(input).length > 0) return [];
  const accumulators = accumulatorsOf(a.dtype, b.dtype);
  const breach = (path: string, message: string, nearest: DType): readonly Breach[] => [
    { rule: 'dtype', path, message, nearest },
  ];
  if (accumulators.length === 0) {
    const message = t(
      'Products of {0} are summed in {1}, those of {2} in {3}: A and B have no sum in common.',
      ...[a.dtype, accumulatorsOf(a.dtype, a.dtype).join(', ')],
      ...[b.dtype, accumulatorsOf(b.dtype, b.dtype).join(', ')],
    );
    return breach('problem.b.dtype', message, a.dtype);
  }
  if (!accumulators.includes(accumulator)) {
    const inputs = a.dtype === b.dtype ? a.dtype : `${a.dtype} x ${b.dtype}`;
    const message = t(
      'Products of {0} are summed in {1}, not in {2}.',
      ...[inputs, accumulators.join(', '), accumulator],
    );
    return breach('problem.accumulator', message, accumulators[0] ?? 'f32');
  }
  const outputs = outputsOf(accumulator);
  if (outputs.includes(c.dtype)) return [];
  const message = t(
    'A sum in {0} is stored as {1}, not as {2}.',
    ...[accumulator, outputs.join(', '), c.dtype],
  );
  const own = defaultOutput(a.dtype);
  return breach('problem.c.dtype', message, outputs.includes(own) ? own : accumulator);
};

export const TYPE_RULES: readonly Rule[] = [known, together];
