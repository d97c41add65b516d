/**
 * The hierarchical roofline (C. Yang, T. Kurth, S. Williams, CCPE 32(20), 2020): every level of memory has a bandwidth,
 * and the kernel an intensity there, so each is a roof of its own; the lowest bounds the kernel. Computed when asked for.
 */
import { bandwidthsOf, ROOFED_LEVELS, type Bandwidth, type RoofedLevel } from '../device/bandwidth';
import type { PeakKey } from '../device/deviceSpec';
import type { Device } from '../device/devices';
import type { DType } from '../spec/dtype';
import type { Kernel } from '../emit/kernel';
import type { ResolvedProblem } from '../spec/resolved';
import { figure, type Analysis, type Figure } from './analysis';
import { memoryLevels, type MemoryLevel } from './memoryLevels';
import { PEAK_OF } from './roofline';

/** A pipe that multiplies and adds, and where its roof meets that of each level. */
export interface ComputeUnit {
  readonly unit: 'fma' | 'tensor';
  /** Type in which its operands are multiplied: f32 operands of tensor cores are rounded to tf32. */
  readonly dtype: string;
  readonly peak: Figure;
  /** What micro-benchmarks reached on such a device. */
  readonly measured?: Figure;
  /** Whether the kernel's instructions are of this unit. */
  readonly used: boolean;
  /** FLOP/B below which the level, not the unit, bounds. */
  readonly ridges: Readonly<Partial<Record<RoofedLevel, Figure>>>;
}

export interface LevelRoof {
  readonly level: RoofedLevel;
  readonly bytes: Figure;
  readonly intensity: Figure;
  /** The first one is the roof; none where nothing is published or measured. */
  readonly bandwidths: readonly Bandwidth[];
  /** What moving the bytes takes alone. Absent, as is all below, where the bandwidth is not known. */
  readonly milliseconds?: Figure;
  readonly ridge?: Figure;
  /** What this level and the unit allow. */
  readonly roof?: Figure;
  readonly bound?: 'compute' | 'memory';
  readonly reached?: Reached;
  /**
   * The roof is that of the text and no bound: it loads less than 16 bytes a lane from shared memory, of which the compiler
   * may join more than the analysis does (a row of odd length: measured 1.25x).
   */
  readonly asWritten?: true;
}

/** Of a roof, 0..1; null where there is no such rate. */
export interface Reached {
  readonly predicted: number | null;
  readonly measured: number | null;
}

export interface LevelRoofline {
  readonly units: readonly ComputeUnit[];
  readonly levels: readonly LevelRoof[];
  /** The lowest of all roofs that are bounds. */
  readonly attainable: Figure;
  readonly limitedBy: RoofedLevel | 'compute';
  readonly reached: Reached;
}

/** Wider accesses there are none. */
const WIDEST_BYTES = 16;

const TENSOR_PEAK_OF: Readonly<Partial<Record<DType, PeakKey>>> = {
  ...{ f64: 'f64-tensor', f32: 'tf32-tensor', tf32: 'tf32-tensor', f16: 'f16-tensor' },
  ...{ bf16: 'bf16-tensor', e4m3: 'e4m3-tensor', e5m2: 'e4m3-tensor', s8: 's8-tensor' },
};

/** Of an analysed kernel; null where no peak of the element type is known. */
export const rooflineOfLevels = (
  kernel: Kernel,
  device: Device,
  analysis: Analysis,
): LevelRoofline | null =>
  levelRoofline(
    kernel.spec.problem,
    memoryLevels(kernel, analysis, device).levels,
    device,
    analysis,
  );

