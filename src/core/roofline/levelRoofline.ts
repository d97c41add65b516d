/**
 * Computes the hierarchical roofline (C. Yang, T. Kurth, S. Williams, CCPE 32(20), 2020). The
 * ceiling of a memory level follows from its bandwidth and the kernel's arithmetic intensity at
 * this level.
 */
import { usesMatrixUnits } from '../plan/mma/matrix';
import {
  bandwidthsOf,
  LEVELS_WITH_CEILING,
  type Bandwidth,
  type LevelWithCeiling,
} from '../hardware/bandwidth';
import type { PeakKey } from '../hardware/deviceSpec';
import type { Device, DeviceId } from '../hardware/devices';
import type { Kernel } from '../kernel/kernel';
import { isAsWritten } from '../memory/access';
import { WARP_GROUPS } from '../cost/wgmma/wgmmaCalibration';
import { fp32EmulationOf } from '../plan/fp32Emulation';
import type { Fp32Emulation, Plan } from '../plan/plan';
import type { ResolvedProblem } from '../spec/resolved';
import type { PredictionReport } from '../model/report';
import { memoryLevels, type AnalyzedAccesses, type MemoryLevel } from '../memory/memoryLevels';
import { peakFrom } from './roofline';
import { PEAK_OF, TENSOR_PEAK_OF } from '../hardware/peakKeys';
import { figure, type Figure } from '../text/figure';
import type { Ceiling, Roofline } from './contract';

export interface ComputeUnit {
  readonly unit: 'fma' | 'tensor';
  /**
   * Accumulator type for FMA lanes; operand type for tensor cores (for f32 operands: tf32, or the
   * type of the split terms).
   */
  readonly dtype: string;
  readonly peak: Figure;
  /**
   * Peak measured by micro-benchmarks, on the GPU of the runs or on a different GPU of the same
   * model.
   */
  readonly measured?: Figure;
  readonly used: boolean;
  /**
   * Ridge point for each memory level: the arithmetic intensity (FLOP/B) below which memory is the
   * limit.
   */
  readonly ridges: Ridges;
  /** Ridge points from measured peak and bandwidths; absent if the unit was not measured. */
  readonly measuredRidges?: Ridges;
}

type Ridges = Readonly<Partial<Record<LevelWithCeiling, Figure>>>;

export interface CeilingAt {
  readonly milliseconds: Figure;
  readonly ridge: Figure;
  readonly roof: Figure;
  readonly bound: 'compute' | 'memory';
  readonly reached: Reached;
}

/** Ceiling of a memory level. The `CeilingAt` fields are absent if the bandwidth is unknown. */
export interface LevelCeiling extends Partial<CeilingAt> {
  readonly level: LevelWithCeiling;
  readonly bytes: Figure;
  readonly intensity: Figure;
  /** Published and measured bandwidths; the first determines the ceiling. Empty if unknown. */
  readonly bandwidths: readonly Bandwidth[];
  /**
   * Ceiling from the measured bandwidth and the compute peak, which is the measured peak if known.
   */
  readonly measured?: CeilingAt & { readonly bandwidth: Bandwidth };
  /**
   * Set if the ceiling is not a bound. The analysis counts loads of less than 16 bytes per lane
   * separately, but the compiler may join them, so the kernel may exceed this ceiling.
   */
  readonly asWritten?: true;
  /**
   * L2 only: set if ceiling, bytes and bandwidth refer to tiles that arrive at the SMs
   * (`UsedUnit.arriving`).
   */
  readonly arriving?: true;
}

/**
 * Fraction of a ceiling that the kernel reaches, which may exceed 1; null without a predicted or
 * measured rate.
 */
export interface Reached {
  readonly predicted: number | null;
  readonly measured: number | null;
}

export interface LevelRoofline {
  readonly machine: string;
  readonly units: readonly ComputeUnit[];
  readonly levels: readonly LevelCeiling[];
  /** Lowest memory ceiling that is a bound, or the compute peak. */
  readonly attainable: Figure;
  readonly limitedBy: LevelWithCeiling | 'compute';
  readonly reached: Reached;
}

export interface AnalyzedRoofline extends Pick<AnalyzedAccesses, 'sharedMemory'> {
  readonly prediction: PredictionReport | null;
  readonly roofline: Roofline;
}

export const rooflineOfLevels = (
  kernel: Kernel,
  device: Device,
  analysis: AnalyzedRoofline & AnalyzedAccesses,
): LevelRoofline | null =>
  levelRoofline(
    kernel.spec.problem,
    memoryLevels(kernel, analysis, device).levels,
    device,
    analysis,
    unitOf(kernel.plan, device),
  );

