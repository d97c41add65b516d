/**
 * Runs a recursive parser. Returns undefined if the parser throws a RangeError, for example because
 * text that is nested thousands of levels deep overflows the stack.
 */
export function withinStack<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
