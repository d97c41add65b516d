/** The cursor in an editor with a generated kernel. */
import type { Kernel } from '../src/core/kernel/kernel';
import type { Lines } from '../src/core/kernel/print/statementLines';
import { sourceHashOf } from '../src/core/text/hash';
import type { Cursor } from './state';

/** Returns whether the cursor is in these lines of the kernel. */
export const isAt = (cursor: Cursor | null, kernel: Kernel, { first, last }: Lines): boolean =>
  cursor !== null &&
  first <= cursor.line &&
  cursor.line <= last &&
  cursor.sourceHash === sourceHashOf(kernel);
