/**
 * Default schedules for specs without a schedule, and default tiles for specs that set only the
 * algorithm.
 */
import { isLaned, WIDEST_BYTES } from '../plan/simt/lanes';
import { instructionsOf, instructionsOn, isConverted, isShape } from '../plan/instructions';
import { plannedAlgorithms } from '../plan/fields';
import { DEFAULT_WEBGPU_LIMITS } from '../plan/limits';
import { fragmentPlan } from '../plan/mma/fragments';
import { matrixPlan, matrixShapes } from '../plan/mma/matrix';
import { elementOf } from '../plan/fp32Emulation';
import { DEFAULT_THREAD_LAYOUTS } from '../plan/threadLayout';
import { isHopper } from '../plan/wgmma/wgmma';
import { hasWarpGroups, isTmaMma } from '../plan/wgmma/tmaMma';
import { DTYPE_BYTES, needsTensorCores, type DType } from '../types/dtype';
import type {
  ResolvedProblem,
  ResolvedSchedule,
  ResolvedSpec,
  WebgpuLimits,
} from '../spec/resolved';
import type { Algorithm, Schedule, Target, Variant } from '../spec/schema';
import { gatedSchedule } from '../plan/gated';
import { defaultGemv } from './simt/gemvSchedules';
import { warpGroupSchedule } from './wgmma/wgmmaDefaults';
import { limitsOf } from '../hardware/computeCapability';
import { DEFAULT_DEVICE, findDevice } from '../hardware/devices';

interface Tiles {
  readonly block?: { readonly m: number; readonly n: number; readonly k?: number };
  readonly warp?: { readonly m: number; readonly n: number };
  readonly thread?: { readonly m: number; readonly n?: number };
  readonly stages?: number;
  readonly threadLayout?: Readonly<Record<'a' | 'b' | 'c', string>>;
}

/** Default tiles by algorithm. They are legal for CUDA and for WebGPU's default limits. */
const TILES: Readonly<Partial<Record<Algorithm, Tiles>>> = {
  naive: { block: { m: 16, n: 16 } },
  coalesced: { block: { m: 8, n: 32 } },
  'shared-tile': { block: { m: 16, n: 16, k: 16 } },
  'thread-tile-1d': { block: { m: 64, n: 32, k: 8 }, thread: { m: 8 } },
  'thread-tile-2d': { block: { m: 128, n: 128, k: 8 }, thread: { m: 8, n: 8 } },
  'register-tile': { block: { m: 64, n: 64, k: 4 }, thread: { m: 8, n: 8 } },
  vectorized: { block: { m: 128, n: 128, k: 8 }, thread: { m: 8, n: 8 } },
  'warp-tile': {
    block: { m: 128, n: 128, k: 16 },
    warp: { m: 64, n: 32 },
    thread: { m: 8, n: 8 },
  },
  pipelined: {
    block: { m: 128, n: 128, k: 8 },
    warp: { m: 64, n: 32 },
    thread: { m: 8, n: 8 },
    stages: 2,
  },
  layout: { block: { m: 128, n: 128, k: 8 }, threadLayout: DEFAULT_THREAD_LAYOUTS },
};

/** Minimum workgroup storage, in bytes, for matrix tiles with twice the K extent. */
const DEEP_TILE_BYTES = 32_768;
/**
 * Minimum workgroup storage, in bytes, for 256-column tiles with accumulators staged in shared
 * memory. Adapters with the default limits have less.
 */
const WIDE_TILE_BYTES = 49_152;

/** Minimum M and N for the larger tiles. */
const LARGE = 2048;

/**
 * Returns the default `mma` schedule for subgroup matrices. Rows of the shared tiles are padded by
 * one vector.
 */