export interface UsedUnit {
  readonly unit: ComputeUnit['unit'];
  readonly emulation?: Fp32Emulation;
  /**
   * Bandwidth at which `wgmma` tiles arrive at the SMs. It replaces the L2 bandwidths, which do not
   * include lines that one L2 read delivers to several SMs.
   */
  readonly arriving?: Bandwidth;
}

const ARRIVING_ON: DeviceId = 'h200';
const ARRIVING: Bandwidth = {
  GBps: WARP_GROUPS.arrivingGBps,
  from: 'measured',
  origin:
    'highest rate at which tiles arrived at all SMs of an H200 in any benchmarked kernel; simultaneous requests of neighboring blocks read an L2 line once (bench/h200-wgmma.jsonl)',
};

/**
 * The tile arrival rate was measured on one device only; on other devices the L2 bandwidth applies.
 */
export function unitOf(plan: Plan, device: Device): UsedUnit {
  const emulation = fp32EmulationOf(plan.spec.schedule);
  const unit = usesMatrixUnits(plan) ? 'tensor' : 'fma';
  return {
    unit,
    ...(emulation === undefined ? {} : { emulation }),
    ...(plan.family !== 'wgmma' || device.id !== ARRIVING_ON ? {} : { arriving: ARRIVING }),
  };
}

const FMA_LANES: UsedUnit = { unit: 'fma' };

/**
 * Computes the level roofline from the bytes of each memory level. Returns null if the compute peak
 * is unknown or the source roofline belongs to a different machine.
 */
export function levelRoofline(
  problem: ResolvedProblem,
  memory: readonly MemoryLevel[],
  device: Device,
  { prediction, roofline, sharedMemory }: AnalyzedRoofline,
  uses: UsedUnit = FMA_LANES,
): LevelRoofline | null {
  // Peaks and bandwidths belong to the device and must not be combined with ceilings of a different
  // machine.
  if (!isOfDevice(roofline, device)) return null;
  const { ceilings } = roofline;
  const bandwidths = knownBandwidths(device, ceilings, uses);
  const units = computeUnits(problem, device, ceilings, uses);
  const used = units.find(unit => unit.used);
  if (used === undefined) return null;
  const peak = used.peak.value;
  const newest = roofline.points.findLast(({ kind }) => kind === 'measured');
  const of = (roof: number): Reached => ({
    predicted: prediction === null ? null : prediction.tflops.value / roof,
    measured: newest === undefined ? null : newest.tflops / roof,
  });
  const isJoined = sharedMemory.some(access => access.op === 'load' && isAsWritten(access));
  const levels = memory.flatMap(({ level, arriving, ...counted }): readonly LevelCeiling[] => {
    if (level === 'registers') return [];
    const { bytes, intensity } = arriving ?? counted;
    const [first] = bandwidths[level];
    const asWritten = level === 'shared' && isJoined;
    const base = {
      level,
      bytes,
      intensity,
      bandwidths: bandwidths[level],
      ...(asWritten ? { asWritten } : {}),
      ...(arriving === undefined ? {} : { arriving: true as const }),
    };
    if (first === undefined) return [base];
    const under = ({ GBps }: Bandwidth, unitPeak: number): CeilingAt => {
      const allowed = (intensity.value * GBps) / 1000;
      const roof = Math.min(unitPeak, allowed);
      return {
        milliseconds: figure(bytes.value / GBps / 1e6, 'ms', 'derived'),
        ridge: figure((unitPeak * 1000) / GBps, 'FLOP/B', 'derived'),
        roof: figure(roof, 'TFLOP/s', 'derived'),
        bound: allowed < unitPeak ? 'memory' : 'compute',
        reached: of(roof),
      };
    };
    const bandwidth = bandwidths[level].slice(1).find(isMeasured);
    const measured =
      bandwidth === undefined
        ? {}
        : { measured: { bandwidth, ...under(bandwidth, used.measured?.value ?? peak) } };
    return [{ ...base, ...under(first, peak), ...measured }];
  });
  const [lowest] = levels
    .filter(({ bound, asWritten }) => bound === 'memory' && asWritten !== true)
    .toSorted((one, other) => (one.roof?.value ?? Infinity) - (other.roof?.value ?? Infinity));
  const attainable = lowest?.roof?.value ?? peak;
  return {
    machine: device.name,
    units,
    levels,
    limitedBy: lowest?.level ?? 'compute',
    reached: of(attainable),
    attainable: figure(attainable, 'TFLOP/s', 'derived'),
  };
}

