/**
 * Schedules for families of adapters that this project never measured, as others published that they suit them: better to
 * begin with than a default by size alone, and worse than `tune` on the adapter itself. Each is legal under WebGPU's default
 * limits at any size.
 */
import { t } from '@vscode/l10n';
import type { Examiner } from '../../plan/examiner';
import type { ResolvedSchedule, ResolvedSpec } from '../../spec/resolved';
import { completeSchedule } from '../byShape';
import type { Schedule } from '../../spec/schema';
import type { AdapterFamily } from './adapterFamily';

interface Finding {
  /** Least rows and columns of C. */
  readonly from: { readonly m: number; readonly n: number };
  readonly schedule: Schedule;
  /** What was found, and who published it: a whole sentence. */
  readonly source: () => string;
}

const tile = (
  [m, n, k]: readonly [number, number, number],
  thread: { readonly m: number; readonly n: number },
): Schedule => ({ algorithm: 'vectorized', block: { m, n, k }, thread });

/**
 * Of the four GPUs that a portable choice was searched for (GeForce RTX 5080, Radeon RX 7900 XT, Arc B580, Apple M2), as
 * llama.cpp's WebGPU backend has it since.
 */
const PORTABLE: Finding = {
  from: { m: 32, n: 32 },
  schedule: tile([32, 32, 8], { m: 4, n: 4 }),
  source: () =>
    t(
      '64 threads of 4 x 4 results are what llama.cpp’s WebGPU backend multiplies f32 with on every GPU (ggml-org/llama.cpp, pull request 22241).',
    ),
};

/** The largest first. */
const FINDINGS: Readonly<Partial<Record<AdapterFamily, readonly Finding[]>>> = {
  apple: [
    {
      from: { m: 32, n: 64 },
      schedule: tile([32, 64, 16], { m: 4, n: 8 }),
      source: () =>
        t(
          '64 threads of 4 x 8 results were 7 to 13 % faster than 4 x 4 on Apple GPUs, and 8 x 8 spilled and was 2 to 3 times slower (the compiler RLX, notes of its WGSL kernel matmul_wide).',
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
          '4 rows a thread are the best for many rows on Intel’s integrated GPUs (microsoft/onnxruntime, pull request 28760); 128 threads here, and no subgroups, which are said to gain more.',
        ),
    },
    PORTABLE,
  ],
  amd: [
    {
      // From there on most of a GPU's compute units have a tile.
      from: { m: 1024, n: 1024 },
      schedule: { ...tile([128, 128, 8], { m: 8, n: 8 }), padding: { a: 4 } },
      source: () =>
        t(
          'Tiles of 128 x 128 x 8 with A padded by 4 were faster than rocBLAS on a Radeon RX 7900 XTX (seb-v/fp32_sgemm_amd, in HIP); 16 x 16 threads here, as WebGPU’s limits allow.',
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

/** Null where nothing is known of the family, or nothing for a problem of this size. */
export function published(
  plain: ResolvedSpec,
  family: AdapterFamily,
  { isLegal }: Pick<Examiner, 'isLegal'>,
): Published | null {
  const { problem } = plain;
  for (const { from, schedule: given, source } of FINDINGS[family] ?? []) {
    if (problem.m < from.m || problem.n < from.n) continue;
    const schedule = completeSchedule(given, problem);
    if (isLegal({ ...plain, schedule }, 'wgsl'))
      return { how: 'published', family, schedule, source: source() };
  }
  return null;
}
