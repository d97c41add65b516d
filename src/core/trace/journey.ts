/** The way of one element of A or B through the steps of a block. */
import type { BlockTrace } from './blockTrace';
import { elementTag, wholeTag, type TaggedElement } from './tags';

export interface Visit {
  /** Index of the step in the trace. */
  readonly step: number;
  readonly what: 'load' | 'store' | 'copy' | 'arrival' | 'multiply';
  readonly space: 'global' | 'shared' | 'registers';
  /** Number of accesses of the element, or number of all FMAs of the step. */
  readonly count: number;
}

/** Lists the steps that access or multiply the element, in order. */
export function journeyOf(trace: BlockTrace, { operand, index }: TaggedElement): readonly Visit[] {
  const tag = elementTag(operand, index);
  const counted = (tags: Float64Array): number =>
    tags.reduce((count, other) => (wholeTag(other) === tag ? count + 1 : count), 0);
  return trace.steps.flatMap(({ accesses, products, arrivals }, step): readonly Visit[] =>
    [
      ...accesses.map(({ op, space, tags }) => ({ step, what: op, space, count: counted(tags) })),
      {
        step,
        what: 'arrival' as const,
        space: 'shared' as const,
        count: counted(arrivals.tags),
      },
      {
        step,
        what: 'multiply' as const,
        space: 'registers' as const,
        count: products.elements.includes(tag) ? products.count : 0,
      },
    ].filter(({ count }) => count > 0),
  );
}
