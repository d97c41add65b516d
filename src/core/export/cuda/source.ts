/**
 * Source of the CUDA library: it includes the unchanged kernel files, launches them, and chooses
 * one of them for a size.
 */
import type { ArgumentRole } from '../../kernel/ir/arguments';
import { gridDims } from '../../kernel/file/gridDims';
import { hostCallOf, workspaceElement } from '../../kernel/file/hostCall';
import { sizeNeeds, workspaceParts } from '../../kernel/file/sizeNeeds';
import {
  isLowered,
  launchesOf,
  type Kernel,
  type Launch,
  type LoweredKernel,
} from '../../kernel/kernel';
import { isInteger, type DType } from '../../types/dtype';
import {
  conditionsOf,
  gridExpressions,
  needsText,
  workspaceExpression,
  type Syntax,
} from '../conditions';
import { provenance } from '../describe';
import { floatLiteral } from '../numbers';
import { nameOf } from '../epilogue';
import { LEADING, memoryOrder, passedValue, STRIDE } from '../roles';
import type { ExportedKernel, ExportSubject, GemmType } from '../subject';
import { needsWorkspace } from './header';

const CPP: Syntax = {
  of: 'g.',
  equals: '==',
  ceilDivide: (dividend, divisor) => `(${dividend} + ${divisor - 1}) / ${divisor}`,
  wide: factor => (factor === '1' ? '1ll' : `1ll * ${factor}`),
  aligned: (argument, bytes) => `isAligned(g.${argument}, ${bytes})`,
};

/** Folder of the unchanged kernel files, beside the source. */
export const KERNEL_FOLDER = 'kernels';

export function sourceText(subject: ExportSubject, header: string): string {
  const { name, kernels, type } = subject;
  const isWorking = needsWorkspace(subject);
  return `${provenance(subject, '//')}
#include "${header}"

#include <climits>
${kernels.length > 1 ? '#include <cmath>\n' : ''}#include <cstdint>

${includesOf(kernels)
  .map(line => `${line}\n`)
  .join('')}${includesOf(kernels).length === 0 ? '' : '\n'}namespace ${name} {
namespace {

${helpers(subject).join('\n\n')}

}  // namespace
}  // namespace ${name}

// The kernel files are unchanged. Their kernels have C linkage, so that their names must be unique
// in a program; everything else is in a namespace per file.
${kernels.map(({ kernel }, index) => kernelSection(subject, kernel, index)).join('\n')}
namespace ${name} {
namespace {

${tableText(subject)}

${validText(type)}

${chooseText(subject)}

}  // namespace

const char* kernelFor(const Arguments& g) {
  const Kernel* kernel = isValid(g) ? choose(g) : nullptr;
  return kernel == nullptr ? nullptr : kernel->name;
}

const char* supportedArguments() {
  return ${kernels.map(each => JSON.stringify(`${each.kernel.specKey}: ${needsText(each.kernel) || 'any size'}\n`)).join('\n         ')};
}
${
  isWorking
    ? `
std::size_t workspaceBytes(const Arguments& g) {
  const Kernel* kernel = isValid(g) ? choose(g) : nullptr;
  return kernel == nullptr ? 0 : kernel->workspaceBytes(g);
}
`
    : ''
}
cudaError_t gemm(const Arguments& g, ${isWorking ? 'void* workspace, std::size_t bytes, ' : ''}cudaStream_t stream) {
  if (!isValid(g)) return cudaErrorInvalidValue;
  const Kernel* kernel = choose(g);
  if (kernel == nullptr) return cudaErrorNotSupported;
${isWorking ? '  if (bytes < kernel->workspaceBytes(g)) return cudaErrorInvalidValue;\n' : ''}  return kernel->launch(g${isWorking ? ', workspace' : ''}, stream);
}

}  // namespace ${name}
`;
}

