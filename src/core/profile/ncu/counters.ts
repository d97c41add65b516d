/**
 * Reads totals of Nsight Compute counters by name (Kernel Profiling Guide, "Metrics Decoder"; names
 * since 2020.1).
 */
import type { ComparedAnalysis } from './compare';
import type { NcuMetric } from './metric';

export type Metrics = ReadonlyMap<string, NcuMetric>;
export type Counted = Pick<NcuMetric, 'value' | 'halfStep'> | { readonly missing: string };

/**
 * Counter name, or a list of alternatives; the first available name is used. Names differ between
 * versions and architectures.
 */
type Name = string | readonly string[];

/**
 * Sums counters and scales the total. Reports a missing counter instead of returning a partial sum.
 */
export function sumOf(metrics: Metrics, names: readonly Name[], unit: string, scale = 1): Counted {
  let [value, halfStep] = [0, 0];
  for (const name of names) {
    const alternatives = typeof name === 'string' ? [name] : name;
    const found = alternatives.map(way => metrics.get(way)).find(metric => metric !== undefined);
    if (found === undefined) return { missing: alternatives[0] ?? '' };
    // An empty `unit` accepts any counter unit, such as sector. Bytes and times require a matching
    // unit.
    const base = found.unit.split('/')[0] ?? '';
    if (unit !== '' && base !== unit) return { missing: `${alternatives[0] ?? ''} (${unit})` };
    value += found.value * scale;
    halfStep += found.halfStep * scale;
  }
  return { value, halfStep };
}

const L1 = 'l1tex__t';
const LSU = 'pipe_lsu_mem_global_op';
export const global = (what: 'requests' | 'sectors', op: 'ld' | 'st' | 'ldgsts'): string =>
  `${L1}_${what}_${LSU}_${op}.sum`;

const SHARED_WAVEFRONTS = 'lsu_wavefronts_mem_shared';

/**
 * Shared-memory wavefront counters. The first name of each list counts wavefronts of instructions.
 * The fallback counts wavefronts of the data pipe, including stalls (up to 1 % more).
 */
export const SHARED = {
  all: [
    `smsp__sass_l1tex_pipe_${SHARED_WAVEFRONTS}.sum`,
    `l1tex__data_pipe_${SHARED_WAVEFRONTS}.sum`,
  ],
  ld: [
    `smsp__sass_l1tex_data_pipe_${SHARED_WAVEFRONTS}_op_ld.sum`,
    `l1tex__data_pipe_${SHARED_WAVEFRONTS}_op_ld.sum`,
  ],
} as const;

/**
 * Counters of the traffic between the L1 caches and L2. L2 counters count merged requests of
 * several SMs only once, although each SM receives a response.
 */
export const L2_LINKS = [
  'l1tex__m_xbar2l1tex_read_bytes.sum',
  'l1tex__m_l1tex2xbar_write_bytes.sum',
];

export const counts = (names: readonly Name[]) => (metrics: Metrics) => sumOf(metrics, names, '');
const copies = (metric: 'requests' | 'sectors'): readonly string[] => [
  `smsp__sass_l1tex_t_${metric}_${LSU}_ldgsts.sum`,
  global(metric, 'ldgsts'),
];
/**
 * Returns a function that totals global loads including asynchronous copies. If the load counter is
 * at least the copy counter, it includes the copies, as on compute capability 9.0. Otherwise, the
 * copies are added.
 */
export const loads =
  (what: 'requests' | 'sectors') => (metrics: Metrics, compared: ComparedAnalysis) => {
    const loaded = sumOf(metrics, [global(what, 'ld')], '');
    if (!compared.isAsynchronous || 'missing' in loaded) return loaded;
    const copied = sumOf(metrics, [copies(what)], '');
    if ('missing' in copied) return loaded.value > 0 ? loaded : copied;
    return loaded.value >= copied.value
      ? loaded
      : sumOf(metrics, [global(what, 'ld'), copies(what)], '');
  };

export const NCU_METRICS: readonly string[] = [
  ...SHARED.all,
  ...SHARED.ld,
  ...(['st', 'ldgsts', 'ldgsts_cache_access', 'ldgsts_cache_bypass'] as const).map(
    op => `smsp__sass_l1tex_data_pipe_${SHARED_WAVEFRONTS}_op_${op}.sum`,
  ),
  ...copies('sectors'),
  ...L2_LINKS,
  'l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum',
  'l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum',
  ...(['requests', 'sectors'] as const).flatMap(what =>
    (['ld', 'st', 'ldgsts'] as const).map(op => global(what, op)),
  ),
  'lts__t_sectors_srcunit_tex.sum',
  'dram__bytes_read.sum',
  'dram__bytes_write.sum',
  'launch__registers_per_thread',
  'launch__shared_mem_per_block_static',
  'launch__shared_mem_per_block_dynamic',
  'sm__maximum_warps_per_active_cycle_pct',
  'sm__warps_active.avg.pct_of_peak_sustained_active',
  'gpu__time_duration.sum',
];
