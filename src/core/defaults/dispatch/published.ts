/** Published schedules for adapter families that this project did not measure. */
import { t } from '@vscode/l10n';
import type { Examiner } from '../../plan/examiner';
import type { ResolvedSchedule, ResolvedSpec } from '../../spec/resolved';
import { gatedSchedule } from '../../plan/gated';
import { completeSchedule } from '../byShape';
import type { Schedule } from '../../spec/schema';
import type { AdapterFamily } from './adapterFamily';

interface Finding {
  /** Minimum number of rows and columns of C for this schedule. */
  readonly from: { readonly m: number; readonly n: number };
  readonly schedule: Schedule;
  readonly source: () => string;
}

const tile = (
  [m, n, k]: readonly [number, number, number],
  thread: { readonly m: number; readonly n: number },
): Schedule => ({ algorithm: 'vectorized', block: { m, n, k }, thread });

const PORTABLE: Finding = {
  from: { m: 32, n: 32 },
  schedule: tile([32, 32, 8], { m: 4, n: 4 }),
  source: () =>
    t(
      'llama.cpp’s WebGPU backend uses 64 threads with 4 x 4 accumulators for f32 on every GPU (ggml-org/llama.cpp, pull request 22241).',
    ),
};

/** Findings by adapter family, in order of decreasing minimum C shape. */
const FINDINGS: Readonly<Partial<Record<AdapterFamily, readonly Finding[]>>> = {
  apple: [
    {
      from: { m: 32, n: 64 },
      schedule: tile([32, 64, 16], { m: 4, n: 8 }),
      source: () =>
        t(
          'On Apple GPUs, 64 threads with 4 x 8 accumulators were 7 to 13 % faster than with 4 x 4. 8 x 8 spilled and was 2 to 3 times slower (RLX compiler, notes on its WGSL kernel matmul_wide).',
        ),
    },
    PORTABLE,
  ],
  intel: [
    {
      from: { m: 64, n: 64 },
      schedule: tile([32, 64, 16], { m: 4, n: 4 }),
      source: () =>
        t(
          'On Intel’s integrated GPUs, 4 rows per thread are fastest if C has many rows (microsoft/onnxruntime, pull request 28760). This schedule uses 128 threads, without subgroups.',
        ),
    },
    PORTABLE,
  ],
  amd: [
    {
      // At this shape, 64 tiles cover most of the 96 compute units of a Radeon RX 7900 XTX.
      from: { m: 1024, n: 1024 },
      schedule: { ...tile([128, 128, 8], { m: 8, n: 8 }), padding: { a: 4 } },
      source: () =>
        t(
          '128 x 128 x 8 tiles with A padded by 4 elements were faster than rocBLAS on a Radeon RX 7900 XTX (seb-v/fp32_sgemm_amd, HIP). This schedule uses 16 x 16 threads, within WebGPU’s limits.',
        ),
    },
    PORTABLE,
  ],
};

export interface Published {
  readonly how: 'published';
  readonly family: AdapterFamily;
  readonly schedule: ResolvedSchedule;
  readonly source: string;
}

/**
 * Returns the published schedule for an adapter family; null if none is published for this problem
 * shape or none is legal.
 */
export function published(
  plain: ResolvedSpec,
  family: AdapterFamily,
  { isLegal }: Pick<Examiner, 'isLegal'>,
): Published | null {
  const { problem } = plain;
  for (const { from, schedule: given, source } of FINDINGS[family] ?? []) {
    if (problem.m < from.m || problem.n < from.n) continue;
    const schedule = completeSchedule(gatedSchedule(given, problem), problem);
    if (isLegal({ ...plain, schedule }, 'wgsl'))
      return { how: 'published', family, schedule, source: source() };
  }
  return null;
}
