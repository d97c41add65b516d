/** Names what a kernel does in launches after its first, correct one. */
import { t } from '@vscode/l10n';
import type { WrongExample } from '../../measure/wrongMap';
import type { ResolvedProblem } from '../../spec/resolved';
import { grouped } from '../../text/numbers';
import { agrees, hypothesisEvaluator, type Seeds } from '../bugHypothesis';
import type { LaunchEvidence } from './evidence';
import type { JudgeFinding, JudgeId } from './ids';
import { nameOutput } from './outputs';

/** Ids of results that later launches explain better than the values of a single result. */
const UNWRITTEN: readonly JudgeId[] = ['output-not-written', 'output-partly-written'];

/** Names an incorrect later launch; undefined if its result is correct. */
export function nameLaunch(
  problem: ResolvedProblem,
  launch: LaunchEvidence,
): JudgeFinding | undefined {
  const { seed, earlierSeeds, inputs, output, verification } = launch;
  const { mismatches, wrong } = verification;
  if (mismatches === 0) return undefined;
  const stale =
    wrong !== undefined
      ? staleResult(problem, wrong.examples, { seed, earlierSeeds, output })
      : undefined;
  if (stale !== undefined) return stale;
  const named = nameOutput(problem, seed, verification);
  if (named !== undefined && !UNWRITTEN.includes(named.id)) return named;
  if (named !== undefined) return skipped(launch);
  return inputs === 'fresh' ? fixedInputs(mismatches, seed) : changed(mismatches);
}

function staleResult(
  problem: ResolvedProblem,
  examples: readonly WrongExample[],
  { seed, earlierSeeds, output }: Pick<LaunchEvidence, 'seed' | 'earlierSeeds' | 'output'>,
): JudgeFinding | undefined {
  const isOf = (seeds: Seeds): boolean =>
    examples.length > 0 && agrees(problem, hypothesisEvaluator(problem, seeds)({}), examples);
  for (const earlier of earlierSeeds) {
    if (earlier === seed) continue;
    if (isOf(earlier)) return output === 'previous' ? kept() : cached();
    if (isOf({ a: seed, b: earlier, c: seed })) return cachedOperand('B');
    if (isOf({ a: earlier, b: seed, c: seed })) return cachedOperand('A');
  }
  return undefined;
}

const cached = (): JudgeFinding => ({
  id: 'cached-result',
  message: t(
    'A later launch on other matrices returned the product of the matrices of an earlier launch. The kernel stored that result. Fix: compute C from A and B in every launch.',
  ),
});

const kept = (): JudgeFinding => ({
  id: 'keeps-output',
  message: t(
    'After A and B got new values, C still had the product of their old values. The kernel skips its work if C has a result. Fix: compute C from A and B in every launch.',
  ),
});

const cachedOperand = (operand: string): JudgeFinding => ({
  id: 'cached-operand',
  message: t(
    'A later launch on other matrices used {0} of an earlier launch. The kernel stored a copy of {0}, so its time omits the work on {0}. Fix: read {0} in every launch.',
    operand,
  ),
});

function skipped({ position, verification: { wrong } }: LaunchEvidence): JudgeFinding {
  const elements = grouped(wrong?.kinds.unwritten ?? 0);
  const message =
    position === undefined || position === 1
      ? t(
          'A later launch did not write {0} elements of C that the first launch wrote. The kernel keeps state between launches and skips work. Fix: compute C in every launch.',
          elements,
        )
      : t(
          'Launch {1} of several consecutive launches did not write {0} elements of C that the first launch wrote. The kernel keeps state between launches and skips work. Fix: compute C in every launch.',
          elements,
          position,
        );
  return { id: 'skipped-launch', message };
}

const fixedInputs = (mismatches: number, seed: number): JudgeFinding => ({
  id: 'fixed-inputs',
  message: t(
    'The kernel is correct for the first matrices, but {0} elements are wrong for other random matrices (seed {1}). It depends on the values of its inputs. Fix: compute C for every A and B.',
    grouped(mismatches),
    seed,
  ),
});

const changed = (mismatches: number): JudgeFinding => ({
  id: 'changes-between-launches',
  message: t(
    'The first launch is correct, but a later launch on the same matrices has {0} wrong elements. The kernel keeps state between launches or has a race condition. Fix: initialize all state in every launch, and check the barriers.',
    grouped(mismatches),
  ),
});
