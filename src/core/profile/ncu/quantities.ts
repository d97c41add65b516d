/** Quantities to compare: their value in the analysis and their Nsight Compute counters. */
import { t } from '@vscode/l10n';
import { wavefrontsOf } from '../../memory/memoryLevels';
import { SECTOR_BYTES } from '../../memory/requestCost';
import type { Analysis } from '../../report/analysis';
import type { ComparedAnalysis } from './compare';
import {
  counts,
  global,
  L2_LINKS,
  loads,
  SHARED,
  sumOf,
  type Counted,
  type Metrics,
} from './counters';
import type { Figure } from '../../text/figure';

export type QuantityId =
  | 'shared-wavefronts'
  | 'shared-load-wavefronts'
  | 'shared-load-conflicts'
  | 'shared-store-conflicts'
  | 'global-load-requests'
  | 'global-load-sectors'
  | 'global-store-requests'
  | 'global-store-sectors'
  | 'l2-bytes'
  | 'dram-bytes'
  | 'registers'
  | 'shared-bytes'
  | 'theoretical-occupancy'
  | 'achieved-occupancy'
  | 'duration';

type Known = Pick<Figure, 'value' | 'from'>;

export interface Quantity {
  readonly id: QuantityId;
  readonly name: () => string;
  readonly unit: string;
  readonly dependsOnGpu?: true;
  readonly ours: (compared: ComparedAnalysis) => Known | null;
  readonly counted: (metrics: Metrics, compared: ComparedAnalysis) => Counted;
  readonly why: () => string;
  readonly unknown?: () => string;
}

const derived = (value: number): Known => ({ value, from: 'derived' });

const overShared = (
  { sharedMemory }: Analysis,
  of: (site: Analysis['sharedMemory'][number]) => number,
): Known | null =>
  sharedMemory.length === 0 ? null : derived(sharedMemory.reduce((sum, site) => sum + of(site), 0));

const overGlobal = (
  { globalMemory }: Analysis,
  of: (site: Analysis['globalMemory'][number]) => number,
): Known | null =>
  globalMemory.length === 0 ? null : derived(globalMemory.reduce((sum, site) => sum + of(site), 0));

const boundaryTilesNote = (): string =>
  t(
    'The model counts boundary tiles as full tiles. Without boundary tiles, the values should be equal.',
  );

