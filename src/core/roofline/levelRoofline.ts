/**
 * The hierarchical roofline (C. Yang, T. Kurth, S. Williams, CCPE 32(20), 2020): every level of memory has a bandwidth,
 * and the kernel an intensity there, so each is a roof of its own; the lowest bounds the kernel. Computed when asked for.
 */
import { usesMatrixUnits } from '../plan/mma/matrix';
import {
  bandwidthsOf,
  ROOFED_LEVELS,
  type Bandwidth,
  type RoofedLevel,
} from '../hardware/bandwidth';
import type { PeakKey } from '../hardware/deviceSpec';
import type { Device, DeviceId } from '../hardware/devices';
import type { Kernel } from '../kernel/kernel';
import { isAsWritten } from '../memory/access';
import { WARP_GROUPS } from '../model/wgmma/wgmmaCalibration';
import { piecesOf } from '../plan/pieces';
import type { PiecesPlan, Plan } from '../plan/plan';
import type { ResolvedProblem } from '../spec/resolved';
import type { PredictionReport } from '../model/report';
import { memoryLevels, type AnalysedAccesses, type MemoryLevel } from '../memory/memoryLevels';
import { peakFrom } from './roofline';
import { PEAK_OF, TENSOR_PEAK_OF } from '../hardware/peakKeys';
import { figure, type Figure } from '../text/figure';
import type { Ceiling, Roofline } from './contract';

/** A pipe that multiplies and adds, and where its roof meets that of each level. */
export interface ComputeUnit {
  readonly unit: 'fma' | 'tensor';
  /** Type in which its operands are multiplied: f32 operands of tensor cores are rounded to tf32, or split. */
  readonly dtype: string;
  readonly peak: Figure;
  /** What micro-benchmarks reached: on the GPU of the runs, else on another one of its kind. */
  readonly measured?: Figure;
  /** Whether the kernel's instructions are of this unit. */
  readonly used: boolean;
  /** FLOP/B below which the level, not the unit, bounds. */
  readonly ridges: Ridges;
  /** The same of what was measured of both; absent where the unit was not measured. */
  readonly measuredRidges?: Ridges;
}

type Ridges = Readonly<Partial<Record<RoofedLevel, Figure>>>;

/** What a level of a bandwidth and a unit of a peak allow. */
export interface RoofAt {
  /** What moving the bytes takes alone. */
  readonly milliseconds: Figure;
  readonly ridge: Figure;
  readonly roof: Figure;
  readonly bound: 'compute' | 'memory';
  readonly reached: Reached;
}

/** Without a roof where the bandwidth is not known. */
export interface LevelRoof extends Partial<RoofAt> {
  readonly level: RoofedLevel;
  readonly bytes: Figure;
  readonly intensity: Figure;
  /** The first one is the roof; none where nothing is published or measured. */
  readonly bandwidths: readonly Bandwidth[];
  /** Beside the roof: what was measured of the level, and of the unit where that was. */
  readonly measured?: RoofAt & { readonly bandwidth: Bandwidth };
  /**
   * The roof is that of the text and no bound: it loads less than 16 bytes a lane from shared memory, of which the compiler
   * may join more than the analysis does (a row of odd length: measured 1.25x).
   */
  readonly asWritten?: true;
  /** Of L2: the roof, its bytes and its bandwidth are of tiles that arrive at multiprocessors (`UsedUnit.arriving`). */
  readonly arriving?: true;
}

/** Of a roof, 0..1; null where there is no such rate. */
export interface Reached {
  readonly predicted: number | null;
  readonly measured: number | null;
}

export interface LevelRoofline {
  /** That every number here is of: the device, whose roofline it was made from. */
  readonly machine: string;
  readonly units: readonly ComputeUnit[];
  readonly levels: readonly LevelRoof[];
  /** The lowest of all roofs that are bounds. */
  readonly attainable: Figure;
  readonly limitedBy: RoofedLevel | 'compute';
  readonly reached: Reached;
}

/** The part of an analysis that the roofs of levels are made from. */
export interface AnalysedRoofline extends Pick<AnalysedAccesses, 'sharedMemory'> {
  readonly prediction: PredictionReport | null;
  readonly roofline: Roofline;
}

