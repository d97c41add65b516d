/** GPU, size and kernels of the worklog: from one thread per element to block tiling. */
import { t } from '@vscode/l10n';
import type { DeviceId } from '../hardware/devices';
import type { Schedule } from '../spec/schema';
import { cube, type TutorialKernel } from './tutorial';

export const WORKLOG_GPU: DeviceId = 'rtx-3070-laptop';
export const WORKLOG_SIZE = 2048;

const BLOCK = { m: 32, n: 32 } as const;
const SMALL_BLOCK = { m: 16, n: 16 } as const;

export const WORKLOG_SCHEDULES = {
  naive: { algorithm: 'naive', block: BLOCK },
  swapped: { algorithm: 'coalesced', variant: 'swap', block: BLOCK },
  // Kernel 2 takes the rows of its tile from blockIdx.x.
  remapped: { algorithm: 'coalesced', variant: 'remap', block: BLOCK, raster: { order: 'col' } },
  shared1d: { algorithm: 'shared-tile', variant: '1d', block: { ...BLOCK, k: 32 } },
  shared2d: { algorithm: 'shared-tile', variant: '2d', block: { ...BLOCK, k: 32 } },
  blockTile1d: { algorithm: 'thread-tile-1d', block: { m: 64, n: 64, k: 8 }, thread: { m: 8 } },
} as const satisfies Readonly<Record<string, Schedule>>;
export type WorklogKernel = keyof typeof WORKLOG_SCHEDULES;

const SMALL: Readonly<Record<WorklogKernel, Schedule>> = {
  naive: { ...WORKLOG_SCHEDULES.naive, block: SMALL_BLOCK },
  swapped: { ...WORKLOG_SCHEDULES.swapped, block: SMALL_BLOCK },
  remapped: { ...WORKLOG_SCHEDULES.remapped, block: SMALL_BLOCK },
  shared1d: { ...WORKLOG_SCHEDULES.shared1d, block: { ...SMALL_BLOCK, k: 16 } },
  shared2d: { ...WORKLOG_SCHEDULES.shared2d, block: { ...SMALL_BLOCK, k: 16 } },
  blockTile1d: { ...WORKLOG_SCHEDULES.blockTile1d, block: { m: 64, n: 32, k: 8 } },
};

/** Milliseconds and GFLOP/s of the tutorial at 2048. */
const stated = (milliseconds: number, gflops: number) => ({
  [WORKLOG_SIZE]: { milliseconds, gflops },
});

const kernel = (
  row: string,
  id: WorklogKernel,
  text: string,
  theirs: NonNullable<TutorialKernel['rates']>['theirs'] = {},
): TutorialKernel => ({
  row,
  id,
  text,
  schedule: WORKLOG_SCHEDULES[id],
  small: SMALL[id],
  verified: { m: 96, n: 64, k: 64 },
  rates: { problem: cube, theirs },
  ...(id === 'shared2d' ? { compiled: true } : {}),
});

export const worklogKernels = (): readonly TutorialKernel[] => [
  kernel('003.15', 'naive', t('1 naive'), stated(125, 138)),
  kernel('003.17', 'swapped', t('1.1 coalesced, x and y swapped'), stated(25, 680)),
  kernel('003.18', 'remapped', t('2 coalesced, from a one-dimensional index'), stated(20, 810)),
  kernel('003.20', 'shared1d', t('3 shared memory, one-dimensional block'), stated(15.5, 1100)),
  kernel('003.22', 'shared2d', t('4 shared memory, two-dimensional block')),
  kernel('003.28', 'blockTile1d', t('5 one-dimensional block tiling, 8 elements per thread')),
];
