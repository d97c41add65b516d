/**
 * Computes the average cost of requests to global and shared memory, by access site. Boundary
 * checks are assumed to hold. Requests of partial warps count only if there are no full warps.
 */
import { bufferType } from '../spec/resolved';
import { lanePlanIn, matrixPlanIn } from '../plan/family';
import { MATRIX_ROW_BYTES } from '../plan/mma/matrix';
import { loweredLaunches, type Kernel, type KernelLaunch } from '../kernel/kernel';
import { DTYPE_BYTES, type DType } from '../types/dtype';
import type { GlobalAccess, Joined, SharedAccess, SiteName } from './access';
import { createMemo, type Memo } from './lanes';
import { mergedAccess } from './mergedLoads';
import { SECTOR_BYTES } from './requestCost';
import { isWithoutConflicts, requestCount, requestsOf, type RequestedSite } from './requests';
import { accessSites } from './sites';

export interface WarpAccesses {
  readonly global: readonly GlobalAccess[];
  readonly shared: readonly SharedAccess[];
}

export function warpAccesses(kernel: Kernel): WarpAccesses {
  const known = createMemo();
  const global: GlobalAccess[] = [];
  const shared: SharedAccess[] = [];
  for (const asked of requestedSites(kernel)) {
    const { access, elementBytes } = asked;
    const { site, op } = access;
    const widthBytes = elementBytes * access.width;
    const requests = requestsOf(asked, known);
    if (requests === null) continue;
    const { cost, ideal, unhindered, laneStride, bytes } = requests;
    const common = {
      site: site.name,
      operand: site.operand,
      op,
      widthBytes,
      requests: requestCount(access, known),
    };
    if (access.space === 'global') {
      const moved = { usedBytesPerRequest: bytes, movedBytesPerRequest: cost * SECTOR_BYTES };
      global.push({
        ...common,
        sectorsPerRequest: cost,
        idealSectors: ideal,
        ...moved,
        laneStride,
      });
      continue;
    }
    const wide = kernel.target === 'cuda' ? joinedCost(asked, known) : null;
    const curingPadding = cost > unhindered ? fixingPadding(asked, kernel, known) : null;
    shared.push({
      ...common,
      wavefrontsPerRequest: cost,
      idealWavefronts: ideal,
      conflictsPerRequest: cost - unhindered,
      curingPadding,
      ...(wide === null ? {} : { joined: wide }),
    });
  }
  return { global, shared };
}

function joinedCost(asked: RequestedSite, known: Memo): Joined | null {
  const access = mergedAccess(asked.access, asked.elementBytes);
  const requests = access === null ? null : requestsOf({ ...asked, access }, known);
  if (access === null || requests === null) return null;
  return {
    widthBytes: asked.elementBytes * access.width,
    wavefrontsPerRequest: requests.cost,
    requests: requestCount(access, known),
  };
}

/** Returns the first site of this name and operation. */
export const requestedSite = (kernel: Kernel, { site, op }: SiteName): RequestedSite | undefined =>
  requestedSites(kernel).find(({ access }) => access.site.name === site && access.op === op);

/** Returns the access sites of all launches that have a loop IR, in execution order. */
export const requestedSites = (kernel: Kernel): readonly RequestedSite[] =>
  loweredLaunches(kernel).flatMap(launch =>
    accessSites({ ...launch, problem: kernel.problem }).map(access => ({
      access,
      row: access.row,
      elementBytes: DTYPE_BYTES[dtypeOf(access, launch)],
    })),
  );

/** Returns the element type of an access; for C in shared memory, this is the accumulator type. */
const dtypeOf = ({ space, site }: RequestedSite['access'], { ir }: KernelLaunch): DType =>
  space === 'shared' && site.operand === 'c' ? ir.accumulator : bufferType(ir.dtypes, site.operand);

/** Maximum tested padding in elements per row. */
export const MAX_PADDING = 8;

/** A padding that could remove the bank conflicts of an access. */
export interface PaddingTrial {
  /** Elements per row. */
  readonly padding: number;
  /** `narrower`: the row length is not a multiple of the access width. */
  readonly result: 'narrower' | 'conflicts' | 'free';
}

/** Returns null if no padding up to `MAX_PADDING` removes all conflicts. */
function fixingPadding(asked: RequestedSite, kernel: Kernel, known: Memo): number | null {
  for (const { padding, result } of trials(asked, kernel, known))
    if (result === 'free') return padding;
  return null;
}

/**
 * Returns the tested paddings in ascending order, up to the first one without conflicts. Empty for
 * a site that no padding of A or B changes.
 */
export function paddingTrials(kernel: Kernel, { site, op }: SiteName): readonly PaddingTrial[] {
  const asked = requestedSite(kernel, { site, op });
  if (asked === undefined) return [];
  const all: PaddingTrial[] = [];
  for (const trial of trials(asked, kernel, createMemo())) {
    all.push(trial);
    if (trial.result === 'free') break;
  }
  return all;
}

function* trials(asked: RequestedSite, { plan }: Kernel, known: Memo): Generator<PaddingTrial> {
  const { access } = asked;
  const { operand } = access.site;
  if (access.space !== 'shared' || (operand !== 'a' && operand !== 'b')) return;
  const tile = plan.shared?.[operand];
  if (tile === undefined) return;
  const rows = matrixPlanIn(plan) === null ? 1 : MATRIX_ROW_BYTES / asked.elementBytes;
  const widest = Math.max(access.width, lanePlanIn(plan)?.[operand].fragment ?? 1, rows);
  for (let padding = 1; padding <= MAX_PADDING; padding++) {
    const row = tile.inner + padding;
    // Row lengths that are not a multiple of the vector width would require narrower accesses.
    if (row % widest !== 0) yield { padding, result: 'narrower' };
    else {
      const isFree = isWithoutConflicts({ ...asked, row }, known);
      yield { padding, result: isFree ? 'free' : 'conflicts' };
    }
  }
}
