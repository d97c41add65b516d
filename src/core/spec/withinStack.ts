/** Returns undefined where a recursive parser overflows the stack: the text nests thousands of levels deep. */
export function withinStack<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
