/**
 * Runs a recursive parser. Returns undefined if it overflows the stack because the text is nested
 * thousands of levels deep.
 */
export function withinStack<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
