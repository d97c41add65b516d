/** CUDA and WGSL kernels of loop nests, with the lines that each loop became. */
import { resolveProblem } from '../defaults/resolve';
import type { KernelIr, Statement } from '../kernel/ir/ir';
import type { Runnable } from '../kernel/kernel';
import { hashLine } from '../kernel/file/fileHead';
import { cuda, cudaArguments } from '../kernel/print/cuda';
import type { Mark } from '../kernel/print/print';
import { print } from '../kernel/print/print';
import type { PrintOptions } from '../kernel/print/dialect';
import { wgslArguments, wgslOf } from '../kernel/print/wgsl';
import type { ResolvedProblem } from '../spec/resolved';
import type { Target } from '../spec/schema';
import { blockExtents, gridExtents, gridLoops } from './indices';
import { lowerNest } from './lower';
import { parentStep, iterationsOf, type LoopNest, type LoopProblem } from './nest';
import { nestLines } from './nestLines';
import { nestText } from './text';

export interface NestKernel extends Runnable {
  readonly ir: KernelIr;
  /** Line numbers of each loop in the source, counted from 1, in the order of the nest. */
  readonly lines: readonly (readonly number[])[];
}

/** Largest element offset that fits in a 32-bit signed integer. */
const MAX_INT = 2 ** 31 - 1;

export const problemOf = ({ m, n, k, dtype }: LoopProblem): ResolvedProblem =>
  resolveProblem({ m, n, k, a: { dtype }, b: { dtype } });

/** Emits the kernel of a nest without violations. */
export function nestKernel(nest: LoopNest, problem: LoopProblem, target: Target): NestKernel {
  const { ir, statements } = lowerNest(nest, problem, target);
  const [grid, block] = [gridExtents(nest, problem), blockExtents(nest, problem)];
  const { m, n, k } = problem;
  const options: PrintOptions = {
    wideOffsets: (['a', 'b', 'c'] as const).filter(operand => {
      const count = { a: m * k, b: k * n, c: m * n }[operand];
      return count > MAX_INT;
    }),
    dynamicShared: false,
    boundsBlocks: false,
    workgroupSize: { main: trimmed([block.x, block.y, block.z]).join(', '), pass: '' },
    subgroups: false,
  };
  const marked = markLoops(statements);
  const text = print(ir, options, target === 'cuda' ? cuda : wgslOf(ir), marked.mark);
  const head = headOf(nest, problem);
  const { source: body, lines } = marked.read(text, head.split('\n').length);
  const args = target === 'cuda' ? cudaArguments(ir) : wgslArguments(ir);
  const launch = {
    entry: ir.entry,
    grid: gridLoops(nest).map(loop =>
      parentStep(nest, loop) === null
        ? loop.step === 1
          ? { i: 'm', j: 'n', k: 'k' }[loop.axis]
          : `ceil(${{ i: 'm', j: 'n', k: 'k' }[loop.axis]} / ${loop.step})`
        : iterationsOf(nest, loop, problem),
    ),
    block: trimmed([block.x, block.y, block.z]),
    args,
  };
  const annotation = `// @gemm ${JSON.stringify({
    ...launch,
    grid: launch.grid.length === 0 ? [1] : launch.grid,
    version: 1,
    problem: { m, n, k, a: { dtype: problem.dtype }, b: { dtype: problem.dtype } },
    targets: [target],
  })}\n`;
  const rest = `${head}\n${body}\n${annotation}`;
  return {
    target,
    source: rest + hashLine(rest),
    problem: problemOf(problem),
    entry: ir.entry,
    grid,
    block,
    dynamicSharedBytes: 0,
    arguments: args,
    specKey: `loops ${nestText(nest)}`,
    ir,
    lines,
  };
}

const trimmed = ([x = 1, y = 1, z = 1]: readonly number[]): readonly number[] =>
  z > 1 ? [x, y, z] : y > 1 ? [x, y] : [x];

const headOf = (nest: LoopNest, problem: LoopProblem): string =>
  [
    'C = A B by a loop nest; all matrices are row-major.',
    '',
    ...nestLines(nest).map(line => `  ${line}`),
    '',
    `Nest: ${nestText(nest)}`,
    requirement(nest, problem),
  ]
    .map(line => (line === '' ? '//' : `// ${line}`))
    .concat('')
    .join('\n');

/** Multiples that the kernel requires, because it has no bounds checks along these axes. */
function requirement(nest: LoopNest, problem: LoopProblem): string {
  const multiples = (['i', 'j', 'k'] as const).flatMap(axis => {
    const step = Math.max(...nest.filter(loop => loop.axis === axis).map(loop => loop.step));
    const extent = { i: problem.m, j: problem.n, k: problem.k }[axis];
    return step > 1 && extent % step === 0
      ? [`${{ i: 'M', j: 'N', k: 'K' }[axis]} % ${step} == 0`]
      : [];
  });
  return multiples.length === 0
    ? 'M, N and K need not be multiples of the steps.'
    : `Requires ${multiples.join(', ')}: these dimensions are not bounds-checked.`;
}

const START = '\u0001';
const MARKS = new RegExp(`${START}(\\d+) `, 'g');

/** Marks the lines of the statements of each loop while they are printed. */
function markLoops(statements: readonly (readonly Statement[])[]): {
  readonly mark: Mark;
  readonly read: (
    text: string,
    before: number,
  ) => { readonly source: string; readonly lines: readonly (readonly number[])[] };
} {
  const loopOf = new Map(
    statements.flatMap((own, at) => own.map(statement => [statement, at] as const)),
  );
  return {
    mark: (lines, statement) => {
      const at = loopOf.get(statement);
      if (at === undefined) return lines;
      // An unrolled loop has a directive in the line above.
      const head = statement.op === 'for' ? lines.findIndex(line => /^\s*for /.test(line)) : 0;
      return lines.map((line, i) => (i === head ? `${line}${START}${at} ` : line));
    },
    read: (text, before) => {
      const lines: number[][] = statements.map(() => []);
      text.split('\n').forEach((line, i) => {
        for (const [, at] of line.matchAll(MARKS)) lines[Number(at)]?.push(before + i + 1);
      });
      return { source: text.replace(MARKS, ''), lines };
    },
  };
}
