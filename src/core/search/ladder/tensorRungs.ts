/**
 * The rungs on tensor cores, for the types that they multiply: schedules whose tiles are as deep in bytes for every type, and
 * what each changes. They come after those of single multiply-adds.
 */
import { DEFAULT_DEVICE } from '../../hardware/devices';
import { isHopper } from '../../plan/wgmma/wgmma';
import { DTYPE_BYTES, type DType } from '../../types/dtype';
import type { Rung } from './rungs';
import type { Schedule } from '../../spec/schema';

/** Elements of a type in so many bytes of K. */
const depth = (bytes: number, dtype: DType): number => bytes / DTYPE_BYTES[dtype];

const SMALL_BYTES = 64;
const DEEP_BYTES = 128;

const small = (dtype: DType): Schedule => ({
  block: { m: 64, n: 64, k: depth(SMALL_BYTES, dtype) },
  warp: { m: 32, n: 32 },
});
const square = (dtype: DType): Schedule => ({
  block: { m: 128, n: 128, k: depth(SMALL_BYTES, dtype) },
  warp: { m: 64, n: 64 },
  swizzle: 'xor',
});
const large = (dtype: DType): Schedule => ({
  block: { m: 256, n: 128, k: depth(DEEP_BYTES, dtype) },
  warp: { m: 64, n: 64 },
  swizzle: 'xor',
  stages: 3,
  fragments: 2,
});

/** Said in full: what a spec leaves out is chosen by the size of its problem. */
const SIMPLE = {
  stages: 2,
  fragments: 1,
  swizzle: 'none',
  raster: { order: 'row', group: 1 },
} as const satisfies Schedule;

const MMA: readonly (readonly [change: string, schedule: (dtype: DType) => Schedule])[] = [
  ['tensor cores: products of matrices a warp, two stages', small],
  ['a swizzle against bank conflicts', dtype => ({ ...small(dtype), swizzle: 'xor' })],
  ['blocks of 128 x 128, warps of 64 x 64', square],
  ['three stages', dtype => ({ ...square(dtype), stages: 3 })],
  ['fragments loaded a depth ahead', dtype => ({ ...square(dtype), stages: 3, fragments: 2 })],
  ['blocks of 256 x 128, tiles twice as deep', large],
  [
    'blocks in groups of 8 tile rows',
    dtype => ({ ...large(dtype), raster: { order: 'row', group: 8 } }),
  ],
];

/** Of warp groups, said in full too. */
const group = (dtype: DType, m: number, n: number): Schedule => ({
  block: { m, n, k: depth(DEEP_BYTES, dtype) },
  kernelSchedule: 'cooperative',
  consumers: 1,
  stages: 2,
  cluster: { m: 1, n: 1 },
  raster: { order: 'row', group: 1 },
});
const wide = (dtype: DType): Schedule => ({ ...group(dtype, 128, 256), consumers: 2, stages: 4 });
const clustered = (dtype: DType): Schedule => ({ ...wide(dtype), cluster: { m: 2, n: 1 } });

const takingTurns = (dtype: DType): Schedule => ({
  ...group(dtype, 128, 192),
  kernelSchedule: 'pingpong',
  consumers: 2,
  stages: 5,
  cluster: { m: 2, n: 1 },
  raster: { order: 'row', group: 8 },
});

const WGMMA: readonly (readonly [change: string, schedule: (dtype: DType) => Schedule])[] = [
  [
    'a warp group brings tiles by TMA, another multiplies them in shared memory',
    of => group(of, 128, 128),
  ],
  ['a ring of four stages', of => ({ ...group(of, 128, 128), stages: 4 })],
  ['two warp groups multiply 128 x 256 together', wide],
  ['pairs of blocks share tiles of B by multicast', clustered],
  [
    'blocks in groups of 8 tile rows',
    of => ({ ...clustered(of), raster: { order: 'row', group: 8 } }),
  ],
  ['warp groups take turns: one stores while the other multiplies', takingTurns],
  [
    'launched while the kernel before it ends',
    of => ({ ...takingTurns(of), launch: 'programmatic' }),
  ],
];

/** Hopper's own instruction multiplies no integers yet. */
const hasWarpGroups = (dtype: DType, device: string): boolean => dtype !== 's8' && isHopper(device);

export const tensorRungs = (dtype: DType, device: string = DEFAULT_DEVICE): readonly Rung[] => [
  ...MMA.map(([change, schedule]): Rung => ({
    algorithm: 'mma',
    change,
    targets: ['cuda'],
    schedule: { algorithm: 'mma', ...SIMPLE, ...schedule(dtype) },
  })),
  ...(hasWarpGroups(dtype, device) ? WGMMA : []).map(([change, schedule]): Rung => ({
    algorithm: 'wgmma',
    change,
    targets: ['cuda'],
    schedule: { algorithm: 'wgmma', ...schedule(dtype) },
  })),
];
