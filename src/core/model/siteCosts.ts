/**
 * Extracts the cost per warp request of each access from the access analysis. closedCosts.ts
 * computes the same costs without lowering.
 */
import { type GlobalAccess, type Joined, type SharedAccess, isAsWritten } from '../memory/access';

export interface SiteCost {
  /** Bytes per lane. */
  readonly widthBytes: number;
  /** Wavefronts (shared memory) or 32-byte sectors (global memory) per request. */
  readonly cost: number;
  readonly conflicts?: number;
  /**
   * Set if the compiler may join these shared-memory loads. Their wavefronts are then not a lower
   * bound.
   */
  readonly asWritten?: true;
}

/**
 * Costs by kind of access. `store` and `fragment` are absent if the kernel has no shared-memory
 * accesses.
 */
export interface SiteCosts {
  readonly load: Readonly<Record<'a' | 'b', SiteCost>>;
  readonly store?: Readonly<Record<'a' | 'b', SiteCost>>;
  readonly fragment?: Readonly<Record<'a' | 'b', SiteCost>>;
}

const NONE: SiteCost = { widthBytes: 4, cost: 0 };

const costOf = ({ widthBytes, wavefrontsPerRequest }: Joined): SiteCost => ({
  widthBytes,
  cost: wavefrontsPerRequest,
});

/** Returns the costs found by the access analysis. The cost of a missing access is 0. */
export function analyzedCosts(
  global: readonly GlobalAccess[],
  shared: readonly SharedAccess[],
): SiteCosts {
  const ofGlobal = (operand: string, op: string): SiteCost => {
    const site = global.find(other => other.operand === operand && other.op === op);
    return site === undefined
      ? NONE
      : { widthBytes: site.widthBytes, cost: site.sectorsPerRequest };
  };
  const ofShared = (operand: string, op: string): SiteCost => {
    const site = shared.find(other => other.operand === operand && other.op === op);
    return site === undefined
      ? NONE
      : {
          ...costOf(site.joined ?? site),
          conflicts: site.conflictsPerRequest,
          ...(op === 'load' && isAsWritten(site) ? { asWritten: true as const } : {}),
        };
  };
  const both = (of: typeof ofGlobal, op: string) => ({ a: of('a', op), b: of('b', op) });
  return {
    load: both(ofGlobal, 'load'),
    ...(shared.length === 0
      ? {}
      : { store: both(ofShared, 'store'), fragment: both(ofShared, 'load') }),
  };
}

export function withoutConflicts(costs: SiteCosts): SiteCosts {
  const free = (site: SiteCost): SiteCost => ({ ...site, cost: site.cost - (site.conflicts ?? 0) });
  const both = ({ a, b }: SiteCosts['load']) => ({ a: free(a), b: free(b) });
  const { store, fragment } = costs;
  return {
    ...costs,
    ...(store === undefined ? {} : { store: both(store) }),
    ...(fragment === undefined ? {} : { fragment: both(fragment) }),
  };
}
