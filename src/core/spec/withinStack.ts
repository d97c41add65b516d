/**
 * Returns undefined if a recursive parser overflows the stack on text that nests thousands of
 * levels.
 */
export function withinStack<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