function matrixSchedule(
  problem: ResolvedProblem,
  { workgroupStorageBytes }: WebgpuLimits,
): ResolvedSchedule {
  const [mma = { m: 16, n: 16, k: 16 }] = matrixShapes(problem);
  const words = WIDEST_BYTES / DTYPE_BYTES[problem.a.dtype];
  const vector = words === 8 ? 8 : 4;
  const isWide =
    words === 8 &&
    workgroupStorageBytes >= WIDE_TILE_BYTES &&
    Math.min(problem.m, problem.n) >= LARGE;
  const k = mma.k * (workgroupStorageBytes < DEEP_TILE_BYTES ? 1 : 2);
  return {
    algorithm: 'mma',
    block: { m: 128, n: isWide ? 256 : 128, k },
    warp: { m: 64, n: 64 },
    mma,
    vector,
    padding: { a: vector, b: vector },
  };
}

/** Bytes per row of a K-major shared tile. */
const DEPTH_BYTES = { large: 128, usual: 64 } as const;

/**
 * Returns the default `mma` schedule for tensor cores; undefined if the device does not support the
 * type or the given instruction. If the device has no instruction for the type, a CUDA-only spec
 * uses the instructions of other devices. The device is then the only violation.
 */
function tensorSchedule(
  problem: ResolvedProblem,
  given: Schedule,
  { device, targets }: Pick<Surroundings, 'targets'> & { readonly device: string },
): ResolvedSchedule | undefined {
  const { m, n, a } = problem;
  const element = elementOf({ problem, schedule: given });
  const own = instructionsOn(element, device);
  const isCudaAlone = targets !== undefined && !targets.includes('wgsl');
  const known = own.length === 0 && isCudaAlone ? instructionsOf(element) : own;
  const mma = given.mma ?? known[0];
  if (mma === undefined || !known.some(one => isShape(one, mma))) return undefined;
  const bytes = DTYPE_BYTES[a.dtype];
  const small = { m: 128, n: 128, k: DEPTH_BYTES.usual / bytes };
  const tiled = { algorithm: 'mma', mma: { m: mma.m, n: mma.n, k: mma.k } } as const;
  const vector = bytes === 4 ? 4 : 8;
  const schedule = { vector, ...given, ...tiled, block: { ...small, ...given.block } } as const;
  // Prefetching, conversion or splitting in registers leaves fewer registers for accumulators.
  const isPrefetchedInRegisters =
    copiesOf({ problem, device, schedule }) === 'registers' || isConverted(a.dtype, device);
  const isSplit = given.split !== undefined;
  const isLarge =
    !isPrefetchedInRegisters &&
    !isSplit &&
    Math.min(m, n) >= LARGE &&
    fitsShared(device, REQUIRED_SHARED_BYTES.large);
  const deep = DEPTH_BYTES.large / bytes;
  const block = isLarge
    ? { m: 256, n: 128, k: deep }
    : isSplit && !isPrefetchedInRegisters
      ? { ...small, k: deep }
      : small;
  const most = { ...block, ...given.block };
  return {
    ...tiled,
    block,
    vector,
    warp: {
      m: Math.min(64, most.m ?? 64),
      n: Math.min(isPrefetchedInRegisters || isSplit ? 32 : 64, most.n ?? 64),
    },
    ...(given.padding === undefined ? { swizzle: 'xor' as const } : {}),
    raster: { order: 'row', group: 8 },
  };
}

/**
 * Bytes of shared memory per block for three stages and staged accumulators; `split` applies to
 * FP32 emulation.
 */
const REQUIRED_SHARED_BYTES = { large: 184 * 1024, split: 116 * 1024 } as const;

function fitsShared(device: string, bytes: number): boolean {
  const { computeCapability } = findDevice(device) ?? {};
  return (
    computeCapability !== undefined && limitsOf(computeCapability).sharedBytesPerBlockOptIn >= bytes
  );
}

/**
 * Returns the number of stages and the number of fragment buffers. Without asynchronous copies, the
 * next tile is prefetched into registers. FP32 emulation has one fragment buffer, because each
 * fragment feeds several MMAs.
 */
