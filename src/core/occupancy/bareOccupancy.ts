/**
 * Computes the resources and occupancy of a compiled kernel without a @gemm annotation. The block
 * size comes from the options or from __launch_bounds__. The result also contains the occupancy of
 * common block sizes.
 */
import { t } from '@vscode/l10n';
import { limitsOf, type ComputeCapability } from '../hardware/computeCapability';
import { launchBoundsOf } from '../source/launchBounds';
import { locateKernels } from '../source/kernelSites';
import { constantsOf } from '../source/sourceConstants';
import { figure, type Figure } from '../text/figure';
import type { CompiledResources } from './report';
import { occupancy } from './occupancy';

export interface BlockOccupancy {
  readonly threads: number;
  /** Resident blocks per SM; 0 if the block cannot be launched. */
  readonly blocksPerSm: number;
  readonly activeWarps: number;
  /** Active warps divided by the maximum warps per SM, 0..1. */
  readonly occupancy: number;
  readonly limiters: readonly string[];
}

export interface BareOccupancy {
  readonly entry: string;
  readonly registers: Figure;
  /** Static shared memory per block, plus the dynamic shared memory from the options, in bytes. */
  readonly sharedBytes: Figure;
  readonly spillBytes: number;
  /** Occupancy at the known block size; null if the block size is unknown. */
  readonly block: (BlockOccupancy & { readonly from: 'given' | 'launch bounds' }) | null;
  /** Occupancy of the common block sizes that the launch bounds allow. */
  readonly sizes: readonly BlockOccupancy[];
  /** Block sizes in threads that reach the most active warps per SM. */
  readonly best: readonly number[];
  readonly notes: readonly string[];
}

export interface BareKernel {
  readonly text: string;
  readonly entry: string;
  readonly resources: CompiledResources;
  readonly computeCapability: ComputeCapability;
  readonly threads?: number | undefined;
  readonly dynamicSharedBytes?: number | undefined;
}

const SIZES = [32, 64, 96, 128, 160, 192, 224, 256, 320, 384, 512, 640, 768, 1024];

export function bareOccupancy({ text, entry, resources, ...of }: BareKernel): BareOccupancy {
  const { computeCapability, threads, dynamicSharedBytes } = of;
  const site = locateKernels(text, 'cuda').find(kernel => kernel.entry === entry);
  const bounds = site === undefined ? undefined : launchBoundsOf(text, site, constantsOf(text));
  const sharedBytes = resources.sharedBytes + (dynamicSharedBytes ?? 0);
  const at = (threadsPerBlock: number): BlockOccupancy => {
    const result = occupancy({
      computeCapability,
      threadsPerBlock,
      sharedBytesPerBlock: sharedBytes,
      registersPerThread: resources.registers,
    });
    const none = { blocksPerSm: 0, activeWarps: 0, occupancy: 0, limiters: ['threads'] };
    return { threads: threadsPerBlock, ...(result.ok ? blockOf(result.occupancy) : none) };
  };
  const most = bounds?.threads ?? limitsOf(computeCapability).maxThreadsPerBlock;
  const sizes = SIZES.filter(size => size <= most).map(at);
  const warps = Math.max(0, ...sizes.map(({ activeWarps }) => activeWarps));
  const known = threads ?? bounds?.threads;
  const from = threads === undefined ? 'launch bounds' : 'given';
  return {
    entry,
    registers: figure(resources.registers, 'registers', 'compiler'),
    sharedBytes: figure(
      sharedBytes,
      'B',
      dynamicSharedBytes === undefined ? 'compiler' : 'derived',
    ),
    spillBytes: (resources.spillStores ?? 0) + (resources.spillLoads ?? 0),
    block: known === undefined ? null : { ...at(known), from },
    sizes,
    best: warps === 0 ? [] : sizes.filter(of => of.activeWarps === warps).map(of => of.threads),
    notes: [
      ...(threads !== undefined && bounds !== undefined && threads > bounds.threads
        ? [
            t(
              '{0} threads exceed __launch_bounds__({1}); the launch fails. Fix: use at most {1} threads per block, or raise the bound.',
              threads,
              bounds.threads,
            ),
          ]
        : []),
      ...(dynamicSharedBytes === undefined && /\bextern\s+__shared__/.test(text)
        ? [
            t(
              'The dynamic shared memory is unknown before launch and not counted, so this occupancy is an upper bound.',
            ),
          ]
        : []),
      t('Add a // @gemm comment with the problem shape and the launch to analyze memory accesses.'),
    ],
  };
}

const blockOf = ({
  blocksPerSm,
  activeWarps,
  occupancy: share,
  limiters,
}: Omit<BlockOccupancy, 'threads'>) => ({
  blocksPerSm,
  activeWarps,
  occupancy: share,
  limiters,
});