export const QUANTITIES: readonly Quantity[] = [
  {
    id: 'shared-wavefronts',
    unit: 'wavefronts',
    why: boundaryTilesNote,
    name: () => t('shared wavefronts'),
    ours: ({ analysis }) => overShared(analysis, wavefrontsOf),
    counted: counts([SHARED.all]),
  },
  {
    id: 'shared-load-wavefronts',
    unit: 'wavefronts',
    why: boundaryTilesNote,
    name: () => t('shared load wavefronts'),
    ours: ({ analysis }) =>
      overShared(analysis, site => (site.op === 'load' ? wavefrontsOf(site) : 0)),
    counted: counts([SHARED.ld]),
  },
  ...(['load', 'store'] as const).map((wanted): Quantity => {
    const op = wanted === 'load' ? 'ld' : 'st';
    return {
      id: `shared-${wanted}-conflicts`,
      unit: 'conflicts',
      name: () => (wanted === 'load' ? t('load bank conflicts') : t('store bank conflicts')),
      ours: ({ analysis, isAsynchronous }) =>
        wanted === 'store' && isAsynchronous
          ? null
          : overShared(analysis, site =>
              site.op === wanted ? site.requests * site.conflictsPerRequest : 0,
            ),
      counted: counts([`l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_${op}.sum`]),
      why: () =>
        t(
          'The counter includes cycles in which the pipe served other units, so it usually exceeds the model.',
        ),
      unknown: () =>
        t(
          'Asynchronous copies have no separate conflict counter, or the value is unknown for this kernel.',
        ),
    };
  }),
  {
    id: 'global-load-requests',
    unit: 'requests',
    why: boundaryTilesNote,
    name: () => t('global load requests'),
    ours: ({ analysis }) =>
      overGlobal(analysis, ({ op, requests }) => (op === 'load' ? requests : 0)),
    counted: loads('requests'),
  },
  {
    id: 'global-load-sectors',
    unit: 'sectors',
    why: boundaryTilesNote,
    name: () => t('global load sectors'),
    ours: ({ analysis }) =>
      overGlobal(analysis, ({ op, requests, sectorsPerRequest }) =>
        op === 'load' ? requests * sectorsPerRequest : 0,
      ),
    counted: loads('sectors'),
  },
  {
    id: 'global-store-requests',
    unit: 'requests',
    why: boundaryTilesNote,
    name: () => t('global store requests'),
    ours: ({ analysis }) =>
      overGlobal(analysis, ({ op, requests }) => (op === 'store' ? requests : 0)),
    counted: counts([global('requests', 'st')]),
  },
  {
    id: 'global-store-sectors',
    unit: 'sectors',
    why: boundaryTilesNote,
    name: () => t('global store sectors'),
    ours: ({ analysis }) =>
      overGlobal(analysis, ({ op, requests, sectorsPerRequest }) =>
        op === 'store' ? requests * sectorsPerRequest : 0,
      ),
    counted: counts([global('sectors', 'st')]),
  },
  {
    id: 'l2-bytes',
    unit: 'B',
    dependsOnGpu: true,
    name: () => t('L2 bytes'),
    ours: ({ analysis, levels }) => levels?.l2 ?? analysis.traffic.l2,
    counted: metrics => {
      const links = sumOf(metrics, L2_LINKS, 'byte');
      if (!('missing' in links)) return links;
      const whole = sumOf(metrics, ['lts__t_sectors_srcunit_tex.sum'], '', SECTOR_BYTES);
      if (!('missing' in whole)) return whole;
      const parts = (['read', 'write'] as const).map(
        op => `lts__t_sectors_srcunit_tex_op_${op}.sum`,
      );
      return sumOf(metrics, parts, '', SECTOR_BYTES);
    },
    why: () =>
      t(
        'In the model, L1 keeps the data of a block until all of its warps have read it. Reuse between blocks of one SM lowers the counter.',
      ),
  },
  {
    id: 'dram-bytes',
    unit: 'B',
    dependsOnGpu: true,
    name: () => t('DRAM bytes'),
    ours: ({ analysis, levels }) => levels?.dram ?? analysis.traffic.dram,
    counted: metrics => sumOf(metrics, ['dram__bytes_read.sum', 'dram__bytes_write.sum'], 'byte'),
    why: () =>
      t(
        'The model assumes one block per SM and blocks that traverse K in lockstep. The counter is lower if blocks share more data in L2 or if dirty lines remain in L2.',
      ),
  },
  {
    id: 'registers',
    unit: 'registers',
    dependsOnGpu: true,
    name: () => t('registers'),
    ours: ({ analysis }) => analysis.occupancy?.registers ?? null,
    counted: counts(['launch__registers_per_thread']),
    why: () =>
      t(
        'The compiler or its flags may differ, or the value is an estimate. Compile the kernel for exact values.',
      ),
    unknown: () => t('Compile the kernel to get its register count.'),
  },
  {
    id: 'shared-bytes',
    unit: 'B',
    dependsOnGpu: true,
    name: () => t('shared memory per block'),
    ours: ({ analysis }) => analysis.occupancy?.sharedBytes ?? null,
    counted: metrics =>
      sumOf(
        metrics,
        ['launch__shared_mem_per_block_static', 'launch__shared_mem_per_block_dynamic'],
        'byte',
      ),
    why: () =>
      t(
        'The kernel may have been launched with a different tile, padding or dynamic shared-memory size.',
      ),
    unknown: () => t('Compile the kernel to get its shared-memory size.'),
  },
  {
    id: 'theoretical-occupancy',
    unit: '%',
    dependsOnGpu: true,
    name: () => t('occupancy'),
    // Computes theoretical occupancy, which does not depend on the grid size.
    ours: ({ analysis: { occupancy } }) =>
      occupancy === null
        ? null
        : {
            value:
              (100 * occupancy.occupancy * occupancy.heldPerSm) /
              Math.max(1, occupancy.blocksPerSm),
            from: occupancy.registers.from,
          },
    counted: counts(['sm__maximum_warps_per_active_cycle_pct']),
    why: () => t('The register count, the shared memory or the shared-memory carveout may differ.'),
    unknown: () => t('Compile the kernel to get its occupancy.'),
  },
  {
    id: 'achieved-occupancy',
    unit: '%',
    dependsOnGpu: true,
    name: () => t('occupancy, achieved'),
    ours: ({ analysis: { occupancy } }) =>
      occupancy === null
        ? null
        : { value: 100 * occupancy.occupancy, from: occupancy.registers.from },
    counted: counts(['sm__warps_active.avg.pct_of_peak_sustained_active']),
    why: () =>
      t(
        'Achieved occupancy is lower if blocks start and end at different times, or if the last wave is partial.',
      ),
    unknown: () => t('Compile the kernel to get its occupancy.'),
  },
  {
    id: 'duration',
    unit: 'ns',
    dependsOnGpu: true,
    name: () => t('duration'),
    ours: ({ medianMs }) =>
      medianMs === undefined ? null : { value: medianMs * 1e6, from: 'measured' },
    counted: metrics => sumOf(metrics, ['gpu__time_duration.sum'], 'ns'),
    why: () =>
      t(
        'This duration is not a benchmark. Nsight Compute times one launch with cold caches and, by default, at base clocks.',
      ),
    unknown: () => t('Benchmark the kernel to compare its time.'),
  },
];
