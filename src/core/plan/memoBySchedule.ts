/** Which schedules have what in common, so that who plans very many finds it out once. */
import type { ResolvedSchedule } from '../spec/resolved';

type Field = keyof ResolvedSchedule;
export type Alike = (one: ResolvedSchedule, other: ResolvedSchedule) => boolean;

/** Every field but the parts of K and the blocks an SM should hold. */
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

/** Of objects only the very same count as equal: schedules of a space share them. */
const sameIn =
  (fields: readonly Field[]): Alike =>
  (one, other) => {
    for (const field of fields) if (one[field] !== other[field]) return false;
    return true;
  };

const sameFields = sameIn(SHAPE_FIELDS);
const isSplit = ({ splitK = 1 }: ResolvedSchedule): boolean => splitK > 1;

/**
 * But for how many parts K is cut into, if it is at all, and how many blocks an SM should hold. Parts of `wgmma` are blocks
 * of a cluster.
 */
export const sameShape: Alike = (one, other) =>
  (one.algorithm === 'wgmma' ? one.splitK === other.splitK : isSplit(one) === isSplit(other)) &&
  sameFields(one, other);

/** But for how many blocks an SM should hold. */
export const sameExtent: Alike = sameIn([...SHAPE_FIELDS, 'splitK']);

/** What decides which types are multiplied. */
export const sameAlgorithm: Alike = sameIn(['algorithm']);

/** What requests to memory cost follows these. */
export const sameAccesses: Alike = sameIn([
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

/** Answers again what it was asked last. */
export function rememberingLast<Q, A>(
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