/** Of an analysed kernel; null where no peak of the element type is known, and beside a roofline of another machine. */
export const rooflineOfLevels = (
  kernel: Kernel,
  device: Device,
  analysis: AnalysedRoofline & AnalysedAccesses,
): LevelRoofline | null =>
  levelRoofline(
    kernel.spec.problem,
    memoryLevels(kernel, analysis, device).levels,
    device,
    analysis,
    unitOf(kernel.plan, device),
  );

/** The unit that a kernel multiplies on, and what it multiplies there. */
export interface UsedUnit {
  readonly unit: ComputeUnit['unit'];
  /** Of f32. */
  readonly pieces?: PiecesPlan;
  /** At which its tiles arrive, where they do as those of `wgmma`: in place of the L2 cache's for lines that nobody shares. */
  readonly arriving?: Bandwidth;
}

const ARRIVING_ON: DeviceId = 'h200';
const ARRIVING: Bandwidth = {
  GBps: WARP_GROUPS.arrivingGBps,
  from: 'measured',
  origin:
    'tiles at all multiprocessors of an H200 together, the most of any kernel raced: lines that neighbours ask for at about the same time leave the L2 once (bench/h200-wgmma.jsonl)',
};

/** Of other devices nobody has measured how tiles arrive: their lines come at the rate of their own L2 cache. */
export function unitOf(plan: Plan, device: Device): UsedUnit {
  const pieces = piecesOf(plan.spec.schedule);
  const unit = usesMatrixUnits(plan) ? 'tensor' : 'fma';
  return {
    unit,
    ...(pieces === undefined ? {} : { pieces }),
    ...(plan.family !== 'wgmma' || device.id !== ARRIVING_ON ? {} : { arriving: ARRIVING }),
  };
}

const ON_LANES: UsedUnit = { unit: 'fma' };

/** The same with the traffic given. */
export function levelRoofline(
  problem: ResolvedProblem,
  memory: readonly MemoryLevel[],
  device: Device,
  { prediction, roofline, sharedMemory }: AnalysedRoofline,
  uses: UsedUnit = ON_LANES,
): LevelRoofline | null {
  // Peaks and bandwidths are the device's: the ceilings of another machine do not stand beside them.
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
  const levels = memory.flatMap(({ level, arriving, ...counted }): readonly LevelRoof[] => {
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
    const under = ({ GBps }: Bandwidth, unitPeak: number): RoofAt => {
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

/** Datasheet ceilings name their device; what was measured on such a device has the name of a machine. */
const isOfDevice = ({ machine, ceilings }: Roofline, { name }: Device): boolean =>
  machine === name && ceilings.every(one => isMeasured(one) || one.machine === name);

const isMeasured = ({ from }: Pick<Bandwidth, 'from'>): boolean => from === 'measured';

/** The device's, and behind them what a run's own GPU was measured to move. */
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

/** The highest: a unit may have been measured by several instructions. */
const measuredOf = (
  ceilings: readonly Ceiling[],
  kind: Ceiling['kind'],
  of: Ceiling['of'],
): Ceiling | undefined =>
  ceilings
    .filter(ceiling => ceiling.kind === kind && isMeasured(ceiling) && ceiling.of === of)
    .toSorted((one, other) => other.value - one.value)[0];

/** The unit that the kernel uses first, then the tensor cores of its operands' type. */
export function computeUnits(
  { a, b, accumulator }: ResolvedProblem,
  device: Device,
  ceilings: readonly Ceiling[] = [],
  uses: UsedUnit = ON_LANES,
): readonly ComputeUnit[] {
  const { pieces } = uses;
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
  const element = pieces?.dtype ?? (a.dtype === 'f32' ? 'tf32' : a.dtype);
  return [
    ...unit('fma', accumulator, PEAK_OF[accumulator]),
    // Matrix units multiply operands of one kind.
    ...(TENSOR_PEAK_OF[a.dtype] === TENSOR_PEAK_OF[b.dtype]
      ? unit('tensor', element, TENSOR_PEAK_OF[element], pieces?.products.length)
      : []),
  ];
}

const ridgesOf = (peak: number, of: (level: RoofedLevel) => Bandwidth | undefined): Ridges =>
  Object.fromEntries(
    ROOFED_LEVELS.flatMap(level => {
      const bandwidth = of(level);
      return bandwidth === undefined
        ? []
        : [[level, figure((peak * 1000) / bandwidth.GBps, 'FLOP/B', 'derived')]];
    }),
  );
