/** Files of kernel tasks: the emitted source with holes, without the schedule that solves them. */
import { emit } from '../kernel/emit';
import { hashLine } from '../kernel/file/fileHead';
import type { Runnable } from '../kernel/kernel';
import { nestKernel } from '../nests/kernel';
import { planSpec } from '../defaults/check';
import type { Target } from '../spec/schema';
import { filledTemplate } from './template';
import { CODE_HOLE, type CodeVersion, type Cut, type KernelTask } from './task';

/** Emits the complete kernel of a task. Throws if the spec of the task is not legal. */
export function kernelOfTask({ source }: KernelTask, target: Target): Runnable {
  if ('nest' in source) return nestKernel(source.nest, source.problem, target);
  const planned = planSpec(source.spec, target);
  if (!planned.ok) throw new Error(planned.violations.map(({ message }) => message).join(' '));
  return emit(planned.plan);
}

export const versionOf = (task: KernelTask, target: Target): CodeVersion | undefined =>
  target === 'cuda' ? task.cuda : task.wgsl;

const cutsOf = (task: KernelTask, target: Target): readonly Cut[] =>
  versionOf(task, target)?.cuts ?? [];

/** Returns the text that each hole replaces: the solution of the task. */
export const solutionOf = (task: KernelTask, target: Target): readonly string[] =>
  cutsOf(task, target).map(({ removes }) => removes);

/** Returns the file of a task with its holes. Throws if a cut is not found in the emitted text. */
export function taskSource(task: KernelTask, target: Target): string {
  const body = cutsOf(task, target).reduce(withHole, readable(kernelOfTask(task, target).source));
  const head = [
    `Task ${task.id}: ${task.title}`,
    '',
    ...task.statement,
    'A hole is a comment of three underscores. Replace each hole, and keep all other text.',
  ].flatMap(line => wrapped(line));
  const text = `${head.join('\n')}\n//\n${body}`;
  return text + hashLine(text);
}

/** Returns the file of a task with the given answers. */
export const filledSource = (
  task: KernelTask,
  target: Target,
  answers: readonly string[],
): string => filledTemplate(taskSource(task, target), CODE_HOLE, answers);

function withHole(text: string, { within, occurrence = 1, removes }: Cut): string {
  let at = -1;
  for (let i = 0; i < occurrence; i++) {
    at = text.indexOf(within, at + 1);
    if (at === -1) throw new Error(`The emitted kernel has no "${within}" (${i + 1}).`);
  }
  const inside = within.indexOf(removes);
  if (inside === -1) throw new Error(`"${within}" does not contain "${removes}".`);
  const start = at + inside;
  return text.slice(0, start) + CODE_HOLE + text.slice(start + removes.length);
}

/** Removes the spec key, the hash and the schedule, which would state the solution. */
const readable = (source: string): string =>
  source
    .split('\n')
    .filter(line => !/^\/\/ (Spec key:|@gemm-generated )/.test(line))
    .map(line => (line.startsWith(MARK) ? withoutSchedule(line) : line))
    .join('\n');

const MARK = '// @gemm ';

function withoutSchedule(line: string): string {
  const annotation = JSON.parse(line.slice(MARK.length)) as Record<string, unknown>;
  const kept = Object.entries(annotation).filter(([key]) => key !== 'schedule');
  return MARK + JSON.stringify(Object.fromEntries(kept));
}

const COLUMNS = 97;

function wrapped(line: string): readonly string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (longer.length > COLUMNS) {
      lines.push(current);
      current = word;
    } else current = longer;
  }
  return [...lines, current].map(text => (text === '' ? '//' : `// ${text}`));
}
