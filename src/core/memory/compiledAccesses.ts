/** The contract of compiled accesses: sites read from what the compiler made of a kernel. */
import type { GlobalAccess, SharedAccess } from './access';
import type { DrawnRequest } from './drawnRequest';
import type { Note } from '../text/note';

export interface CompiledAccesses {
  readonly global: readonly GlobalAccess[];
  readonly shared: readonly SharedAccess[];
  /** The dearest request of each site. */
  readonly pictures: readonly DrawnRequest[];
  /** Of the whole grid: bytes that requests of global memory ask for, and lanes of shared memory. NaN where not all was followed. */
  readonly globalBytes: number;
  readonly sharedBytes: number;
  /** That were followed. */
  readonly warps: number;
  readonly blocks: number;
  /** What these numbers do not say, in sentences. */
  readonly limits: readonly string[];
  /** Lines, reasons and cures, then the limits. */
  readonly notes: readonly Note[];
}
