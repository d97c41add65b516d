/**
 * Tensor-core rungs, which follow the FMA rungs. Tiles have the same K extent in bytes for every
 * type.
 */
import { DEFAULT_DEVICE } from '../../hardware/devices';
import { isHopper } from '../../plan/wgmma/wgmma';
import { TMA_MMA_TYPES } from '../../plan/wgmma/tmaMma';
import { DTYPE_BYTES, type DType } from '../../types/dtype';
import type { Rung } from './rungs';
import type { Schedule } from '../../spec/schema';

const elementsIn = (bytes: number, dtype: DType): number => bytes / DTYPE_BYTES[dtype];

const SMALL_BYTES = 64;
const DEEP_BYTES = 128;

const small = (dtype: DType): Schedule => ({
  block: { m: 64, n: 64, k: elementsIn(SMALL_BYTES, dtype) },
  warp: { m: 32, n: 32 },
});
const square = (dtype: DType): Schedule => ({
  block: { m: 128, n: 128, k: elementsIn(SMALL_BYTES, dtype) },
  warp: { m: 64, n: 64 },
  swizzle: 'xor',
});
const large = (dtype: DType): Schedule => ({
  block: { m: 256, n: 128, k: elementsIn(DEEP_BYTES, dtype) },
  warp: { m: 64, n: 64 },
  swizzle: 'xor',
  stages: 3,
  fragments: 2,
});

/** Explicit values of fields whose defaults depend on the problem size. */
const SIMPLE = {
  stages: 2,
  fragments: 1,
  swizzle: 'none',
  raster: { order: 'row', group: 1 },
} as const satisfies Schedule;

const MMA: readonly (readonly [change: string, schedule: (dtype: DType) => Schedule])[] = [
  ['tensor cores: warp-level MMA, two stages', small],
  ['swizzle to avoid bank conflicts', dtype => ({ ...small(dtype), swizzle: 'xor' })],
  ['128 x 128 block tiles, 64 x 64 warp tiles', square],
  ['three stages', dtype => ({ ...square(dtype), stages: 3 })],
  ['fragments loaded one k-step ahead', dtype => ({ ...square(dtype), stages: 3, fragments: 2 })],
  ['256 x 128 block tiles, twice the K extent', large],
  [
    'raster groups of 8 tile rows',
    dtype => ({ ...large(dtype), raster: { order: 'row', group: 8 } }),
  ],
];

const group = (dtype: DType, m: number, n: number): Schedule => ({
  block: { m, n, k: elementsIn(DEEP_BYTES, dtype) },
  kernelSchedule: 'cooperative',
  consumers: 1,
  stages: 2,
  cluster: { m: 1, n: 1 },
  raster: { order: 'row', group: 1 },
});
/** The same without warp specialization: one warp group loads and multiplies. */
const alone = (dtype: DType): Schedule => ({
  ...group(dtype, 128, 128),
  kernelSchedule: 'tma',
});
const wide = (dtype: DType): Schedule => ({ ...group(dtype, 128, 256), consumers: 2, stages: 4 });
const clustered = (dtype: DType): Schedule => ({ ...wide(dtype), cluster: { m: 2, n: 1 } });

const pingPong = (dtype: DType): Schedule => ({
  ...group(dtype, 128, 192),
  kernelSchedule: 'pingpong',
  consumers: 2,
  stages: 5,
  cluster: { m: 2, n: 1 },
  raster: { order: 'row', group: 8 },
});

/** The same with mma.sync instead of wgmma. */
const TMA_MMA: readonly (readonly [change: string, schedule: (dtype: DType) => Schedule])[] = [
  ['one warp group, tiles loaded by TMA instead of copies by all threads', alone],
];

const WGMMA: readonly (readonly [change: string, schedule: (dtype: DType) => Schedule])[] = [
  ['warp-group MMA: wgmma reads tiles that TMA loads into shared memory', alone],
  [
    'warp specialization: TMA producer, wgmma consumer, one block per SM',
    of => group(of, 128, 128),
  ],
  [
    'four-stage ring buffer, which hides the latency with one block per SM',
    of => ({ ...group(of, 128, 128), stages: 4 }),
  ],
  ['two consumer warp groups, 128 x 256 block tile', wide],
  ['clusters of two blocks share B tiles through multicast', clustered],
  [
    'raster groups of 8 tile rows',
    of => ({ ...clustered(of), raster: { order: 'row', group: 8 } }),
  ],
  [
    'ping-pong: the epilogue of one warp group overlaps the main loop of the other warp group',
    pingPong,
  ],
  [
    'programmatic dependent launch: the kernel starts before the previous kernel ends',
    of => ({ ...pingPong(of), launch: 'programmatic' }),
  ],
];

const hasWarpGroups = (dtype: DType, device: string): boolean => dtype !== 's8' && isHopper(device);

export const tensorRungs = (dtype: DType, device: string = DEFAULT_DEVICE): readonly Rung[] => {
  const rung =
    (algorithm: 'mma' | 'wgmma', fixed: Schedule = {}) =>
    ([change, schedule]: (typeof MMA)[number]): Rung => ({
      algorithm,
      change,
      targets: ['cuda'],
      schedule: { algorithm, ...fixed, ...schedule(dtype) },
    });
  const onHopper = hasWarpGroups(dtype, device);
  return [
    ...MMA.map(rung('mma', SIMPLE)),
    ...(onHopper && TMA_MMA_TYPES.includes(dtype) ? TMA_MMA : []).map(rung('mma')),
    ...(onHopper ? WGMMA : []).map(rung('wgmma')),
  ];
};
