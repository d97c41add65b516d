/**
 * Notes on accesses that would be wider with other problem dimensions, leading dimensions or batch
 * strides.
 */
import { t } from '@vscode/l10n';
import { WIDEST_BYTES } from '../../plan/simt/lanes';
import { matrixPlan } from '../../plan/mma/matrix';
import { lanePlanOf } from '../../plan/simt/registerTile';
import { lanePlanIn, matrixPlanIn } from '../../plan/family';
import type { LanePlan, MatrixPlan, Plan } from '../../plan/plan';
import { extent, type ResolvedProblem } from '../../spec/resolved';
import type { Note } from '../../text/note';

const OPERANDS = ['a', 'b', 'c'] as const;
type Operand = (typeof OPERANDS)[number];

const roundUp = (value: number, multiple: number): number => Math.ceil(value / multiple) * multiple;

export function widthNotes(plan: Plan | null): readonly Note[] {
  const widths = plan === null ? null : (lanePlanIn(plan) ?? matrixPlanIn(plan));
  if (plan === null || widths === null) return [];
  const { spec, target, tile, thread } = plan;
  const aligned = { ...spec, problem: alignedProblem(spec.problem) };
  const full =
    plan.family === 'simt'
      ? lanePlanOf(aligned, target, { tile, thread })
      : matrixPlan(aligned, target, tile);
  if (full === null) return [];
  return OPERANDS.flatMap(operand => {
    const [width, wide] = [widthOf(widths, operand), widthOf(full, operand)];
    const fixes = numbersOf(plan, operand)
      .filter(({ value }) => value % wide !== 0)
      .map(({ name, value }) => `${name} ${value} → ${roundUp(value, wide)}`);
    if (wide <= width || fixes.length === 0) return [];
    const values = [operand.toUpperCase(), width, wide, fixes.join(', ')] as const;
    const text =
      operand === 'c'
        ? t(
            'Narrow stores of {0}: {1} instead of {2} elements per access. Use multiples of {2}: {3}.',
            ...values,
          )
        : t(
            'Narrow loads of {0}: {1} instead of {2} elements per access. Use multiples of {2}: {3}.',
            ...values,
          );
    return [{ level: 'advice', text } as const];
  });
}

const widthOf = (of: LanePlan | MatrixPlan, operand: Operand): number =>
  operand === 'c' ? of.storeWidth : of[operand].width;

/**
 * Rounds all dimensions and strides up to multiples of `WIDEST_BYTES` elements, which aligns rows
 * of every element type to the widest access.
 */
function alignedProblem(problem: ResolvedProblem): ResolvedProblem {
  const up = (value: number): number => roundUp(value, WIDEST_BYTES);
  const operand = (name: Operand) => ({
    ...problem[name],
    ld: up(problem[name].ld),
    batchStride: up(problem[name].batchStride),
  });
  return {
    ...problem,
    m: up(problem.m),
    n: up(problem.n),
    k: up(problem.k),
    a: operand('a'),
    b: operand('b'),
    c: operand('c'),
  };
}

/**
 * Returns the leading dimension, the batch stride (if batched) and the contiguous extent of an
 * operand, most likely cause first.
 */
function numbersOf({ spec: { problem }, split }: Plan, operand: Operand) {
  const { layout, ld, batchStride } = problem[operand];
  const row = layout === 'row';
  const { rows, columns } = extent(problem, operand);
  const names = { a: row ? 'K' : 'M', b: row ? 'N' : 'K', c: row ? 'N' : 'M' };
  const size = { name: names[operand], value: row ? columns : rows };
  // Split-K partial results are stored without padding.
  if (operand === 'c' && split !== undefined) return [size];
  const stride = { name: `stride${operand.toUpperCase()}`, value: batchStride };
  return [{ name: `ld${operand}`, value: ld }, ...(problem.batch === 1 ? [] : [stride]), size];
}
