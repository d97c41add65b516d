/** `check`: resolves a spec and says for which targets it is legal, and why not for the others. */
import type { Violation } from '../plan/plan';
import type { ResolvedSpec } from './resolved';
import type { Target } from './schema';

export interface CheckReport {
  /** Every listed target is legal, or one at least when none is listed. */
  readonly ok: boolean;
  readonly specKey: string;
  readonly resolved: ResolvedSpec;
  readonly legal: readonly Target[];
  readonly violations: readonly Violation[];
}
