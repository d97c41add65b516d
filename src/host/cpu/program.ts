/**
 * Composes the source of the executable that runs kernels on the CPU. It includes the kernel
 * sources and defines a table of their launches.
 */
import { locateKernels } from '../../core/source/kernelSites';
import { launchesOf, type Launch, type Runnable } from '../../core/kernel/kernel';
import { isEpilogueName } from '../../core/spec/epilogue';
import { DTYPE_BYTES, type DType } from '../../core/types/dtype';
import {
  buffersOf,
  operandOf,
  spanElements,
  type GlobalOperand,
  type ResolvedProblem,
} from '../../core/spec/resolved';
import type { ArgumentRole } from '../../core/kernel/ir/arguments';

export const kernelFileOf = (job: number): string => `kernel${job}.cu`;

export const MAIN_FILE = 'main.cpp';

/** Returns the operands in the order of the runtime: the workspace is the last one. */
const operandOrder = (problem: ResolvedProblem): readonly GlobalOperand[] => [
  ...buffersOf(problem),
  'workspace',
];

/**
 * Returns the source of the executable. If there are several kernels, each is included in its own
 * namespace. A single kernel may include any header.
 */
export function cpuProgram(runnables: readonly Runnable[]): string {
  const isAlone = runnables.length === 1;
  return [
    '#include "cuda_on_cpu.h"',
    '#include "launch.h"',
    '',
    ...runnables.flatMap((runnable, job) => kernelSection(runnable, job, isAlone)),
    ...runnables.flatMap(jobSection),
    `extern const on_cpu::Job onCpuJobs[] = {${runnables.map((_, job) => `job${job}`).join(', ')}};`,
    `extern const int onCpuJobCount = ${runnables.length};`,
    '',
  ].join('\n');
}

/** An array declared `extern __shared__`, whose memory the launch provides. */
interface DynamicArray {
  readonly type: string;
  readonly name: string;
}

const DYNAMIC =
  /\bextern\s+__shared__\s+(?:__align__\s*\([^)]*\)\s*|alignas\s*\([^)]*\)\s*)?([\w:\s]+?)\s*\b(\w+)\s*\[\s*\]/g;

export function dynamicArrays(source: string): readonly DynamicArray[] {
  const found = [...source.matchAll(DYNAMIC)].map(([, type = '', name = '']) => ({
    type: type.replace(/\s+/g, ' ').trim(),
    name,
  }));
  return found.filter(({ name }, at) => found.findIndex(other => other.name === name) === at);
}

/**
 * Returns the names of kernels and dynamic shared-memory arrays, which may conflict between
 * kernels.
 */
const publicNames = ({ source }: Runnable): readonly string[] => [
  ...new Set([
    ...locateKernels(source, 'cuda').map(({ entry }) => entry),
    ...dynamicArrays(source).map(({ name }) => name),
  ]),
];

function kernelSection(runnable: Runnable, job: number, isAlone: boolean): readonly string[] {
  const { source, dynamicSharedBytes } = runnable;
  const arrays = dynamicArrays(source).map(
    ({ type, name }) =>
      `alignas(128) thread_local ${type} ${name}[(${Math.max(1, dynamicSharedBytes)} + sizeof(${type}) - 1) / sizeof(${type})];`,
  );
  if (isAlone) {
    const ownMain = /\bmain\s*\(/.test(source);
    return [
      ...(ownMain ? ['#define main mainOfTheKernelFile'] : []),
      `#include "${kernelFileOf(job)}"`,
      ...(ownMain ? ['#undef main'] : []),
      ...arrays,
      '',
    ];
  }
  const names = publicNames(runnable);
  return [
    ...names.map(name => `#define ${name} ${name}_${job}`),
    `namespace kernel${job} {`,
    `#include "${kernelFileOf(job)}"`,
    ...arrays,
    '}',
    ...launchesOf<Launch>(runnable).map(
      ({ entry }, i) => `static constexpr auto entry${job}_${i} = &kernel${job}::${entry};`,
    ),
    ...names.map(name => `#undef ${name}`),
    '',
  ];
}

const dim = ({ x, y, z }: Runnable['grid']): string => `dim3(${x}, ${y}, ${z})`;

function jobSection(runnable: Runnable, job: number, all: readonly Runnable[]): readonly string[] {
  const { problem, workspaceBytes } = runnable;
  const launches = launchesOf<Launch>(runnable);
  const matrices = buffersOf(problem).map(name => {
    const elementBytes = DTYPE_BYTES[operandOf(problem, name).dtype];
    const bytes = spanElements(problem, name) * elementBytes;
    const isInput = name !== 'c';
    return `{"${name}", ${bytes}, ${elementBytes}, ${isInput}, ${!isInput && problem.beta === 0}}`;
  });
  const accumulatorBytes = DTYPE_BYTES[problem.accumulator];
  const operands = [
    ...matrices,
    ...(workspaceBytes === undefined
      ? []
      : [`{"workspace", ${workspaceBytes}, ${accumulatorBytes}, false, true}`]),
  ];
  const calls = launches.map(({ entry, arguments: args }, i) => {
    const kernel = all.length === 1 ? `&${entry}` : `entry${job}_${i}`;
    const passed = args.flat().map(role => argument(role, problem));
    return [
      `static void call${job}_${i}(void* const* operands) {`,
      `  on_cpu::call(${[kernel, ...passed].join(', ')});`,
      '}',
    ];
  });
  const table = launches.map(
    ({ grid, block }, i) => `{call${job}_${i}, ${dim(grid)}, ${dim(block)}}`,
  );
  return [
    ...calls.flat(),
    `static const on_cpu::Operand operands${job}[] = {${operands.join(', ')}};`,
    `static const on_cpu::Launch launches${job}[] = {${table.join(', ')}};`,
    `static const on_cpu::Job job${job} = {operands${job}, ${operands.length}, launches${job}, ${launches.length}};`,
    '',
  ];
}

const number = (value: number): string => `on_cpu::Number<long long>{${value}}`;

function argument(role: ArgumentRole, problem: ResolvedProblem): string {
  const pointer = (name: GlobalOperand, dtype: DType): string =>
    `on_cpu::Pointer<${DTYPE_BYTES[dtype]}>{operands[${operandOrder(problem).indexOf(name)}]}`;
  if (isEpilogueName(role)) return pointer(role, operandOf(problem, role).dtype);
  switch (role) {
    case 'a':
    case 'b':
    case 'c':
      return pointer(role, operandOf(problem, role).dtype);
    case 'workspace':
      return pointer(role, problem.accumulator);
    case 'm':
    case 'n':
    case 'k':
    case 'batch':
      return number(problem[role]);
    case 'lda':
      return number(problem.a.ld);
    case 'ldb':
      return number(problem.b.ld);
    case 'ldc':
      return number(problem.c.ld);
    case 'strideA':
      return number(problem.a.batchStride);
    case 'strideB':
      return number(problem.b.batchStride);
    case 'strideC':
      return number(problem.c.batchStride);
    case 'alpha':
    case 'beta':
      return `on_cpu::Number<double>{${double(problem[role])}}`;
    case 'tensorMapA':
    case 'tensorMapB':
    case 'tensorMapC':
    case 'tensorMapResidual':
    case 'tensorMapB2':
      throw new Error(`${role} is rejected before an executable is built`);
  }
}

/** Formats a value as a C++ floating-point literal that parses to exactly this value. */
function double(value: number): string {
  if (!Number.isInteger(value)) return String(value);
  return Math.abs(value) < 1e15 ? value.toFixed(1) : value.toExponential();
}
