/** Names a wrong result by the values and the kinds of its wrong elements. */
import { t } from '@vscode/l10n';
import type { Verification } from '../../measure/measurement';
import type { WrongExample } from '../../measure/wrongMap';
import type { ResolvedProblem } from '../../spec/resolved';
import { short, grouped } from '../../text/numbers';
import { isInteger } from '../../types/dtype';
import { agrees, hypothesisEvaluator, indexOf } from '../bugHypothesis';
import { inputAt } from '../inputs';
import type { JudgeFinding } from './ids';

/** Minimum number of wrong elements for a pattern of their values. */
const LEAST_EXAMPLES = 4;

/** Largest difference of a copied element, because the runner prints 12 digits. */
const COPY_ERROR = 1e-9;

/** Names the pattern of a wrong result for the inputs of `seed`; undefined if there is none. */
export function nameOutput(
  problem: ResolvedProblem,
  seed: number,
  { wrong, samples }: Pick<Verification, 'wrong' | 'samples'>,
): JudgeFinding | undefined {
  if (wrong === undefined) return undefined;
  const { kinds, examples } = wrong;
  if ((kinds.inputs ?? 0) > 0) return inputModified(kinds.inputs ?? 0);
  if (kinds.outside > 0) {
    const message = t(
      'The kernel wrote to {0} elements outside the matrices, found by guard bytes and padding. Fix: check the bounds of each store.',
      grouped(kinds.outside),
    );
    return { id: 'write-outside', message };
  }
  const all = problem.m * problem.n * problem.batch;
  if (kinds.unwritten > 0) return unwritten(kinds.unwritten, all);
  if (kinds.notFinite > 0) {
    const message = t(
      '{0} of {1} elements of C are NaN or infinite. Both count as wrong, since they fail every comparison. A kernel that reads C although beta is 0 has this effect too. Fix: compute every element, and read C only if beta is not 0.',
      grouped(kinds.notFinite),
      grouped(all),
    );
    return { id: 'output-not-finite', message };
  }
  return samples === 0 ? undefined : ofValues(problem, seed, examples);
}

export const inputModified = (count: number): JudgeFinding => ({
  id: 'input-modified',
  message: t(
    'The kernel changed {0} elements of A or B, which are inputs. Fix: write only to C and the workspace.',
    grouped(count),
  ),
});

function unwritten(count: number, all: number): JudgeFinding {
  if (count >= all) {
    const message = t(
      'The kernel wrote no number to C: all {0} elements still have the poison value, which is NaN for floating-point types. Fix: compute and store the result.',
      grouped(all),
    );
    return { id: 'output-not-written', message };
  }
  const message = t(
    '{0} of {1} elements of C still have the poison value, which is NaN for floating-point types, so only a part of C was computed. Fix: cover all of C with the grid, also at its edges.',
    grouped(count),
    grouped(all),
  );
  return { id: 'output-partly-written', message };
}

function ofValues(
  problem: ResolvedProblem,
  seed: number,
  examples: readonly WrongExample[],
): JudgeFinding | undefined {
  const [first] = examples;
  if (first === undefined || examples.length < LEAST_EXAMPLES) return undefined;
  const { actual } = first;
  if (actual !== null && examples.every(example => example.actual === actual)) {
    const message = t(
      'All {0} wrong elements in the sample have the value {1}, although their exact values differ. Fix: compute C from A and B.',
      examples.length,
      short(actual),
    );
    return { id: 'constant-output', message };
  }
  const copied = (['a', 'b'] as const).find(operand => {
    const [at, index] = [inputAt(problem, operand, seed), indexOf(problem, operand)];
    return examples.every(({ product, row, column, actual: value }) => {
      const where = index(product, row, column);
      return where !== undefined && value !== null && Math.abs(value - at(where)) <= COPY_ERROR;
    });
  });
  if (copied !== undefined) {
    const message = t(
      'The wrong elements in the sample equal the elements of {0} at the same row and column. Fix: compute C from A and B.',
      copied.toUpperCase(),
    );
    return { id: 'copied-input', message };
  }
  if (isInteger(problem.accumulator)) return undefined;
  const value = hypothesisEvaluator(problem, seed);
  const half = Math.ceil(problem.k / 2);
  const someProducts = [2, 1].flatMap(count => [
    { times: (k: number) => (k % 2 === 0 ? count : 0) },
    { times: (k: number) => (k < half ? count : 0) },
  ]);
  if (someProducts.some(supposed => agrees(problem, value(supposed), examples))) {
    const message = t(
      'The wrong elements in the sample have the values of half of the K products. Fix: accumulate all K products.',
    );
    return { id: 'skipped-products', message };
  }
  const rowOf = value({ at: ({ product, column }) => ({ product, row: 0, column }) });
  const columnOf = value({ at: ({ product, row }) => ({ product, row, column: 0 }) });
  const isRow = agrees(problem, rowOf, examples);
  if (!isRow && !agrees(problem, columnOf, examples)) return undefined;
  const message = isRow
    ? t('Every row of C repeats row 0, so one row was computed. Fix: compute every row.')
    : t(
        'Every column of C repeats column 0, so one column was computed. Fix: compute every column.',
      );
  return { id: 'repeated-output', message };
}
