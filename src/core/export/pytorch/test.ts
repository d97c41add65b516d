/** Test of the `pytorch` target: results, opcheck, torch.compile, CUDA graphs and gradients. */
import { floatLiteral } from '../numbers';
import { provenance } from '../describe';
import { TORCH_TYPES } from '../dtypes';
import { extrasOf, gateOperand, type ExtraOperand } from '../epilogue';
import { referenceLines, type ReferenceLanguage } from '../reference';
import { LEADING, memoryOrder } from '../roles';
import { testSizes, type TestSize } from '../sizes';
import type { ExportSubject, GemmType } from '../subject';
import { gammaAt, inputRange, inputRoundoff, storeErrors } from '../tolerance';
import { ACTIVATIONS } from '../../types/activations';
import { isTrainable, torchActivation } from './gradients';
import { broadcastText, extraShape, extraStrides, matricesOf, tensorsOf, tuple } from './operator';

/** Tests do not start with opcheck of a large size, which runs the operator many times. */
const smallest = (sizes: readonly TestSize[]): TestSize | undefined =>
  sizes.toSorted((one, other) => one.m * one.n * one.k - other.m * other.n * other.k)[0];

export function testText(subject: ExportSubject): string {
  const { name, type, kernels } = subject;
  const all = kernels.map(({ kernel }) => kernel);
  const sizes = testSizes(all, type);
  const errors = storeErrors(kernels[0].kernel);
  const isTrained = isTrainable(type);
  const sizeTuple = (size: TestSize): string =>
    `(${[size.batch, size.m, size.n, size.k, size.lda, size.ldb, size.ldc, floatLiteral(gammaAt(all, size.k) + 2.1 * inputRoundoff(type))].join(', ')})`;
  const tensors = tensorsOf(type);
  const arguments_ = tensors.join(', ');
  const small = smallest(sizes);
  const extras = extrasOf(type);
  const steps = referenceLines(type, kernels[0].kernel, {
    element: operand => `${operand.name}.double()${broadcastText({ ...operand, name: '' })}`,
    magnitude: each => `${each}.abs()`,
    atLeastOne: each => `${each}.abs().clamp(min=1)`,
    activations: TORCH_ACTIVATIONS,
    semicolon: '',
    secondBound: 'second_bound',
  });
  const stored = `${floatLiteral(errors.relative)} * wanted.abs() + ${floatLiteral(errors.absolute)}`;
  const bound =
    steps.length === 0
      ? [`bound = gamma * magnitude + ${stored}`]
      : ['bound = gamma * magnitude', ...steps, `bound = bound + ${stored}`];
  return `${provenance(subject, '#')}
"""Tests the operator on a GPU: python -m unittest discover -s tests"""
import unittest

import torch

import ${name}

# batch, m, n, k, lda, ldb, ldc, and the error of the sum relative to the sum of absolute products.
SIZES = [
${sizes.map(size => `    ${sizeTuple(size)},`).join('\n')}
]
SMALL = ${small === undefined ? 'SIZES[0]' : sizeTuple(small)}


def matrix(shape, ld, is_row_major, dtype, seed, amplitude):
    """Returns a random matrix, or a batch of matrices, in the layout of the kernels."""
    batch, rows, columns = shape
    outer = rows if is_row_major else columns
    generator = torch.Generator("cuda").manual_seed(seed)
    values = (torch.rand((batch, outer, ld), generator=generator, device="cuda") * 2 - 1) * amplitude
    if not dtype.is_floating_point:
        values = values.round()
    values = values.to(dtype)
    inner = columns if is_row_major else rows
    values = values[:, :, :inner]
    values = values if is_row_major else values.mT
    return ${type.isBatched ? 'values' : 'values[0]'}

${extras.length === 0 ? '' : OPERAND}
def inputs(size, seed=0):
    batch, m, n, k, lda, ldb, ldc, _ = size
    ${tensors.join(', ')} = (
${matricesOf(type)
  .map(operand => `        ${matrixCall(type, operand)},`)
  .concat(extras.map((operand, i) => `        ${operandCall(type, operand, i + 4)},`))
  .join('\n')}
    )
    return ${arguments_}


class Gemm(unittest.TestCase):
    def check(self, result, ${arguments_}, gamma):
        a64, b64 = a.double(), b.double()
        wanted = ${formula(type, 'a64 @ b64', 'c.double()')}
        magnitude = ${formula(type, 'a64.abs() @ b64.abs()', 'c.double().abs()', true)}
${secondProduct(type)}${bound.map(line => `        ${line}\n`).join('')}        wrong = ~((result.double() - wanted).abs() <= bound)
        self.assertEqual(int(wrong.sum()), 0, f"incorrect elements of {wrong.numel()}")

    def test_results(self):
        for size in SIZES:
            with self.subTest(size=size):
                ${arguments_} = inputs(size)
                self.check(${name}.gemm(${arguments_}), ${arguments_}, size[-1])

${isChecked(type) ? opcheckTest(subject) : ''}    def test_compile(self):
        ${arguments_} = inputs(SMALL)

        def product(${arguments_}):
            return ${name}.gemm(${arguments_}) + 1

        compiled = torch.compile(product, fullgraph=True)
        torch.testing.assert_close(compiled(${arguments_}), product(${arguments_}))

    def test_cuda_graph(self):
        ${arguments_} = inputs(SMALL)
        ${name}.gemm(${arguments_})
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            result = ${name}.gemm(${arguments_})
        # A replay reads the present values of the inputs.
        a.copy_(inputs(SMALL, seed=10)[0])
        graph.replay()
        self.check(result, ${arguments_}, SMALL[-1])

    def test_rejects_other_types(self):
        ${arguments_} = inputs(SMALL)
        with self.assertRaisesRegex(RuntimeError, "expected a of type"):
            ${name}.gemm(a.to(torch.complex64), ${tensors.slice(1).join(', ')})
${extras.map(operand => rejectionTest(subject, operand)).join('')}${isTrained ? gradientTest(subject) : ''}

if __name__ == "__main__":
    unittest.main()
`;
}

