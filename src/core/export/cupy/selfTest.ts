/** Test under `__main__` of the `cupy` target. */
import { NUMPY_TYPES } from '../dtypes';
import { floatLiteral } from '../numbers';
import { extrasOf, gateOperand, type ExtraOperand } from '../epilogue';
import {
  broadcastText,
  extraShape,
  extraStrides,
  matricesOf,
  tensorsOf,
  tuple,
} from '../pytorch/operator';
import { activationsWith, referenceLines, usesGelu } from '../reference';
import { LEADING, memoryOrder, SIDES } from '../roles';
import { testSizes } from '../sizes';
import type { ExportSubject, GemmType } from '../subject';
import { gammaAt, inputRange, inputRoundoff, storeErrors } from '../tolerance';

export function selfTest({ type, kernels }: ExportSubject): string {
  const all = kernels.map(({ kernel }) => kernel);
  // Arrays and results of this test are packed.
  const sizes = testSizes(all, type).filter(size =>
    (['a', 'b', 'c'] as const).every(
      operand => size[LEADING[operand]] === size[memoryOrder(type, operand)[1]],
    ),
  );
  const errors = storeErrors(kernels[0].kernel);
  const operands = tensorsOf(type);
  const extras = extrasOf(type);
  const steps = referenceLines(type, kernels[0].kernel, {
    element: operand =>
      `${operand.name}.astype(numpy.float64)${broadcastText({ ...operand, name: '' })}`,
    magnitude: each => `abs(${each})`,
    atLeastOne: each => `cupy.maximum(abs(${each}), 1.0)`,
    activations: activationsWith({ max: 'cupy.maximum', exp: 'cupy.exp', erf: 'erf' }),
    semicolon: '',
    secondBound: 'second_bound',
  });
  const stored = `${floatLiteral(errors.relative)} * abs(wanted) + ${floatLiteral(errors.absolute)}`;
  const bound =
    steps.length === 0
      ? [`bound = gamma * magnitude + ${stored}`]
      : ['bound = gamma * magnitude', ...steps, `bound = bound + ${stored}`];
  const usesErf = usesGelu(type);
  return `def _random(shape, dtype, is_row_major, amplitude, seed):
    random = cupy.random.RandomState(seed)
    values = random.uniform(-amplitude, amplitude, size=shape)
    values = (cupy.rint(values) if numpy.issubdtype(dtype, numpy.integer) else values).astype(dtype)
    return values if is_row_major else cupy.ascontiguousarray(values.swapaxes(-1, -2)).swapaxes(-1, -2)


${extras.length === 0 ? '' : OPERAND}def _test():
    """Compares products with a reference in double precision. Returns whether all are correct."""
${usesErf ? '    from cupyx.scipy.special import erf\n\n' : ''}    is_correct = True
    # batch, m, n, k, and the error of the sum relative to the sum of absolute products
    for batch, m, n, k, gamma in [
${sizes
  .map(
    size =>
      `        (${[size.batch, size.m, size.n, size.k, floatLiteral(gammaAt(all, size.k) + 2.1 * inputRoundoff(type))].join(', ')}),`,
  )
  .join('\n')}
    ]:
${matricesOf(type)
  .map((operand, i) => `        ${operand} = ${randomCall(type, operand, i + 1)}`)
  .concat(
    extras.map((operand, i) => `        ${operand.name} = ${operandCall(type, operand, i + 4)}`),
  )
  .join('\n')}
        result = gemm(${operands.join(', ')})
        a64, b64 = a.astype(numpy.float64), b.astype(numpy.float64)
        wanted = ${formula(type, '(a64 @ b64)', 'c', false)}
        magnitude = ${formula(type, '(abs(a64) @ abs(b64))', 'abs(c)', true)}
${secondProduct(type)}${bound.map(line => `        ${line}\n`).join('')}        wrong = int((~(abs(result - wanted) <= bound)).sum())
        print(f"{m} x {n} x {k}, batch {batch}: {wrong} incorrect elements")
        is_correct = is_correct and wrong == 0
    return is_correct


if __name__ == "__main__":
    sys.exit(0 if _test() else 1)`;
}

/** Statements that compute the second product of a gate; empty without a gate. */
function secondProduct(type: GemmType): string {
  const gate = gateOperand(type);
  if (gate === undefined) return '';
  const b2 = `${gate.name}.astype(numpy.float64)`;
  return `        second = ${formula(type, `(a64 @ ${b2})`, 'c', false)}
        second_bound = gamma * (${formula(type, `(abs(a64) @ abs(${b2}))`, 'c', true)})
`;
}

function randomCall(type: GemmType, operand: 'a' | 'b' | 'c', seed: number): string {
  const { dtype, layout } = type[operand];
  const shape = `(${type.isBatched ? 'batch, ' : ''}${SIDES[operand].join(', ')})`;
  return `_random(${shape}, numpy.${NUMPY_TYPES[dtype] ?? ''}, ${layout === 'row' ? 'True' : 'False'}, ${inputRange(dtype)}, ${seed})`;
}

const OPERAND = `def _random_operand(shape, strides, dtype, seed):
    elements = 1 + sum((extent - 1) * stride for extent, stride in zip(shape, strides))
    values = cupy.random.RandomState(seed).uniform(-1, 1, size=elements).astype(dtype)
    return cupy.lib.stride_tricks.as_strided(values, shape, [stride * values.itemsize for stride in strides])


`;

const operandCall = (type: GemmType, operand: ExtraOperand, seed: number): string =>
  `_random_operand(${tuple(extraShape(operand, type))}, ${tuple(extraStrides(operand, type))}, numpy.${NUMPY_TYPES[operand.dtype] ?? ''}, ${seed})`;

function formula(type: GemmType, product: string, c: string, isMagnitude: boolean): string {
  const value = (scalar: number): string => floatLiteral(isMagnitude ? Math.abs(scalar) : scalar);
  return `${type.alpha === 1 ? '' : `${value(type.alpha)} * `}${product}${type.readsC ? ` + ${value(type.beta)} * ${c}` : ''}`;
}
