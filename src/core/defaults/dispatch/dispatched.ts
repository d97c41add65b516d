/** Chooses the schedule of a spec without one: the best proposal that is legal, with its origin. */
import { examiner, type Examiner } from '../../plan/examiner';
import { completeSchedule } from '../byShape';
import type { ResolvedSchedule, ResolvedSpec } from '../../spec/resolved';
import type { GemmSpec } from '../../spec/schema';
import type { Adapter } from './adapterFamily';
import { proposals, type Proposal } from './choose';
import type { DispatchTable } from './table';

export interface Dispatched extends Proposal {
  readonly schedule: ResolvedSchedule;
}

/**
 * Returns the dispatched schedule of a spec. `plain` is the spec with its defaults. Returns null if
 * no similar problem was measured, or if no proposal is legal for every default target. CUDA tables
 * decide if both targets are legal. WGSL tables decide only for a device named in the spec, because
 * the adapter is otherwise unknown. If an adapter is given, its tables decide, for WGSL only.
 */
export function dispatched(
  plain: ResolvedSpec,
  spec: GemmSpec,
  tables: readonly DispatchTable[],
  options: DispatchOptions = {},
): Dispatched | null {
  for (const found of candidatesOf(plain, spec, tables, options))
    if (found.legal) return found.proposal;
  return null;
}

export interface DispatchOptions {
  readonly adapter?: Adapter | undefined;
  /** Memoizes the examined proposals for a caller that plans one of them. */
  readonly legality?: Examiner;
}

export interface CheckedProposal {
  readonly proposal: Dispatched;
  /** Legality for every default target. */
  readonly legal: boolean;
}

/** Yields every proposal, best first; legality is checked lazily. */
export function* candidatesOf(
  plain: ResolvedSpec,
  spec: GemmSpec,
  tables: readonly DispatchTable[],
  { adapter, legality = examiner() }: DispatchOptions = {},
): Generator<CheckedProposal> {
  const { problem, device } = plain;
  const targets = adapter === undefined ? plain.targets : (['wgsl'] as const);
  const [target] = targets;
  if (target === undefined) return;
  if (adapter === undefined && spec.device === undefined && !targets.includes('cuda')) return;
  const asked = { problem, device, target, ...(adapter === undefined ? {} : { adapter }) };
  for (const proposal of proposals(asked, tables)) {
    const schedule = completeSchedule(proposal.schedule, problem);
    const given = { ...plain, schedule };
    // The last target, WebGPU, is the most restrictive.
    const legal = [...targets].reverse().every(one => legality.isLegal(given, one));
    yield { proposal: { ...proposal, schedule }, legal };
  }
}
