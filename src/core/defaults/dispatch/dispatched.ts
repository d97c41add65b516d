/**
 * Chooses the schedule for a spec that has none: the first legal proposal from the dispatch tables.
 */
import { examiner, type Examiner } from '../../plan/examiner';
import { completeSchedule } from '../byShape';
import { gatedSchedule, withoutGate } from '../../plan/gated';
import type { ResolvedSchedule, ResolvedSpec } from '../../spec/resolved';
import type { GemmSpec } from '../../spec/schema';
import type { Adapter } from './adapterFamily';
import { proposals, type Proposal } from './choose';
import type { DispatchTable } from './table';

export interface Dispatched extends Proposal {
  readonly schedule: ResolvedSchedule;
}

/**
 * Returns the first proposal that is legal for every target; null if there is none. `plain` is the
 * spec with its defaults.
 *
 * Only tables of the first target are used. Without an adapter, a spec whose targets exclude CUDA
 * must set a device. With an adapter, WGSL is the only target.
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
  /**
   * Examiner to share with the caller, so that its memoized checks are reused. The default is a new
   * one.
   */
  readonly legality?: Examiner;
}

export interface CheckedProposal {
  readonly proposal: Dispatched;
  /** Whether the schedule is legal for every target and its workspace is within the limit. */
  readonly legal: boolean;
}

/** Yields every proposal in the order of `proposals`. Legality is checked lazily. */
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
  const asked = {
    problem: withoutGate(problem),
    device,
    target,
    ...(adapter === undefined ? {} : { adapter }),
  };
  for (const proposal of proposals(asked, tables)) {
    const schedule = completeSchedule(gatedSchedule(proposal.schedule, problem), problem);
    const given = { ...plain, schedule };
    // The last target is checked first. By default it is WGSL, whose limits are more restrictive.
    const legal = [...targets].reverse().every(one => legality.isLegal(given, one));
    yield { proposal: { ...proposal, schedule }, legal };
  }
}
