/**
 * Generates the source of one CUDA executable that runs many kernels on matrices from files, for
 * nvcc and compute-sanitizer.
 */
import { launchesOf, type Kernel, type Launch } from '../../../src/core/kernel/kernel';
import { type ArgumentRole } from '../../../src/core/kernel/ir/arguments';
import { parametersOf } from '../../../src/core/kernel/ir/arguments';
import type { ResolvedProblem } from '../../../src/core/spec/resolved';
import { renamed } from '../../../scripts/grid/compile';
import runner from '../../../shaders/cuda/sanitizer.cuh';

export interface SanitizerJob {
  readonly name: string;
  readonly kernel: Kernel;
}

export function sanitizerProgram(jobs: readonly SanitizerJob[]): string {
  const headers = new Set(
    jobs.flatMap(({ kernel }) => kernel.source.match(/^#include .*$/gm) ?? []),
  );
  return [
    ...headers,
    runner,
    ...jobs.map(({ kernel }, i) => `namespace k${i} {\n${renamed(kernel, i)}\n}`),
    ...jobs.map(launcher),
    `static const Job kJobs[] = {\n${jobs.map(({ name, kernel }, i) => `  {"${name}", ${kernel.workspaceBytes ?? 0}, launch${i}},`).join('\n')}\n};`,
    'int main(int count, char** values) { return run(kJobs, count, values); }',
    '',
  ].join('\n\n');
}

function launcher({ kernel }: SanitizerJob, i: number): string {
  const { problem } = kernel;
  const dim = ({ x, y, z }: Kernel['grid']): string => `dim3(${x}, ${y}, ${z})`;
  const calls = launchesOf<Launch>(kernel).flatMap(launch => {
    const { grid, block, dynamicSharedBytes: shared } = launch;
    const name = `k${i}::${launch.entry}_${i}`;
    const args = launch.arguments.flat().map(role => argument(role, problem));
    const attribute = `${name}, cudaFuncAttributeMaxDynamicSharedMemorySize, ${shared}`;
    return [
      ...(shared > 48 * 1024 ? [`  check(cudaFuncSetAttribute(${attribute}));`] : []),
      `  ${name}<<<${dim(grid)}, ${dim(block)}, ${shared}>>>(${args.join(', ')});`,
    ];
  });
  const operands = 'Pointer a, Pointer b, Pointer c, [[maybe_unused]] Pointer workspace';
  return [`static void launch${i}(${operands}) {`, ...calls, '}'].join('\n');
}

const POINTERS: readonly ArgumentRole[] = ['a', 'b', 'c', 'workspace'];

const argument = (role: ArgumentRole, problem: ResolvedProblem): string =>
  POINTERS.includes(role) ? role : String(parametersOf(problem)[role]);
