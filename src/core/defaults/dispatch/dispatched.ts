/** The schedule of a spec that names none: the best proposal that is legal for it, and where that comes from, in words. */
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
 * Of a spec without a schedule and its defaults without tables; null where nothing like it was measured, or nothing of it is
 * legal for every target that the defaults have. CUDA's tables decide where both targets do. Of WGSL alone only on a device
 * that the spec names, since its adapter may be any: with an adapter that is told, its tables decide, for WGSL alone.
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
  /** Remembers the proposals that are examined, for a caller that plans one of them. */
  readonly legality?: Examiner;
}

export interface Weighed {
  readonly proposal: Dispatched;
  /** For every target that the defaults have. */
  readonly legal: boolean;
}

/** Every proposal, the best first; whether it is legal is found out as one is taken. */
export function* candidatesOf(
  plain: ResolvedSpec,
  spec: GemmSpec,
  tables: readonly DispatchTable[],
  { adapter, legality = examiner() }: DispatchOptions = {},
): Generator<Weighed> {
  const { problem, device } = plain;
  const targets = adapter === undefined ? plain.targets : (['wgsl'] as const);
  const [target] = targets;
  if (target === undefined) return;
  if (adapter === undefined && spec.device === undefined && !targets.includes('cuda')) return;
  const asked = { problem, device, target, ...(adapter === undefined ? {} : { adapter }) };
  for (const proposal of proposals(asked, tables)) {
    const schedule = completeSchedule(proposal.schedule, problem);
    const given = { ...plain, schedule };
    // The last target, WebGPU, allows the least.
    const legal = [...targets].reverse().every(one => legality.isLegal(given, one));
    yield { proposal: { ...proposal, schedule }, legal };
  }
}
