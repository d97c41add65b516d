/** Mapping of lines between a source and its listing. */

/** Ranges of zero-based lines; the last line is included. */
type Lines = readonly (readonly [number, number])[];

const isIn = (selected: Lines, line: number): boolean =>
  selected.some(([first, last]) => first <= line && line <= last);

/** Returns the listing lines generated from selected source lines, in order. */
export const linesInto = (
  sources: readonly (readonly number[])[],
  selected: Lines,
): readonly number[] =>
  sources.flatMap((from, line) => (from.some(source => isIn(selected, source)) ? [line] : []));

/** Returns the source lines of selected listing lines, in order. */
export const linesFrom = (
  sources: readonly (readonly number[])[],
  selected: Lines,
): readonly number[] => {
  const found = sources.flatMap((from, line) => (isIn(selected, line) ? from : []));
  return [...new Set(found)].sort((one, other) => one - other);
};