function tensorPipeline(spec: Planned): Pick<ResolvedSchedule, 'stages' | 'fragments'> {
  if (copiesOf(spec) === 'registers') return { stages: 2, fragments: 1 };
  const { block, mma, split } = spec.schedule;
  if (split !== undefined)
    return { stages: fitsShared(spec.device, REQUIRED_SHARED_BYTES.split) ? 3 : 2, fragments: 1 };
  const depths = (block?.k ?? 1) / (mma?.k ?? 1);
  return { stages: 3, fragments: depths % 2 === 0 ? 2 : 1 };
}

type Planned = Pick<ResolvedSpec, 'problem' | 'schedule' | 'device'>;

function copiesOf(spec: Planned): 'registers' | 'asynchronous' {
  const { m = 1, n = 1, k = 1 } = spec.schedule.block ?? {};
  const whole = { ...spec, version: 1, targets: ['cuda'] } as const;
  const tile = { m, n, k };
  return fragmentPlan({ spec: whole, tile, matrix: matrixPlan(whole, 'cuda', tile) }).copies;
}

/**
 * Returns the default number of elements per vectorized access. It is limited to 16 bytes of the
 * narrower operand type and to 8 elements. For types that WGSL supports, the limit is its widest
 * vector (4 elements).
 */
function defaultVector({ a, b }: ResolvedProblem): 2 | 4 | 8 {
  const bytes = Math.min(DTYPE_BYTES[a.dtype], DTYPE_BYTES[b.dtype]);
  if (bytes === 8) return 2;
  return bytes === 4 || a.dtype === 'f16' || b.dtype === 'f16' ? 4 : 8;
}

const VARIANT: Readonly<Partial<Record<Algorithm, Variant>>> = {
  coalesced: 'swap',
  'shared-tile': '2d',
};

function bySize(problem: ResolvedProblem): ResolvedSchedule {
  const size = Math.min(problem.m, problem.n);
  if (size < 64) return { algorithm: 'shared-tile', ...TILES['shared-tile'] };
  if (size >= 2048) return { algorithm: 'thread-tile-2d', ...TILES['thread-tile-2d'] };
  return { algorithm: 'thread-tile-2d', block: { m: 64, n: 64, k: 8 }, thread: { m: 4, n: 4 } };
}

/**
 * Returns the tensor-core algorithm for element types of tensor cores. Returns undefined for other
 * types, for f16 unless WGSL is excluded, and for devices without such tensor cores.
 */
function tensorAlgorithm(
  problem: ResolvedProblem,
  device: string,
  targets: readonly Target[] | undefined,
): Algorithm | undefined {
  const { a, b, accumulator } = problem;
  const { dtype } = a;
  const hasGroups = isHopper(device);
  if (needsTensorCores(dtype)) return hasGroups ? 'wgmma' : mmaOn(dtype, device);
  const isHalf = dtype === 'f16' && targets !== undefined && !targets.includes('wgsl');
  if (!(dtype === 'bf16' || isHalf) || b.dtype !== dtype || accumulator !== 'f32') return undefined;
  return hasGroups ? 'wgmma' : mmaOn(dtype, device);
}

const mmaOn = (dtype: DType, device: string): Algorithm | undefined =>
  instructionsOn(dtype, device).length > 0 ? 'mma' : undefined;

/** Returns the algorithms that a default may use, most suitable first. */
export const suitableAlgorithms = (problem: ResolvedProblem): readonly Algorithm[] => [
  'mma',
  bySize(problem).algorithm,
  ...plannedAlgorithms(),
];

export interface Surroundings {
  readonly device?: string;
  /** Targets listed in the spec; absent if the spec lists none. */
  readonly targets?: readonly Target[];
  readonly webgpuLimits?: WebgpuLimits;
}

