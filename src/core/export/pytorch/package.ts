/** Python package of the `pytorch` target: loads the operator, and registers its gradients. */
import { wrapText } from '../../kernel/print/wrapText';
import { numericsText } from '../../plan/numerics';
import { formulaText, layoutText, provenance } from '../describe';
import { TORCH_TYPES } from '../dtypes';
import { extrasOf, type ExtraOperand } from '../epilogue';
import { floatLiteral } from '../numbers';
import type { ExportSubject, GemmType } from '../subject';
import { cudaFlags, HOST_FLAGS } from './build';
import { gradientText, isTrainable } from './gradients';
import { extraShape, resultOrder, resultUnit, scalarsOf, tensorsOf, tuple } from './operator';

const DOC_COLUMNS = 88;

const list = (texts: readonly string[], indent: string): string =>
  texts.map(text => `${indent}${JSON.stringify(text)},`).join('\n');

export function packageText(subject: ExportSubject): string {
  const { name, type, kernels } = subject;
  const parameters = [
    ...tensorsOf(type),
    ...(scalarsOf(type).length === 0
      ? []
      : scalarsOf(type).map(({ name: scalar, value }) => `${scalar}=${floatLiteral(value)}`)),
  ].join(', ');
  const names = [...tensorsOf(type), ...scalarsOf(type).map(scalar => scalar.name)].join(', ');
  const shape = type.isBatched ? 'batch, ' : '';
  return `${provenance(subject, '#')}
"""${formulaText(type)} for ${[...new Set((['a', 'b', 'c'] as const).map(each => TORCH_TYPES[type[each].dtype]))].join(', ')} matrices on NVIDIA GPUs, as the PyTorch operator ${name}::gemm.

${layoutText(type)}
"""
from pathlib import Path

import torch

__all__ = ["gemm"]

_FOLDER = Path(__file__).parent


def _load():
    """Loads the extension that setup.py built; without one, builds it once and caches it."""
    built = [file for file in sorted(_FOLDER.glob("_C*")) if file.suffix in (".so", ".pyd")]
    if built:
        torch.ops.load_library(str(built[0]))
        return
    from torch.utils import cpp_extension

    cpp_extension.load(
        name="${name}_C",
        sources=[str(_FOLDER / "csrc" / "torch.cpp"), str(_FOLDER / "csrc" / "${name}.cu")],
        extra_cflags=[
${list(HOST_FLAGS, '            ')}
        ],
        extra_cuda_cflags=[
${list(cudaFlags(subject), '            ')}
        ],
        is_python_module=False,
    )


_load()


def gemm(${parameters}):
    """Returns ${formulaText(type).slice(4)} on the current stream.

${docLines([
  `a has the shape (${shape}m, k) and b the shape (${shape}k, n)${type.readsC ? `; c has the shape of the result (${shape}m, n) and is not changed` : ''}.${extrasOf(
    type,
  )
    .map(operand => ` ${shapeText(operand, type)}`)
    .join('')} Raises RuntimeError if no kernel supports the sizes, strides and addresses.`,
  ...(kernels.length === 1 ? ['', numericsText(kernels[0].kernel.plan)] : []),
])}
    """
    return torch.ops.${name}.gemm(${names})


@torch.library.register_fake("${name}::gemm")
def _(${parameters}):
${fakeBody(subject)}
${isTrainable(type) ? gradientText(subject) : ''}`;
}

function shapeText(operand: ExtraOperand, type: GemmType): string {
  const { name, sides, dtype } = operand;
  const of = `of type torch.${TORCH_TYPES[dtype]}`;
  return sides.length === 0
    ? `${name} has one element ${of}.`
    : `${name} has the shape ${tuple(extraShape(operand, type))} ${of}.`;
}

/** Wraps paragraphs of a docstring. */
function docLines(paragraphs: readonly string[]): string {
  return paragraphs
    .flatMap(text => (text === '' ? [''] : wrapText(text, DOC_COLUMNS)))
    .map(line => (line === '' ? '' : `    ${line}`))
    .join('\n');
}

function fakeBody(subject: ExportSubject): string {
  const { type } = subject;
  const unit = resultUnit(subject);
  const [, along] = resultOrder(type);
  const [across] = resultOrder(type);
  const strides = [
    ...(type.isBatched ? [`${across} * ld`] : []),
    ...(type.c.layout === 'row' ? ['ld', '1'] : ['1', 'ld']),
  ];
  const ld = unit === 1 ? along : `(${along} + ${unit - 1}) // ${unit} * ${unit}`;
  return `    m, k, n = a.shape[-2], a.shape[-1], b.shape[-1]
    torch._check(b.shape[-2] == k, lambda: f"a and b have the shapes {a.shape} and {b.shape}, which do not match")
${type.isBatched ? '    batch = a.shape[0]\n' : ''}    ld = ${ld}
    return torch.empty_strided((${type.isBatched ? 'batch, ' : ''}m, n), (${strides.join(', ')}), dtype=torch.${TORCH_TYPES[type.c.dtype]}, device=a.device)`;
}
