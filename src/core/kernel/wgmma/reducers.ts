/** Text about the CTAs of a cluster that reduce split-K slices. */
import { reducersOf } from '../../plan/wgmma/clusterSplit';
import { flagsOf, type PlanWithWgmma } from './parts';

/** Returns the constant that holds the number of slices whose CTAs reduce columns. */
export const reducersName = (plan: PlanWithWgmma): string =>
  flagsOf(plan).SENDERS ? 'REDUCERS' : 'SPLIT_K';

type Constant = readonly [name: string, value: number, comment: string];

/** Returns the constant, unless all slices reduce. */
export const reducersConstant = (plan: PlanWithWgmma): readonly Constant[] =>
  flagsOf(plan).SENDERS
    ? [
        [
          'REDUCERS',
          reducersOf(plan.tile.n, plan.wgmma.splitK),
          'slices whose CTAs reduce columns of the tile; the others only send',
        ],
      ]
    : [];

/** Returns which CTAs reduce, as the end of a sentence. */
export function reducersText({ tile, wgmma: { splitK } }: PlanWithWgmma): string {
  const reducers = reducersOf(tile.n, splitK);
  if (reducers === 1) return 'the first CTA reduces and stores the tile';
  const each = reducers === splitK ? 'each CTA' : `each of the first ${reducers} CTAs`;
  return `${each} reduces and stores 1/${reducers} of the columns`;
}
