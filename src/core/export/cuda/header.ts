/** Header of the CUDA library that the `pytorch` and `cpp` targets contain. */
import { cudaType, HEADERS } from '../../kernel/print/cudaTypes';
import { workspaceParts } from '../../kernel/file/sizeNeeds';
import { formulaText, layoutText, provenance } from '../describe';
import { extrasOf } from '../epilogue';
import { LEADING, STRIDE } from '../roles';
import type { ExportSubject, GemmType } from '../subject';

export const needsWorkspace = ({ kernels }: ExportSubject): boolean =>
  kernels.some(({ kernel }) => workspaceParts(kernel).length > 0);

/** Returns the headers that declare the element types. */
export const typeHeaders = (type: GemmType): readonly string[] => [
  ...new Set(
    [type.a, type.b, type.c, ...extrasOf(type)].flatMap(({ dtype }) => {
      const header = HEADERS[dtype];
      return header === undefined ? [] : [`#include <${header}>`];
    }),
  ),
];

export function headerText(subject: ExportSubject): string {
  const { name, type } = subject;
  const isWorking = needsWorkspace(subject);
  return `${provenance(subject, '//')}
#pragma once

#include <cstddef>

${[...typeHeaders(type), '#include <cuda_runtime_api.h>'].join('\n')}

namespace ${name} {

/// ${formulaText(type)}
/// ${layoutText(type)}
/// Leading dimensions${type.isBatched ? ' and the strides between batch entries' : ''} are in elements.${extrasOf(type).length === 0 ? '' : '\n/// C must not overlap another operand.'}
struct Arguments {
${fieldLines(type).join('\n')}
};

/// Returns the name of the kernel that \`gemm\` launches, or nullptr if no kernel supports the
/// arguments.
const char* kernelFor(const Arguments& arguments);

/// Describes the arguments that each kernel supports.
const char* supportedArguments();
${
  isWorking
    ? `
/// Returns the bytes of device memory that \`gemm\` needs as workspace for these arguments; 0 if it
/// needs none. The workspace must be aligned to 256 bytes and need not be initialized. Launches
/// that can overlap must not share a workspace.
std::size_t workspaceBytes(const Arguments& arguments);
`
    : ''
}
/// Computes the product on \`stream\` without synchronizing. Returns
/// - cudaErrorInvalidValue for an extent below 1, a leading dimension that is too small${isWorking ? ', or a\n///   workspace that is too small' : ''};
/// - cudaErrorNotSupported if no kernel supports the arguments (see supportedArguments);
/// - otherwise the error of the launch.
cudaError_t gemm(const Arguments& arguments, ${isWorking ? 'void* workspace, std::size_t bytes, ' : ''}cudaStream_t stream);

}  // namespace ${name}
`;
}

function fieldLines(type: GemmType): readonly string[] {
  const { isBatched, takesAlpha, takesBeta } = type;
  const scalars = [...(takesAlpha ? ['alpha'] : []), ...(takesBeta ? ['beta'] : [])];
  return [
    `  int m, n, k${isBatched ? ', batch' : ''};`,
    ...(['a', 'b', 'c'] as const).flatMap(operand => [
      `  ${operand === 'c' ? '' : 'const '}${cudaType(type[operand].dtype)}* ${operand};`,
      `  int ${LEADING[operand]};`,
      ...(isBatched ? [`  long long ${STRIDE[operand]};`] : []),
    ]),
    ...extrasOf(type).map(({ name, dtype }) => `  const ${cudaType(dtype)}* ${name};`),
    ...(scalars.length === 0 ? [] : [`  ${cudaType(type.accumulator)} ${scalars.join(', ')};`]),
  ];
}
