/** Checks a kernel task: unchanged text, the expressions in the holes, and a run on a backend. */
import type { Measurement } from '../measure/measurement';
import { readKernelFile } from '../source/kernelFile';
import type { Runnable } from '../kernel/kernel';
import { diagnose, type OtherHole } from './diagnose';
import { solutionOf, taskSource, versionOf } from './kernelText';
import { lineAt, outcome, type TaskCheck } from './outcome';
import { extractAnswers } from './template';
import { CODE_HOLE, targetOf, type CodeHole, type KernelTask } from './task';

/** Runs a kernel on a backend of the caller; resolves to null if the backend is not available. */
export type RunKernel = (runnable: Runnable) => Promise<Measurement | null>;

export interface KernelCheckOptions {
  readonly fileName: string;
  readonly run?: RunKernel;
}

interface Judged {
  readonly isSolution: boolean;
  /** Set for an incorrect answer. */
  readonly wrong?: { readonly message: string; readonly detail: readonly string[] };
}

export async function checkKernel(
  task: KernelTask,
  text: string,
  { fileName, run }: KernelCheckOptions,
): Promise<TaskCheck> {
  const target = targetOf(fileName);
  const version = versionOf(task, target);
  if (version === undefined) return outcome('unusable', `${task.id} has no ${target} version.`);
  const extracted = extractAnswers(text, taskSource(task, target), CODE_HOLE);
  if (!extracted.ok)
    return outcome(
      'failed',
      `Line ${extracted.line} was changed. Change only the holes. Expected: ${extracted.expected ?? 'the end of the file'}`,
      { line: extracted.line },
    );
  const empty = text.indexOf(CODE_HOLE);
  if (empty !== -1)
    return outcome('failed', 'A hole is still empty. Replace it with code.', {
      line: lineAt(text, empty),
    });
  const solution = solutionOf(task, target);
  let areSolutions = true;
  for (const [i, hole] of version.holes.entries()) {
    const others = version.holes.flatMap((other, at) =>
      other.kind === 'expression' ? [{ of: other.of, solution: solution[at] ?? '' }] : [],
    );
    const judged = judge(hole, extracted.answers[i] ?? '', { solution: solution[i] ?? '', others });
    areSolutions &&= judged.isSolution;
    if (judged.wrong === undefined) continue;
    const found = await findings(text, fileName, run);
    const line = extracted.lines[i];
    return outcome('failed', judged.wrong.message, {
      detail: [...judged.wrong.detail, ...found],
      ...(line === undefined ? {} : { line }),
    });
  }
  return await executed(task, { text, fileName, areSolutions, run });
}

const WITHOUT_CODE = /\/\/.*|\/\*[\s\S]*?\*\/|^\s*;\s*(?=$|\/)/g;

/** Removes comments, and an empty statement, from an answer. */
const codeOf = (answer: string): string => answer.replace(WITHOUT_CODE, '').trim();

/** Collapses blanks, so that formatting does not matter. */
const normalized = (text: string): string => text.replace(/\s+/g, '');

interface Expected {
  readonly solution: string;
  /** All holes with expressions. */
  readonly others: readonly OtherHole[];
}

function judge(hole: CodeHole, answer: string, { solution, others }: Expected): Judged {
  const wrong = (message: string, detail: readonly string[] = []): Judged => ({
    isSolution: false,
    wrong: { message, detail },
  });
  if (hole.kind === 'expression') {
    if (answer === '') return wrong(`The ${hole.of} is missing.`);
    const found = diagnose(answer, solution, { ...hole, others });
    return found === null ? { isSolution: true } : { isSolution: false, wrong: found };
  }
  const given = normalized(answer);
  const code = normalized(codeOf(answer));
  const known = hole.known.find(({ text }) => [given, code].includes(normalized(text)));
  if (known !== undefined) return wrong(known.why);
  return {
    isSolution: [solution, ...(hole.accepts ?? [])].some(text => normalized(text) === given),
  };
}

/** Returns what a run of an incorrect kernel finds, such as a race; empty without a backend. */
async function findings(
  text: string,
  fileName: string,
  run: RunKernel | undefined,
): Promise<readonly string[]> {
  const file = readKernelFile(text, fileName);
  if (run === undefined || !file.ok) return [];
  const measured = await run(file.runnable);
  return measured?.outcome === 'incorrect' ? [findingOf(measuredText(measured))] : [];
}

/** Returns one finding of a run: the first race, otherwise the first finding. */
function findingOf(text: string): string {
  const found = text.split('\n');
  return found.find(one => one.startsWith('race:')) ?? found[0] ?? '';
}

const WHERE: Readonly<Record<Measurement['backend'], string>> = {
  cpu: 'on the CPU of this machine',
  webgpu: 'on WebGPU',
  cuda: 'on the NVIDIA GPU of this machine',
  simulate: 'in the simulator',
};

const measuredText = ({ message, verification, backend }: Measurement): string =>
  message ??
  `${backend}: ${verification.mismatches} of ${verification.samples} compared elements of C are incorrect.`;

interface Execution {
  readonly text: string;
  readonly fileName: string;
  readonly areSolutions: boolean;
  readonly run: RunKernel | undefined;
}

async function executed(
  task: KernelTask,
  { text, fileName, areSolutions, run }: Execution,
): Promise<TaskCheck> {
  const file = readKernelFile(text, fileName);
  if (!file.ok) return outcome('failed', file.reason);
  const measured = (await run?.(file.runnable)) ?? null;
  switch (measured?.outcome) {
    case 'correct':
      return outcome('passed', `The kernel is correct. It ran ${WHERE[measured.backend]}.`, {
        detail: [`${measured.verification.samples} elements of C were compared.`],
      });
    case 'incorrect':
      return outcome('failed', `The kernel is not correct: ${findingOf(measuredText(measured))}`);
    case 'compile-error':
    case 'launch-error':
    case 'timeout':
      return outcome('failed', `The kernel is not correct: ${measuredText(measured)}`);
    default:
      return areSolutions
        ? outcome('passed', 'The answer equals the generated kernel.', {
            detail: [notExecuted(measured?.message)],
          })
        : outcome('missing', missingText(task, fileName, measured?.message));
  }
}

/** States why a solution was not executed; commands for other backends are not options here. */
const notExecuted = (why = 'No backend is available.'): string =>
  `The kernel was not executed on this machine. ${why.replace(/ Fix: .*/s, '')}`;

function missingText(task: KernelTask, fileName: string, why = ''): string {
  const twin =
    task.wgsl === undefined || fileName.endsWith('.wgsl')
      ? ''
      : ` Or solve ${task.id}.wgsl, which runs on WebGPU.`;
  const needs = fileName.endsWith('.wgsl') ? 'WebGPU' : 'a C++ compiler (g++ or clang++)';
  return `This answer can only be checked by running the kernel, which requires ${needs}. ${why}${twin}`.trim();
}
