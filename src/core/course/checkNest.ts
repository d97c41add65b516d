/** Checks a nest task: rules, simulation of the kernel, and goals. */
import { isTraceable } from '../nests/cacheLines';
import { nestKernel } from '../nests/kernel';
import {
  NEST_LIMITS,
  parallelViolations,
  sequentialViolations,
  type NestViolation,
} from '../nests/rules';
import { simulateNest } from '../nests/simulateNest';
import { nestText, parseNest } from '../nests/text';
import { nestFacts } from './nestFacts';
import { goalsOutcome } from './goals';
import { lineAt, outcome, type TaskCheck } from './outcome';
import { plainLines } from './template';
import { HOLE, type NestTask } from './task';

const SEED = 27;
const COMMENT = '#';

/** Returns the text of a `.loops` file without comments; positions are unchanged. */
const withoutComments = (text: string): string =>
  plainLines(text)
    .map(line => {
      const at = line.indexOf(COMMENT);
      return at === -1 ? line : line.slice(0, at).padEnd(line.length);
    })
    .join('\n');

/** Returns the file of a task: its statement as comments, and the nest with holes. */
export const nestFile = (task: NestTask): string =>
  [
    `${COMMENT} Task ${task.id}: ${task.title}`,
    COMMENT,
    ...task.statement.map(line => `${COMMENT} ${line}`),
    `${COMMENT} Matrices: A is ${task.problem.m} x ${task.problem.k}, B is ${task.problem.k} x ${task.problem.n}, C is ${task.problem.m} x ${task.problem.n}.`,
    '',
    task.template,
    '',
  ].join('\n');

export function checkNest(task: NestTask, text: string): TaskCheck {
  const code = withoutComments(text);
  const hole = code.indexOf(HOLE);
  if (hole !== -1)
    return outcome(
      'failed',
      task.solution.includes('')
        ? 'A hole is still empty. Replace ___ with a level, or delete ___ for no level.'
        : 'A hole is still empty. Replace ___ with a loop or a step.',
      { line: lineAt(code, hole) },
    );
  const parsed = parseNest(code);
  if (!parsed.ok)
    return outcome('failed', parsed.message, { line: lineAt(code, parsed.column - 1) });
  const { nest } = parsed;
  const { problem } = task;
  const [first, ...others] = [
    ...sequentialViolations(nest),
    ...parallelViolations(nest, problem, NEST_LIMITS.cuda),
  ];
  if (first !== undefined)
    return outcome('failed', first.message, {
      detail: others.map(({ message }) => message),
      line: loopLine(code, first),
    });
  if (!isTraceable(nest, problem))
    return outcome(
      'failed',
      'The steps are far larger than the matrices, so that most iterations are outside of C. Choose smaller steps.',
    );
  const { verification, findings } = simulateNest(nestKernel(nest, problem, 'cuda'), SEED);
  const [finding] = findings;
  if (finding !== undefined || verification.mismatches > 0)
    return outcome(
      'failed',
      finding === undefined
        ? `The kernel of the nest computes ${verification.mismatches} incorrect elements of C.`
        : `The kernel of the nest is incorrect (${finding.kind}): ${finding.message}`,
    );
  return goalsOutcome(
    task.goals(nestFacts(nest, problem)),
    `The nest ${nestText(nest)} computes C correctly.`,
  );
}

/** Returns the line of the violating loop; the first line of the nest for the whole nest. */
function loopLine(code: string, { at }: NestViolation): number {
  const loops = [...code.matchAll(/\S+/g)];
  return lineAt(code, loops[at ?? 0]?.index ?? 0);
}
