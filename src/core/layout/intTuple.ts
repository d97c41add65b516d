/** Nested integer tuples as in CuTe: `8`, `(4,2)`, `((2,4),8)`. */

export type IntTuple = number | readonly IntTuple[];

export const isLeaf = (tuple: IntTuple): tuple is number => typeof tuple === 'number';

/** Returns the top-level modes; a number is a single mode. */
export const modesOf = (tuple: IntTuple): readonly IntTuple[] => (isLeaf(tuple) ? [tuple] : tuple);

export const flatten = (tuple: IntTuple): readonly number[] =>
  isLeaf(tuple) ? [tuple] : tuple.flatMap(flatten);

export const product = (tuple: IntTuple): number =>
  flatten(tuple).reduce((size, extent) => size * extent, 1);

export const depthOf = (tuple: IntTuple): number =>
  isLeaf(tuple) ? 0 : 1 + Math.max(0, ...tuple.map(depthOf));

export const congruent = (a: IntTuple, b: IntTuple): boolean =>
  isLeaf(a) || isLeaf(b)
    ? isLeaf(a) && isLeaf(b)
    : a.length === b.length && a.every((mode, i) => congruent(mode, b[i] ?? []));

/** Returns a single mode itself, and several modes as a tuple. */
export const tupleOf = (modes: readonly IntTuple[]): IntTuple =>
  modes.length === 1 ? (modes[0] ?? 1) : modes;

export const tupleText = (tuple: IntTuple): string =>
  isLeaf(tuple) ? String(tuple) : `(${tuple.map(tupleText).join(',')})`;
