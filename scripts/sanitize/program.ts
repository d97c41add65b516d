/** One CUDA program that runs many kernels, each on matrices from files: text for nvcc and compute-sanitizer. */
import type { ArgumentRole, Kernel } from '../../src/core/emit/kernel';
import { parametersOf } from '../../src/core/simulate/execute';
import type { ResolvedProblem } from '../../src/core/spec/resolved';
import { renamed } from '../grid/compile';
import runner from '../../shaders/cuda/sanitizer.cuh';

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
    `static const Job kJobs[] = {\n${jobs.map(({ name }, i) => `  {"${name}", launch${i}},`).join('\n')}\n};`,
    'int main(int count, char** values) { return run(kJobs, count, values); }',
    '',
  ].join('\n\n');
}

function launcher({ kernel }: SanitizerJob, i: number): string {
  const { entry, grid, block, dynamicSharedBytes: shared, problem } = kernel;
  const dim = ({ x, y, z }: Kernel['grid']): string => `dim3(${x}, ${y}, ${z})`;
  const name = `k${i}::${entry}_${i}`;
  const args = kernel.arguments.flat().map(role => argument(role, problem));
  return [
    `static void launch${i}(Pointer a, Pointer b, Pointer c) {`,
    ...(shared > 48 * 1024
      ? [
          `  check(cudaFuncSetAttribute(${name}, cudaFuncAttributeMaxDynamicSharedMemorySize, ${shared}));`,
        ]
      : []),
    `  ${name}<<<${dim(grid)}, ${dim(block)}, ${shared}>>>(${args.join(', ')});`,
    '}',
  ].join('\n');
}

const argument = (role: ArgumentRole, problem: ResolvedProblem): string =>
  role === 'a' || role === 'b' || role === 'c' ? role : String(parametersOf(problem)[role]);
