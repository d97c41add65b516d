/** The contract of compiled accesses: access sites derived from the compiled code of a kernel. */
import type { GlobalAccess, SharedAccess } from './access';
import type { DrawnRequest } from './drawnRequest';
import type { Note } from '../text/note';

export interface CompiledAccesses {
  readonly global: readonly GlobalAccess[];
  readonly shared: readonly SharedAccess[];
  /** The worst-case request of each site. */
  readonly pictures: readonly DrawnRequest[];
  /**
   * Bytes requested by the whole grid, in global and shared memory. NaN if some accesses could not
   * be traced.
   */
  readonly globalBytes: number;
  readonly sharedBytes: number;
  /** Number of traced warps. */
  readonly warps: number;
  readonly blocks: number;
  /** Sentences that state what these numbers exclude. */
  readonly limits: readonly string[];
  /** Lines, causes and remedies, followed by the limits. */
  readonly notes: readonly Note[];
}
