/** Defines the result of the access analysis of a compiled kernel. */
import type { GlobalAccess, SharedAccess } from './access';
import type { DrawnRequest } from './drawnRequest';
import type { Note } from '../text/note';

export interface CompiledAccesses {
  readonly global: readonly GlobalAccess[];
  readonly shared: readonly SharedAccess[];
  readonly pictures: readonly DrawnRequest[];
  /**
   * Bytes that the whole grid requests from global memory; NaN if some accesses could not be
   * traced.
   */
  readonly globalBytes: number;
  readonly sharedBytes: number;
  readonly warps: number;
  readonly blocks: number;
  /** Sentences that state which accesses the results exclude. */
  readonly limits: readonly string[];
  /** Findings with source line, cause and fix, followed by the limits. */
  readonly notes: readonly Note[];
}
