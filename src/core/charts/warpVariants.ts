/**
 * The three mappings of threads to elements of C without tiles: lanes along rows, and lanes along
 * columns from a two-dimensional or a one-dimensional thread index.
 */
import { resolve } from '../defaults/resolve';
import { emit } from '../kernel/emit';
import type { Kernel } from '../kernel/kernel';
import type { SiteName } from '../memory/access';
import { placedRequest, type PlacedRequest } from '../memory/placedRequest';
import { plan as planOf } from '../plan/planner';
import type { Schedule } from '../spec/schema';
import { toSpec } from '../spec/toSpec';

export const THREAD_MAPPINGS = ['naive', 'swap', 'remap'] as const;
export type ThreadMapping = (typeof THREAD_MAPPINGS)[number];

export interface WarpVariant {
  readonly mapping: ThreadMapping;
  readonly kernel: Kernel;
  /** Requests of A, B and C, in this order. */
  readonly requests: readonly PlacedRequest[];
  /** True for the kernel that is compared with the others. */
  readonly isCurrent: boolean;
}

const SITES: readonly SiteName[] = [
  { site: 'A load', op: 'load' },
  { site: 'B load', op: 'load' },
  { site: 'C store', op: 'store' },
];

/** Blocks of 32 x 32 threads, and blocks that fit the default limits of WebGPU. */
const SIDES = [32, 16] as const;

const schedules: Readonly<Record<ThreadMapping, Schedule>> = {
  naive: { algorithm: 'naive' },
  swap: { algorithm: 'coalesced', variant: 'swap' },
  remap: { algorithm: 'coalesced', variant: 'remap' },
};

/**
 * Returns the mappings for the problem of a SIMT kernel, with its block if it has one thread per
 * element of C. Mappings that are illegal for the target are left out. Returns an empty list for
 * other kernels.
 */
export function warpVariants(kernel: Kernel): readonly WarpVariant[] {
  if (kernel.plan.family !== 'simt') return [];
  const current = mappingOf(kernel);
  const { m, n } = kernel.plan.tile;
  const blocks = current === null ? SIDES.map(side => ({ m: side, n: side })) : [{ m, n }];
  return THREAD_MAPPINGS.flatMap(mapping => {
    const isCurrent = mapping === current;
    const variant = isCurrent
      ? kernel
      : blocks.map(block => variantOf(kernel, mapping, block)).find(found => found !== null);
    if (variant === undefined) return [];
    const requests = SITES.map(site => placedRequest(variant, site)).filter(
      request => request !== null,
    );
    return [{ mapping, kernel: variant, requests, isCurrent }];
  });
}

function mappingOf({ spec: { schedule } }: Kernel): ThreadMapping | null {
  if (schedule.algorithm === 'naive') return 'naive';
  if (schedule.algorithm !== 'coalesced') return null;
  return schedule.variant === 'remap' ? 'remap' : 'swap';
}

function variantOf(
  { spec, target }: Kernel,
  mapping: ThreadMapping,
  block: { readonly m: number; readonly n: number },
): Kernel | null {
  const schedule = { ...schedules[mapping], block };
  const planned = planOf(resolve({ ...toSpec(spec), schedule }), target);
  return planned.ok ? emit(planned.plan) : null;
}
