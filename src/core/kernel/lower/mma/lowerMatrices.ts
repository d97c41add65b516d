/** Lowers the steps of `mma` to subgroup-matrix operations. */
import { int } from '../../ir/expr';
import type { Statement } from '../../ir/ir';
import type { WarpMatrixPlan } from '../../../plan/plan';
import type { Step } from '../../../plan/steps';
import { BLANK, comment } from '../loops';
import { loadMatrices, kSteps, multiplyMatrices, zeroMatrices } from './matrices';
import { storeWords, fetchWords, fillTile, ifAny, nextTiles } from './matrixStaging';
import * as name from '../names';
import type { At } from '../staging';
import { storeMatrices } from './storeMatrices';

export const lowerMatrixSteps = (
  plan: WarpMatrixPlan,
  steps: readonly Step[],
): readonly Statement[] =>
  under(plan, steps, { k0: int(0), depth: name.BK, edge: 'none', once: true });

const under = (plan: WarpMatrixPlan, steps: readonly Step[], at: At): readonly Statement[] =>
  steps.flatMap(step => lowerStep(plan, step, at));

function lowerStep(plan: WarpMatrixPlan, step: Step, at: At): readonly Statement[] {
  switch (step.op) {
    case 'zero':
      return zeroMatrices(plan);
    case 'fill':
      return fillTile(plan);
    case 'pipeline':
      return [...nextTiles(plan, inside => under(plan, step.body, inside)), BLANK];
    case 'fetchTile':
      return [...commentOnce(step.operand, FETCHED), ...fetchWords(plan, step.operand, at)];
    case 'depositTile':
      return [...commentOnce(step.operand, STORED), ...storeWords(plan, step.operand, at)];
    case 'depth': {
      const products = kSteps(plan, under(plan, step.body, at));
      return at.once === true ? [comment(LAST), ...ifAny(plan, products), BLANK] : products;
    }
    case 'loadFragment':
      return loadMatrices(plan, step.operand);
    case 'multiplyAdd':
      return multiplyMatrices();
    case 'barrier':
      return [{ op: 'barrier' }];
    case 'store':
      return storeMatrices(plan);
    default:
      throw new Error(`Algorithm ${plan.algorithm} has no step ${step.op}`);
  }
}

const FETCHED = 'Prefetch the next tile from global memory into registers.';
const STORED = 'All threads have read the current tile: replace it with the next tile.';
const LAST = 'Peeled last iteration: multiply the last tile without prefetching.';

const commentOnce = (operand: 'a' | 'b', text: string): readonly Statement[] =>
  operand === 'a' ? [comment(text)] : [];