const TORCH_ACTIVATIONS = Object.fromEntries(
  ACTIVATIONS.map(of => [of, (value: string) => torchActivation(of, value)]),
) as ReferenceLanguage['activations'];

const OPERAND = `
def operand(shape, strides, dtype, seed):
    """Returns a random operand of the epilogue; its gaps are random too."""
    elements = 1 + sum((extent - 1) * stride for extent, stride in zip(shape, strides))
    generator = torch.Generator("cuda").manual_seed(seed)
    values = torch.rand(elements, generator=generator, device="cuda") * 2 - 1
    return values.to(dtype).as_strided(shape, strides)

`;

const operandCall = (type: GemmType, operand: ExtraOperand, seed: number): string =>
  `operand(${tuple(extraShape(operand, type))}, ${tuple(extraStrides(operand, type))}, torch.${TORCH_TYPES[operand.dtype]}, seed + ${seed})`;

const rejectionTest = ({ name, type }: ExportSubject, operand: ExtraOperand): string => `
    def test_rejects_other_sizes_of_${operand.name}(self):
        ${tensorsOf(type).join(', ')} = inputs(SMALL)
        with self.assertRaisesRegex(RuntimeError, "expected ${operand.name} ${operand.sides.length === 0 ? 'to have one element' : 'of the sizes'}"):
            ${name}.gemm(${tensorsOf(type)
              .map(each => (each === operand.name ? `torch.cat([${each}.reshape(-1)] * 2)` : each))
              .join(', ')})
`;

/**
 * Returns whether opcheck can run: it copies tensors without their gaps, so that a residual with a
 * fixed leading dimension is rejected.
 */
export const isChecked = (type: GemmType): boolean =>
  extrasOf(type).every(({ ld }) => ld === undefined);

function opcheckTest({ name, type }: ExportSubject): string {
  const tensors = tensorsOf(type);
  const arguments_ = tensors.join(', ');
  return `    def test_opcheck(self):
        ${arguments_} = inputs(SMALL)
${isTrainable(type) ? `        for tensor in (${arguments_}):\n            tensor.requires_grad_()\n` : ''}        torch.library.opcheck(torch.ops.${name}.gemm.default, (${arguments_}${tensors.length === 1 ? ',' : ''}))

`;
}

/** Statements that compute the second product of a gate; empty without a gate. */
function secondProduct(type: GemmType): string {
  const gate = gateOperand(type);
  if (gate === undefined) return '';
  const b2 = `${gate.name}.double()`;
  return `        second = ${formula(type, `a64 @ ${b2}`, 'c')}
        second_bound = gamma * ${inParentheses(formula(type, `a64.abs() @ ${b2}.abs()`, 'c', true))}
`;
}

const inParentheses = (text: string): string => `(${text})`;

function gradientTest({ name, type }: ExportSubject): string {
  const tensors = tensorsOf(type);
  const valueOf = (step: GemmType['epilogue'][number]): string => {
    if (step.operand === undefined) return torchActivation(step.op, 'wanted');
    if (step.op === 'gate')
      return `${torchActivation(step.act, 'wanted')} * (${formula(type, `a @ ${step.operand.name}`, 'c')})`;
    return `wanted ${step.op === 'scale' ? '*' : '+'} ${broadcastText(step.operand)}`;
  };
  const steps = type.epilogue.map(step => `        wanted = ${valueOf(step)}\n`);
  return `
    def test_gradients(self):
        given = [tensor.requires_grad_() for tensor in inputs(SMALL)]
        result = ${name}.gemm(*given)
        grad = torch.rand_like(result)
        result.backward(grad)
        # PyTorch computes the reference in double precision.
        exact = [tensor.detach().double().requires_grad_() for tensor in given]
        ${tensors.join(', ')} = exact
        wanted = ${formula(type, 'a @ b', 'c')}
${steps.join('')}        wanted.backward(grad.double())
        # Gradients are products of rounded matrices. An activation can change near its kink.
        tolerance = max(4 * torch.finfo(result.dtype).eps, 1e-3)
        for ours, other in zip(given, exact):
            self.assertLessEqual(float((ours.grad.double() - other.grad).norm() / other.grad.norm()), tolerance)
`;
}

function matrixCall(type: GemmType, operand: 'a' | 'b' | 'c'): string {
  const { dtype, layout } = type[operand];
  const [across, along] = memoryOrder(type, operand);
  const [rows, columns] = layout === 'row' ? [across, along] : [along, across];
  const seed = `seed + ${{ a: 1, b: 2, c: 3 }[operand]}`;
  return `matrix((batch, ${rows}, ${columns}), ${LEADING[operand]}, ${layout === 'row' ? 'True' : 'False'}, torch.${TORCH_TYPES[dtype]}, ${seed}, ${floatLiteral(inputRange(dtype))})`;
}

function formula(type: GemmType, product: string, c: string, isMagnitude = false): string {
  const value = (scalar: number): number => (isMagnitude ? Math.abs(scalar) : scalar);
  const scaledProduct =
    type.alpha === 1 ? product : `${floatLiteral(value(type.alpha))} * (${product})`;
  if (!type.readsC) return scaledProduct;
  return `${scaledProduct} + ${type.beta === 1 ? '' : `${floatLiteral(value(type.beta))} * `}${c}`;
}
