/** Suspects: known bugs with the result that each bug would produce. */
import type { Hypothesis } from './bugHypothesis';

export type SuspectId =
  | 'k-tail'
  | 'k-first-tile'
  | 'k-last-tile'
  | 'k-first'
  | 'k-last'
  | 'k-first-step'
  | 'k-last-step'
  | 'stale-tail'
  | 'stale-buffer'
  | 'part-lost'
  | 'part-only'
  | 'part-repeated'
  | 'part-bounds'
  | 'alpha'
  | 'beta'
  | 'beta-once'
  | 'leading-dimension'
  | 'layout'
  | 'neighbour'
  | 'fragment-transposed'
  | 'swizzle'
  | 'batch-first'
  | 'batch-stride'
  | 'exchanged'
  | 'c-transposed'
  | 'products-rounded'
  | 'sums-rounded';

export interface Suspect extends Hypothesis {
  readonly id: SuspectId;
  readonly operand?: 'A' | 'B' | 'C';
  /** Number that the message includes: a split-K slice, counted from 1. */
  readonly number?: number;
}

export const NAMES = { a: 'A', b: 'B' } as const;
export const STAGED = ['a', 'b'] as const;
