/** Lines of a source and of the listing made of it. Pure. */

/** First and last line, both included. */
type Lines = readonly (readonly [number, number])[];

const isIn = (selected: Lines, line: number): boolean =>
  selected.some(([first, last]) => first <= line && line <= last);

/** Lines of the listing that selected lines of the source became, in order. */
export const linesInto = (
  sources: readonly (readonly number[])[],
  selected: Lines,
): readonly number[] =>
  sources.flatMap((from, line) => (from.some(source => isIn(selected, source)) ? [line] : []));

/** Lines of the source that selected lines of the listing came from, in order. */
export const linesFrom = (
  sources: readonly (readonly number[])[],
  selected: Lines,
): readonly number[] => {
  const found = sources.flatMap((from, line) => (isIn(selected, line) ? from : []));
  return [...new Set(found)].sort((one, other) => one - other);
};
