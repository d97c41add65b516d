/** torch.cpp of the `pytorch` target: registers the operator and calls the CUDA library. */
import { isInteger } from '../../types/dtype';
import { cudaType } from '../../kernel/print/cudaTypes';
import { needsWorkspace } from '../cuda/header';
import { provenance } from '../describe';
import { ATEN_TYPES } from '../dtypes';
import { extrasOf } from '../epilogue';
import { callerRoles, LEADING, memoryOrder, STRIDE, type CallerRole } from '../roles';
import type { ExportSubject, GemmType } from '../subject';
import {
  extraShape,
  extraStrides,
  matricesOf,
  resultUnit,
  scalarsOf,
  schemaText,
  tensorsOf,
} from './operator';

export function bindingText(subject: ExportSubject): string {
  const { name, type } = subject;
  const { isBatched, readsC } = type;
  const isWorking = needsWorkspace(subject);
  const unit = resultUnit(subject);
  const [across, along] = memoryOrder(type, 'c');
  const parameters = [
    ...tensorsOf(type).map(each => `const at::Tensor& ${each}`),
    ...scalarsOf(type).map(scalar => `double ${scalar.name}`),
  ].join(', ');
  const isRow = type.c.layout === 'row';
  const sizes = isBatched ? '{batch, m, n}' : '{m, n}';
  const strides = [
    ...(isBatched ? [`${across} * ldc`] : []),
    ...(isRow ? ['ldc', '1'] : ['1', 'ldc']),
  ];
  return `${provenance(subject, '//')}
// The operator ${name}::gemm.
#include <climits>
#include <string>

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

#include "${name}.h"

namespace {

// Numbers in messages. Streams are not used: a C++ library that is linked statically does not format
// numbers in a process that has loaded the library of PyTorch.
std::string text(int64_t value) { return std::to_string(value); }
std::string text(at::IntArrayRef values) {
  std::string list;
  for (const int64_t value : values) list += (list.empty() ? "" : ", ") + text(value);
  return "[" + list + "]";
}

int toInt(int64_t value, const char* what) {
  TORCH_CHECK(value >= 0 && value <= INT_MAX, "${name}: ", what, " is ", text(value), ", the maximum is ", text(INT_MAX));
  return static_cast<int>(value);
}

// Returns the leading dimension of a matrix, or of the matrices of a batch.
int leadingDimension(const at::Tensor& matrix, bool isRowMajor, const char* name) {
  const int64_t inner = isRowMajor ? -1 : -2, outer = isRowMajor ? -2 : -1;
  TORCH_CHECK(matrix.size(inner) <= 1 || matrix.stride(inner) == 1,
              "${name}: expected ", name, " to be ", isRowMajor ? "row" : "column", "-major, that is, stride(", text(inner),
              ") == 1, got strides ", text(matrix.strides()), ". Fix: pass ", name, isRowMajor ? ".contiguous()" : ".mT.contiguous().mT");
  // The stride of an extent of 1 is arbitrary.
  const int64_t ld = matrix.size(outer) <= 1 ? matrix.size(inner) : matrix.stride(outer);
  TORCH_CHECK(ld >= matrix.size(inner), "${name}: the ${isRow ? 'rows' : 'lines'} of ", name, " overlap, strides ", text(matrix.strides()));
  return toInt(ld, "a leading dimension");
}

void check(const at::Tensor& matrix, at::ScalarType dtype, const char* name) {
  TORCH_CHECK(matrix.dim() == ${isBatched ? 3 : 2}, "${name}: expected ", name, " to have ${isBatched ? 3 : 2} dimensions, got ", text(matrix.dim()));
  TORCH_CHECK(matrix.scalar_type() == dtype, "${name}: expected ", name, " of type ", dtype, ", got ", matrix.scalar_type());
}

${extrasOf(type).length === 0 ? '' : CHECK_OPERAND.replaceAll('NAME', name)}at::Tensor gemm(${parameters}) {
${matricesOf(type)
  .map(each => `  check(${each}, ${ATEN_TYPES[type[each].dtype]}, "${each}");`)
  .join('\n')}
${isBatched ? '  const int64_t batch = a.size(0);\n' : ''}  const int64_t m = a.size(-2), k = a.size(-1), n = b.size(-1);
  TORCH_CHECK(b.size(-2) == k${isBatched ? ' && b.size(0) == batch' : ''}, "${name}: a and b have the sizes ", text(a.sizes()), " and ", text(b.sizes()), ", which do not match");
  TORCH_CHECK(b.device() == a.device(), "${name}: a and b are on different devices");
${
  readsC
    ? `  TORCH_CHECK(c.sizes() == at::IntArrayRef(${sizes}), "${name}: c has the sizes ", text(c.sizes()), ", which do not match");
  TORCH_CHECK(c.device() == a.device(), "${name}: a and c are on different devices");
`
    : ''
}${extrasOf(type)
    .map(
      operand =>
        `  checkOperand(${operand.name}, a, ${ATEN_TYPES[operand.dtype]}, {${extraShape(operand, type).join(', ')}}, {${extraStrides(operand, type).join(', ')}}, "${operand.name}");\n`,
    )
    .join('')}
  const c10::cuda::CUDAGuard guard(a.device());
  ${unit === 1 ? `const int64_t ldc = ${along};` : `// The kernels require ldc % ${unit} == 0.\n  const int64_t ldc = (${along} + ${unit - 1}) / ${unit} * ${unit};`}
  const at::Tensor out = at::empty_strided(${sizes}, {${strides.join(', ')}}, a.options().dtype(${ATEN_TYPES[type.c.dtype]}));
${readsC ? '  out.copy_(c);\n' : ''}  if (out.numel() == 0) return out;

  const ${name}::Arguments arguments = {
${callerRoles(type)
  .map(line => `      ${line.map(role => `${valueText(role, type)},`).join(' ')}`)
  .join('\n')}
  };
  TORCH_CHECK(${name}::kernelFor(arguments) != nullptr, "${name}: no kernel supports ", text(m), " x ", text(n), " x ", text(k), " with lda ",
              text(arguments.lda), ", ldb ", text(arguments.ldb), ", ldc ", text(arguments.ldc), ". Requirements of the kernels:\\n", ${name}::supportedArguments());
${
  isWorking
    ? `  const size_t bytes = ${name}::workspaceBytes(arguments);
  // The caching allocator reuses the memory on this stream only, after the kernels have finished.
  const at::Tensor workspace = at::empty({static_cast<int64_t>(bytes)}, a.options().dtype(at::kByte));
`
    : ''
}  const cudaError_t error = ${name}::gemm(arguments, ${isWorking ? 'workspace.data_ptr(), bytes, ' : ''}c10::cuda::getCurrentCUDAStream());
  TORCH_CHECK(error == cudaSuccess, "${name}: ", cudaGetErrorString(error));
  return out;
}

}  // namespace

