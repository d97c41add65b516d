/** Memoization across consecutive schedules that share fields. */
import type { ResolvedSchedule } from '../spec/resolved';
import { hasWarpGroups } from './wgmma/tmaMma';

type Field = keyof ResolvedSchedule;
export type SameSchedule = (one: ResolvedSchedule, other: ResolvedSchedule) => boolean;

/** Fields that determine the block shape: all fields except `splitK` and `minBlocksPerSm`. */
const OF_SHAPE: Readonly<Record<Exclude<Field, 'splitK' | 'minBlocksPerSm'>, true>> = {
  algorithm: true,
  block: true,
  warp: true,
  thread: true,
  vector: true,
  stages: true,
  fragments: true,
  traversal: true,
  prefetch: true,
  unroll: true,
  sharing: true,
  variant: true,
  padding: true,
  swizzle: true,
  raster: true,
  splitKReduction: true,
  threadLayout: true,
  mma: true,
  cluster: true,
  consumers: true,
  kernelSchedule: true,
  operandOrder: true,
  launch: true,
  split: true,
};
const SHAPE_FIELDS = Object.keys(OF_SHAPE) as readonly Field[];

/**
 * Returns a function that compares the given fields of two schedules. Objects are compared by
 * identity, because the schedules of a search space share the same objects.
 */
const sameIn =
  (fields: readonly Field[]): SameSchedule =>
  (one, other) => {
    for (const field of fields) if (one[field] !== other[field]) return false;
    return true;
  };

const sameFields = sameIn(SHAPE_FIELDS);
const isSplit = ({ splitK = 1 }: ResolvedSchedule): boolean => splitK > 1;

/**
 * Returns whether the fields that determine the block shape are equal. With warp groups, the number
 * of split-K slices must also be equal, because it determines the cluster size. For other
 * algorithms, only whether K is split matters.
 */
export const sameShape: SameSchedule = (one, other) =>
  (hasWarpGroups(one) ? one.splitK === other.splitK : isSplit(one) === isSplit(other)) &&
  sameFields(one, other);

export const sameExtent: SameSchedule = sameIn([...SHAPE_FIELDS, 'splitK']);

/** Returns whether the algorithm and the kernel family are equal. */
export const sameAlgorithm: SameSchedule = (one, other) =>
  one.algorithm === other.algorithm && hasWarpGroups(one) === hasWarpGroups(other);

export const sameAccesses: SameSchedule = sameIn([
  'algorithm',
  'stages',
  'prefetch',
  'block',
  'warp',
  'thread',
  'padding',
  'swizzle',
  'vector',
  'sharing',
]);

export function memoizeLast<Q, A>(
  same: (one: Q, other: Q) => boolean,
  ask: (question: Q) => A,
): (question: Q) => A {
  let last: { readonly question: Q; readonly answer: A } | undefined;
  return question => {
    if (last === undefined || !same(last.question, question)) {
      last = { question, answer: ask(question) };
    }
    return last.answer;
  };
}