/** Returns the headers of the kernel files, which must be included outside of a namespace. */
const includesOf = (kernels: readonly ExportedKernel[]): readonly string[] =>
  [
    ...new Set(kernels.flatMap(({ kernel }) => kernel.source.match(/^#include <[^>]+>$/gm) ?? [])),
  ].sort();

function helpers({ kernels, type }: ExportSubject): readonly string[] {
  const needs = kernels.map(({ kernel }) => sizeNeeds(kernel));
  const isAligned = kernels.some(({ kernel }) =>
    Object.keys(sizeNeeds(kernel).alignments).some(operand => operand !== 'workspace'),
  );
  const isNarrow = kernels.some(({ kernel }) =>
    conditionsOf(kernel, type, CPP).some(text => text.startsWith('fits(')),
  );
  return [
    ...(isNarrow
      ? [
          '// The kernels have 32-bit element offsets.\nbool fits(long long elements) { return elements <= INT_MAX; }',
        ]
      : []),
    ...(isAligned
      ? [
          'bool isAligned(const void* pointer, std::uintptr_t bytes) { return reinterpret_cast<std::uintptr_t>(pointer) % bytes == 0; }',
        ]
      : []),
    ...(needs.some(({ slices }) => slices?.isEven === false)
      ? [
          `// Split-K: each slice has the same number of k-iterations, except the last; none may be empty.
bool fillsSlices(int k, int depth, int slices) {
  const int iterations = (k + depth - 1) / depth, each = (iterations + slices - 1) / slices;
  return (iterations + each - 1) / each == slices;
}`,
        ]
      : []),
  ];
}

function kernelSection(subject: ExportSubject, kernel: Kernel, index: number): string {
  const { name, type } = subject;
  const entries = [...new Set(launchesOf<Launch>(kernel).map(({ entry }) => entry))];
  const isWorking = needsWorkspace(subject);
  const conditions = conditionsOf(kernel, type, CPP);
  const bytes = workspaceExpression(kernel, { ...CPP, wide: factor => `std::size_t{${factor}}` });
  return `
${entries.map(entry => `#define ${entry} ${name}_${index}_${entry}`).join('\n')}
namespace ${name}::kernel${index} {
#include "${KERNEL_FOLDER}/${kernel.fileName}"

bool supports(const Arguments&${conditions.length === 0 ? '' : ' g'}) {
  return ${conditions.length === 0 ? 'true' : conditions.join(' &&\n         ')};
}
${
  isWorking
    ? `
std::size_t workspaceBytes(const Arguments&${bytes === undefined ? '' : ' g'}) { return ${bytes ?? '0'}; }
`
    : ''
}
cudaError_t launch(const Arguments& g, ${isWorking ? `void*${workspaceParts(kernel).length > 0 ? ' workspace' : ''}, ` : ''}cudaStream_t stream) {
${launchBody(kernel, type)}
}
}  // namespace ${name}::kernel${index}
${entries.map(entry => `#undef ${entry}`).join('\n')}
`;
}

function launchBody(kernel: Kernel, type: GemmType): string {
  const value = (role: ArgumentRole): string => valueText(role, kernel, type);
  const call = hostCallOf(kernel);
  if (call !== undefined) {
    return `  return ${call.name}(${[...call.roles.map(value), 'stream'].join(', ')});`;
  }
  if (!isLowered(kernel)) throw new Error(`${kernel.specKey} has no host function`);
  return singleLaunch(kernel, kernel.arguments.flat().map(value));
}

function singleLaunch(kernel: LoweredKernel, values: readonly string[]): string {
  const { entry, plan, block, dynamicSharedBytes: shared } = kernel;
  const grid = gridExpressions(gridDims(plan, kernel), CPP).join(', ');
  const threads = [block.x, ...(block.y === 1 && block.z === 1 ? [] : [block.y])].join(', ');
  return `${
    shared === 0
      ? ''
      : `  if (const cudaError_t error = cudaFuncSetAttribute(${entry}, cudaFuncAttributeMaxDynamicSharedMemorySize, ${shared})) return error;
`
  }  const dim3 grid(${grid}), block(${threads});
  ${entry}<<<grid, block, ${shared}, stream>>>(${values.join(', ')});
  return cudaGetLastError();`;
}

function valueText(role: ArgumentRole, kernel: Kernel, type: GemmType): string {
  const value = passedValue(role, type);
  switch (value.from) {
    case 'workspace':
      return `static_cast<${workspaceElement(kernel)}*>(workspace)`;
    case 'number':
      return literal(value.value, value.dtype);
    case 'caller': {
      // SIMT kernels take batch strides as int; supports() limits matrices to 2^31 - 1 elements.
      const isStride = value.role.startsWith('stride') && kernel.plan.family !== 'wgmma';
      return isStride ? `static_cast<int>(g.${value.role})` : `g.${nameOf(type, value.role)}`;
    }
  }
}

const literal = (value: number, dtype: DType): string =>
  isInteger(dtype)
    ? String(value)
    : dtype === 'f64'
      ? floatLiteral(value)
      : `${floatLiteral(value)}f`;

function tableText(subject: ExportSubject): string {
  const isWorking = needsWorkspace(subject);
  const { kernels } = subject;
  const many = kernels.length > 1;
  const rows = kernels.map(({ kernel, measured }, index) => {
    const { m, n, k } = kernel.problem;
    const space = `kernel${index}::`;
    return `    {${[
      JSON.stringify(kernel.specKey),
      ...(many ? [m, n, k, floatLiteral(measured?.microseconds ?? 0)] : []),
      `${space}supports`,
      ...(isWorking ? [`${space}workspaceBytes`] : []),
      `${space}launch`,
    ].join(', ')}},`;
  });
  return `struct Kernel {
  const char* name;
${
  many
    ? `  int m, n, k;          // size that the schedule was chosen for
  double microseconds;  // measured time at this size; 0 if it was not measured
`
    : ''
}  bool (*supports)(const Arguments&);
${isWorking ? '  std::size_t (*workspaceBytes)(const Arguments&);\n' : ''}  cudaError_t (*launch)(const Arguments&, ${isWorking ? 'void*, ' : ''}cudaStream_t);
};

constexpr Kernel kernels[] = {
${rows.join('\n')}
};`;
}

function validText(type: GemmType): string {
  const extents = ['m', 'n', 'k', ...(type.isBatched ? ['batch'] : [])];
  const conditions = [
    ...extents.map(role => `g.${role} >= 1`),
    ...(['a', 'b', 'c'] as const).flatMap(operand => {
      const [, along] = memoryOrder(type, operand);
      return [
        `g.${LEADING[operand]} >= g.${along}`,
        ...(type.isBatched ? [`g.${STRIDE[operand]} >= 0`] : []),
      ];
    }),
  ];
  return `bool isValid(const Arguments& g) {
  return ${conditions.join(' && ').replace(/(.{70,90}?) && /g, '$1 &&\n         ')};
}`;
}

function chooseText({ kernels }: ExportSubject): string {
  if (kernels.length === 1)
    return 'const Kernel* choose(const Arguments& g) { return kernels[0].supports(g) ? &kernels[0] : nullptr; }';
  return `double distance(const Kernel& kernel, const Arguments& g) {
  const auto ratio = [](int wanted, int size) { return std::abs(std::log2(static_cast<double>(wanted) / size)); };
  return ratio(g.m, kernel.m) + ratio(g.n, kernel.n) + ratio(g.k, kernel.k);
}

// Prefer the closest size, then the smallest measured time, among kernels that support the call.
const Kernel* choose(const Arguments& g) {
  const Kernel* best = nullptr;
  double least = 0, time = 0;
  for (const Kernel& kernel : kernels) {
    if (!kernel.supports(g)) continue;
    const double far = distance(kernel, g);
    const double measured = kernel.microseconds == 0 ? HUGE_VAL : kernel.microseconds;
    if (best == nullptr || far < least || (far == least && measured < time)) best = &kernel, least = far, time = measured;
  }
  return best;
}`;
}