/** Measured ceilings may have a machine name instead of the device name. */
const isOfDevice = ({ machine, ceilings }: Roofline, { name }: Device): boolean =>
  machine === name && ceilings.every(one => isMeasured(one) || one.machine === name);

const isMeasured = ({ from }: Pick<Bandwidth, 'from'>): boolean => from === 'measured';

/**
 * Returns the bandwidths of the device. Bandwidths measured on the GPU of the runs replace those
 * measured on a different GPU of the same model. `arriving` replaces the L2 bandwidths.
 */
function knownBandwidths(
  device: Device,
  ceilings: readonly Ceiling[],
  { arriving }: UsedUnit,
): ReturnType<typeof bandwidthsOf> {
  const known = bandwidthsOf(device);
  const withOwn = (level: 'shared' | 'l2' | 'dram'): readonly Bandwidth[] => {
    const own = measuredOf(ceilings, 'memory', level === 'dram' ? undefined : level);
    if (own === undefined || own.machine === device.name) return known[level];
    const { value, machine } = own;
    const [first, ...others] = known[level];
    return [
      ...(first === undefined ? [] : [first]),
      ...others.filter(other => !isMeasured(other)),
      { GBps: value, from: 'measured', origin: `on this GPU (${machine})` },
    ];
  };
  const l2 = arriving === undefined ? withOwn('l2') : [arriving];
  return { ...known, shared: withOwn('shared'), l2, dram: withOwn('dram') };
}

/**
 * Returns the highest measured ceiling, because a unit may be measured with several instructions.
 * Returns undefined if there is none.
 */
const measuredOf = (
  ceilings: readonly Ceiling[],
  kind: Ceiling['kind'],
  of: Ceiling['of'],
): Ceiling | undefined =>
  ceilings
    .filter(ceiling => ceiling.kind === kind && isMeasured(ceiling) && ceiling.of === of)
    .toSorted((one, other) => other.value - one.value)[0];

/** Returns the FMA lanes and the tensor cores. A unit is absent if its peak is unknown. */
export function computeUnits(
  { a, b, accumulator }: ResolvedProblem,
  device: Device,
  ceilings: readonly Ceiling[] = [],
  uses: UsedUnit = FMA_LANES,
): readonly ComputeUnit[] {
  const { emulation } = uses;
  const bandwidths = knownBandwidths(device, ceilings, uses);
  const unit = (
    name: ComputeUnit['unit'],
    dtype: string,
    key: PeakKey | undefined,
    products = 1,
  ): readonly ComputeUnit[] => {
    const ofKey = (peaks: Device['peakTflops'] = {}): number | undefined => {
      const value = key === undefined ? undefined : peaks[key];
      return value === undefined ? undefined : value / products;
    };
    const peak = ofKey(device.peakTflops);
    if (peak === undefined) return [];
    const own = measuredOf(ceilings, 'compute', name === 'tensor' ? 'tensor' : undefined);
    const reached = own?.value ?? ofKey(device.measured?.peakTflops);
    return [
      {
        unit: name,
        dtype,
        used: name === uses.unit,
        peak: figure(peak, 'TFLOP/s', peakFrom(products)),
        ridges: ridgesOf(peak, level => bandwidths[level][0]),
        ...(reached === undefined
          ? {}
          : {
              measured: figure(reached, 'TFLOP/s', 'measured'),
              measuredRidges: ridgesOf(reached, level => bandwidths[level].findLast(isMeasured)),
            }),
      },
    ];
  };
  const element = emulation?.dtype ?? (a.dtype === 'f32' ? 'tf32' : a.dtype);
  return [
    ...unit('fma', accumulator, PEAK_OF[accumulator]),
    // Matrix instructions require operands of the same kind, which have the same peak.
    ...(TENSOR_PEAK_OF[a.dtype] === TENSOR_PEAK_OF[b.dtype]
      ? unit('tensor', element, TENSOR_PEAK_OF[element], emulation?.products.length)
      : []),
  ];
}

const ridgesOf = (peak: number, of: (level: LevelWithCeiling) => Bandwidth | undefined): Ridges =>
  Object.fromEntries(
    LEVELS_WITH_CEILING.flatMap(level => {
      const bandwidth = of(level);
      return bandwidth === undefined
        ? []
        : [[level, figure((peak * 1000) / bandwidth.GBps, 'FLOP/B', 'derived')]];
    }),
  );
