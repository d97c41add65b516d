/**
 * `annotate FILE`: proposes the `// @gemm` comment of a hand-written or compiled kernel, and writes
 * it on request.
 */
import { sideFileOf } from '../../core/source/cubinFile';
import { messageOf } from '../../host/text';
import { writeUserFile } from '../../host/userFile';
import { propose, type Proposal } from '../annotate';
import { command, set } from '../command';
import { isCubin } from '../foreign';
import { isKernelFile } from '../kernel';
import { EXIT, invalidInput, type Result } from '../result';

export const annotateCommand = command({
  name: 'annotate',
  description:
    'Propose the // @gemm comment of a kernel file: problem, grid, block and arguments; --write adds it',
  args: {
    file: {
      type: 'positional',
      valueHint: 'FILE',
      required: true,
      description: 'A .cu, .cuh, .wgsl, .ptx or .cubin file',
    },
    entry: {
      type: 'string',
      valueHint: 'NAME',
      description: "Kernel to annotate, with its template arguments, such as 'sgemm<128, 8>'",
    },
    write: {
      type: 'boolean',
      description: 'Write the comment into the file, or NAME.cubin.json for a cubin',
    },
    out: {
      type: 'string',
      valueHint: 'FILE',
      description: 'Write an annotated copy to this file instead',
    },
    force: { type: 'boolean', description: 'Replace the annotation that the kernel already has' },
    set: {
      ...set,
      description:
        'Override a value of the proposal, e.g. problem.m=512 or block=[128]; may be repeated',
    },
  },
  run: async (options): Promise<Result> => {
    const { file: path, entry, set: assignments, out, write = false, force = false } = options;
    if (path === '-' || !isKernelFile(path) || /\.py(?::\w+)?$/i.test(path)) {
      throw invalidInput(
        `annotate reads .cu, .cuh, .wgsl, .ptx and .cubin files, got ${path}. Fix: pass a kernel file.`,
      );
    }
    const proposal = await propose(path, entry, assignments);
    const target = out ?? (write ? (isCubin(path) ? sideFileOf(path) : path) : undefined);
    const isComplete = proposal.unknown.length === 0 && proposal.problem === undefined;
    if (target !== undefined && isComplete) {
      if (proposal.isAnnotated && !force) {
        throw invalidInput(
          `${path} already describes ${proposal.entry}. Fix: add --force to replace the annotation.`,
        );
      }
      await writeTo(target, proposal.text);
    }
    const { entry: kernel, parameters, annotation, unknown, assumed, problem } = proposal;
    const written = target !== undefined && isComplete ? target : null;
    return {
      exit: isComplete ? EXIT.yes : EXIT.no,
      json: { entry: kernel, parameters, annotation, unknown, assumed, problem, written },
      text: describe(proposal, written),
    };
  },
});

async function writeTo(file: string, text: string): Promise<void> {
  try {
    await writeUserFile(file, text);
  } catch (error) {
    throw invalidInput(`${file} could not be written: ${messageOf(error)}`);
  }
}

function describe(
  { entry, annotation, unknown, assumed, problem }: Proposal,
  written: string | null,
): string {
  const wrong = problem === undefined ? [] : [`error: ${problem.path}: ${problem.message}`];
  const next =
    written === null
      ? unknown.length === 0 && wrong.length === 0
        ? 'Nothing was written. Add --write to write this comment into the file.'
        : 'Nothing was written.'
      : `Written to ${written}.`;
  return [
    `Annotation of ${entry}:`,
    `// @gemm ${JSON.stringify(annotation)}`,
    ...assumed.map(text => `assumed: ${text}`),
    ...unknown.map(({ name, next: fix }) => `unknown: ${name}: ${fix}`),
    ...wrong,
    next,
  ].join('\n');
}