export function completeSchedule(
  spec: Schedule,
  problem: ResolvedProblem,
  { device = DEFAULT_DEVICE, targets, webgpuLimits = DEFAULT_WEBGPU_LIMITS }: Surroundings = {},
): ResolvedSchedule {
  const needed = spec.algorithm ?? tensorAlgorithm(problem, device, targets);
  const given = needed === undefined ? spec : { ...spec, algorithm: needed };
  const tensor =
    given.algorithm === 'mma' && !isTmaMma(given) && targets?.includes('cuda') !== false
      ? tensorSchedule(problem, given, { device, ...(targets === undefined ? {} : { targets }) })
      : undefined;
  const ofPlain: ResolvedSchedule =
    given.algorithm === undefined
      ? bySize(problem)
      : hasWarpGroups(given)
        ? warpGroupSchedule(problem, given, device)
        : given.algorithm === 'mma'
          ? (tensor ?? matrixSchedule(problem, webgpuLimits))
          : given.algorithm === 'gemv'
            ? defaultGemv(problem)
            : { algorithm: given.algorithm, ...TILES[given.algorithm] };
  const base = gatedSchedule(ofPlain, problem);
  const { algorithm } = base;
  const block = { ...base.block, ...given.block };
  const warp = { ...base.warp, ...given.warp };
  const thread = { ...base.thread, ...given.thread };
  const padding = { ...base.padding, ...given.padding };
  const mma = given.mma ?? base.mma;
  const vector =
    given.vector ??
    base.vector ??
    (isLaned(algorithm) && algorithm !== 'layout' ? defaultVector(problem) : undefined);
  const threadLayout = { ...base.threadLayout, ...given.threadLayout };
  const variant = given.variant ?? VARIANT[algorithm];
  const splitKReduction =
    given.splitKReduction ??
    ((given.splitK ?? 1) > 1 && algorithm !== 'wgmma' ? ('two-pass' as const) : undefined);
  const minBlocksPerSm = given.minBlocksPerSm ?? base.minBlocksPerSm;
  const some = (tile: object): boolean => Object.keys(tile).length > 0;
  const complete: ResolvedSchedule = {
    ...given,
    algorithm,
    ...(some(block) ? { block } : {}),
    ...(some(warp) ? { warp } : {}),
    ...(some(thread) ? { thread } : {}),
    ...(some(threadLayout) ? { threadLayout } : {}),
    ...(vector === undefined ? {} : { vector }),
    ...(base.stages === undefined ? {} : { stages: base.stages }),
    ...(base.swizzle === undefined ? {} : { swizzle: base.swizzle }),
    ...(base.raster === undefined ? {} : { raster: base.raster }),
    ...(base.kernelSchedule === undefined ? {} : { kernelSchedule: base.kernelSchedule }),
    ...(base.consumers === undefined ? {} : { consumers: base.consumers }),
    ...(base.operandOrder === undefined ? {} : { operandOrder: base.operandOrder }),
    ...(base.cluster === undefined ? {} : { cluster: base.cluster }),
    ...(some(padding) ? { padding } : {}),
    ...(mma === undefined ? {} : { mma }),
    ...(variant === undefined ? {} : { variant }),
    ...(minBlocksPerSm === undefined ? {} : { minBlocksPerSm }),
    ...(splitKReduction === undefined ? {} : { splitKReduction }),
    ...overridesOf(given),
  };
  return tensor === undefined
    ? complete
    : {
        ...complete,
        ...tensorPipeline({ problem, schedule: complete, device }),
        ...overridesOf(given),
      };
}

/** The fields that the schedule sets override the defaults of every algorithm. */
const overridesOf = ({
  stages,
  fragments,
  swizzle,
  raster,
}: Schedule): Partial<ResolvedSchedule> => ({
  ...(stages === undefined ? {} : { stages }),
  ...(fragments === undefined ? {} : { fragments }),
  ...(swizzle === undefined ? {} : { swizzle }),
  ...(raster === undefined ? {} : { raster }),
});