/** The same with the traffic given. */
export function levelRoofline(
  problem: ResolvedProblem,
  memory: readonly MemoryLevel[],
  device: Device,
  {
    prediction,
    roofline,
    sharedMemory,
  }: Pick<Analysis, 'prediction' | 'roofline' | 'sharedMemory'>,
): LevelRoofline | null {
  const bandwidths = bandwidthsOf(device);
  const units = computeUnits(problem, device);
  const peak = units.find(({ used }) => used)?.peak.value;
  if (peak === undefined) return null;
  const newest = roofline.points.findLast(({ kind }) => kind === 'measured');
  const of = (roof: number): Reached => ({
    predicted: prediction === null ? null : prediction.tflops.value / roof,
    measured: newest === undefined ? null : newest.tflops / roof,
  });
  const isJoined = sharedMemory.some(
    ({ op, widthBytes, joined }) =>
      op === 'load' && widthBytes < WIDEST_BYTES && joined === undefined,
  );
  const levels = memory.flatMap(({ level, bytes, intensity }): readonly LevelRoof[] => {
    if (level === 'registers') return [];
    const [first] = bandwidths[level];
    const asWritten = level === 'shared' && isJoined;
    const base = {
      ...{ level, bytes, intensity, bandwidths: bandwidths[level] },
      ...(asWritten ? { asWritten } : {}),
    };
    if (first === undefined) return [base];
    const { GBps } = first;
    const allowed = (intensity.value * GBps) / 1000;
    const roof = Math.min(peak, allowed);
    return [
      {
        ...base,
        milliseconds: figure(bytes.value / GBps / 1e6, 'ms', 'derived'),
        ridge: figure((peak * 1000) / GBps, 'FLOP/B', 'derived'),
        roof: figure(roof, 'TFLOP/s', 'derived'),
        bound: allowed < peak ? 'memory' : 'compute',
        reached: of(roof),
      },
    ];
  });
  const [lowest] = levels
    .filter(({ bound, asWritten }) => bound === 'memory' && asWritten !== true)
    .toSorted((one, other) => (one.roof?.value ?? Infinity) - (other.roof?.value ?? Infinity));
  const attainable = lowest?.roof?.value ?? peak;
  return {
    ...{ units, levels, limitedBy: lowest?.level ?? 'compute', reached: of(attainable) },
    attainable: figure(attainable, 'TFLOP/s', 'derived'),
  };
}

/** The unit that the kernel uses first, then the tensor cores of its operands' type. */
export function computeUnits(
  { a, b, accumulator }: ResolvedProblem,
  device: Device,
): readonly ComputeUnit[] {
  const { peakTflops, measured } = device;
  const key = PEAK_OF[accumulator];
  const tensor = TENSOR_PEAK_OF[a.dtype];
  const unit = (
    name: ComputeUnit['unit'],
    dtype: string,
    peakKey: PeakKey | undefined,
  ): readonly ComputeUnit[] => {
    const peak = peakKey === undefined ? undefined : peakTflops[peakKey];
    const reached = peakKey === undefined ? undefined : measured?.peakTflops[peakKey];
    if (peak === undefined) return [];
    return [
      {
        ...{ unit: name, dtype, used: name === 'fma', ridges: ridgesOf(peak, device) },
        peak: figure(peak, 'TFLOP/s', 'spec'),
        ...(reached === undefined ? {} : { measured: figure(reached, 'TFLOP/s', 'measured') }),
      },
    ];
  };
  return [
    ...unit('fma', accumulator, key),
    // Matrix units multiply operands of one kind.
    ...(tensor === TENSOR_PEAK_OF[b.dtype]
      ? unit('tensor', a.dtype === 'f32' ? 'tf32' : a.dtype, tensor)
      : []),
  ];
}

const ridgesOf = (peak: number, device: Device): ComputeUnit['ridges'] => {
  const bandwidths = bandwidthsOf(device);
  return Object.fromEntries(
    ROOFED_LEVELS.flatMap(level => {
      const [first] = bandwidths[level];
      return first === undefined
        ? []
        : [[level, figure((peak * 1000) / first.GBps, 'FLOP/B', 'derived')]];
    }),
  );
};
