/** Copies one tile from global to shared memory, by the lanes' plan or by that of the matrices. */
import type { Statement } from '../ir/ir';
import type { Plan } from '../../plan/plan';
import { stageWords } from './mma/fragmentStaging';
import * as lanes from './staging';

export const stageTile = (plan: Plan, operand: 'a' | 'b', at: lanes.At): readonly Statement[] =>
  plan.matrix === undefined ? lanes.stageTile(plan, operand, at) : stageWords(plan, operand, at);
