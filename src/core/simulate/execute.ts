/** Executes a kernel over its grid with actual values. Every access of loop IR is checked. */
import {
  launchesOf,
  type DeclaredKernel,
  type Kernel,
  type KernelLaunch,
  type Launch,
} from '../kernel/kernel';
import { DTYPE_BYTES } from '../types/dtype';
import type { Dim3 } from '../plan/plan';
import type { Statement } from '../kernel/ir/ir';
import type { ResolvedProblem } from '../spec/resolved';
import { statementLines } from '../kernel/print/statementLines';
import { compile } from './compile';
import {
  checkedMemory,
  type Finding,
  type Matrices,
  type Memory,
  type Surroundings,
} from './memory';
import { makeThreads } from './threads';
import { computed } from '../kernel/wgmma/model';
import { runModel } from './wgmma';
import type { Bindings } from './values';
import { parametersOf } from '../kernel/ir/arguments';

/** Enumerates all blocks of a grid, x fastest. */
export function* blocksOf(grid: Dim3): Generator<Dim3> {
  for (let z = 0; z < grid.z; z++)
    for (let y = 0; y < grid.y; y++) for (let x = 0; x < grid.x; x++) yield { x, y, z };
}

export interface Executed {
  /** Number of completed blocks of all launches. */
  readonly blocks: number;
  readonly findings: readonly Finding[];
}

export const blockCount = (kernel: Kernel): number =>
  launchesOf<Launch>(kernel).reduce((total, { grid }) => total + grid.x * grid.y * grid.z, 0);

/**
 * Executes the blocks of all launches sequentially and stops after the first block with findings.
 * Yields often, so that a caller can stop or show progress.
 */
export function* execute(
  kernel: Kernel,
  matrices: Omit<Matrices, 'workspace'>,
): Generator<Executed> {
  const { workspaceBytes = 0, problem } = kernel;
  const { workspace = problem.accumulator } = kernel.before?.[0]?.ir.dtypes ?? {};
  const elements = workspaceBytes / DTYPE_BYTES[workspace];
  // The workspace is uninitialized.
  const all = { ...matrices, workspace: new Float64Array(elements).fill(NaN) };
  const { problem: posed, of } =
    'model' in kernel ? computed(kernel.model, { problem, of: all }) : { problem, of: all };
  // Repacked copies and partial results have different types, hence separate arrays of elements.
  const partials = new Float64Array(workspaceBytes / DTYPE_BYTES[problem.accumulator]).fill(NaN);
  const reduced = 'model' in kernel ? { ...of, workspace: partials } : of;
  let blocks = 0;
  for (const launch of launchesOf<KernelLaunch | DeclaredKernel>(kernel)) {
    const running =
      'ir' in launch
        ? executeLaunch(
            kernel,
            { launch, problem: posed },
            kernel.after?.includes(launch) === true ? reduced : of,
          )
        : runModel({ ...launch, problem: posed }, { ...of, partials });
    for (const done of running) {
      yield { ...done, blocks: blocks + done.blocks };
      if (done.findings.length > 0) return;
    }
    blocks += launch.grid.x * launch.grid.y * launch.grid.z;
  }
}

function* executeLaunch(
  kernel: Kernel,
  { launch, problem }: { readonly launch: KernelLaunch; readonly problem: ResolvedProblem },
  matrices: Matrices,
): Generator<Executed> {
  // Source lines are computed only if there are findings.
  let known: ReturnType<typeof statementLines> | undefined;
  const linesOf = (of: Statement) => (known ??= statementLines(kernel, launch)).get(of);
  yield* executeIr({ ...launch, problem, fileName: kernel.fileName, linesOf }, matrices);
}

/** One launch of loop IR. */
export interface IrLaunch extends Pick<KernelLaunch, 'ir' | 'grid' | 'block'> {
  readonly problem: ResolvedProblem;
  readonly fileName: string;
  readonly linesOf: Surroundings['linesOf'];
}

/** Executes the blocks of one launch, and stops after the first block with findings. */
export function* executeIr(
  { ir, grid, block: extent, problem, fileName, linesOf }: IrLaunch,
  matrices: Matrices,
): Generator<Executed> {
  let memory: Memory | null = null;
  const bindings: Bindings = {
    parameters: parametersOf(problem),
    memory: () => {
      if (memory === null) throw new Error('no block is being executed');
      return memory;
    },
  };
  const program = compile(ir, bindings);
  const findings: Finding[] = [];
  let blocks = 0;
  for (const block of blocksOf(grid)) {
    const own = makeThreads(extent, program);
    const checked = checkedMemory(matrices, program.sharedElements, {
      block,
      linesOf,
      fileName,
      threads: own,
    });
    memory = checked;
    const threads = program.run(block, own);
    while (threads.next().done !== true) yield { blocks, findings };
    findings.push(...checked.findings);
    blocks++;
    yield { blocks, findings };
    if (findings.length > 0) return;
  }
}