TORCH_LIBRARY(${name}, m) {
  m.def("${schemaText(type)}", {at::Tag::needs_fixed_stride_order});
}

TORCH_LIBRARY_IMPL(${name}, CUDA, m) { m.impl("gemm", &gemm); }
`;
}

const CHECK_OPERAND = `// Checks an operand of the epilogue; without sizes, it must have one element.
void checkOperand(const at::Tensor& operand, const at::Tensor& a, at::ScalarType dtype, at::IntArrayRef sizes, at::IntArrayRef strides, const char* name) {
  TORCH_CHECK(operand.scalar_type() == dtype, "NAME: expected ", name, " of type ", dtype, ", got ", operand.scalar_type());
  TORCH_CHECK(operand.device() == a.device(), "NAME: a and ", name, " are on different devices");
  if (sizes.empty()) {
    TORCH_CHECK(operand.numel() == 1, "NAME: expected ", name, " to have one element, got the sizes ", text(operand.sizes()));
    return;
  }
  TORCH_CHECK(operand.sizes() == sizes, "NAME: expected ", name, " of the sizes ", text(sizes), ", got ", text(operand.sizes()));
  for (size_t i = 0; i < sizes.size(); ++i)
    TORCH_CHECK(sizes[i] <= 1 || operand.stride(i) == strides[i], "NAME: expected ", name, " with the strides ", text(strides), ", got ", text(operand.strides()));
}

`;

function valueText(role: CallerRole, type: GemmType): string {
  switch (role) {
    case 'm':
    case 'n':
    case 'k':
    case 'batch':
      return `toInt(${role}, "${role}")`;
    case 'a':
    case 'b':
      return `static_cast<const ${cudaType(type[role].dtype)}*>(${role}.const_data_ptr())`;
    case 'c':
      return `static_cast<${cudaType(type.c.dtype)}*>(out.data_ptr())`;
    case 'lda':
    case 'ldb': {
      const operand = role === LEADING.a ? 'a' : 'b';
      return `leadingDimension(${operand}, ${type[operand].layout === 'row'}, "${operand}")`;
    }
    case 'ldc':
      return 'toInt(ldc, "the leading dimension of the result")';
    case 'strideA':
    case 'strideB':
    case 'strideC': {
      const operand = (['a', 'b', 'c'] as const).find(each => STRIDE[each] === role);
      return operand === 'c' ? 'out.stride(0)' : `${operand ?? ''}.stride(0)`;
    }
    case 'alpha':
    case 'beta':
      return `static_cast<${isInteger(type.accumulator) ? 'int' : cudaType(type.accumulator)}>(${role})`;
    default: {
      const operand = extrasOf(type).find(each => each.role === role);
      if (operand === undefined) throw new Error(`The operator has no operand ${role}`);
      return `static_cast<const ${cudaType(operand.dtype)}*>(${operand.name}.const_data_ptr())`;
    }
  }
}
