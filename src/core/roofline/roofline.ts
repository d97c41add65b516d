/**
 * Computes the roofline (Williams, Waterman, Patterson, CACM 52(4), 2009): ceilings of a machine,
 * and points of a kernel.
 */
import type { Device } from '../hardware/devices';
import { teraInterval } from '../measure/intervals';
import type { MeasuredCeilings, Measurement } from '../measure/measurement';
import type { DType } from '../types/dtype';
import { type ResolvedProblem, flops } from '../spec/resolved';
import type { Fp32Emulation } from '../plan/plan';
import type { Ceiling, Roofline, RooflinePoint } from './contract';
import { compulsoryBytes, problemBytes } from '../plan/traffic';
import { PEAK_OF, TENSOR_PEAK_OF } from '../hardware/peakKeys';
import { figure } from '../text/figure';

/**
 * Returns the datasheet ceilings for FMAs with a given accumulator type, and the micro-benchmark
 * results of the GPU model.
 */
export function deviceCeilings(device: Device, dtype: DType): readonly Ceiling[] {
  const key = PEAK_OF[dtype];
  const peak = key === undefined ? undefined : device.peakTflops[key];
  const reached = key === undefined ? undefined : device.measured?.peakTflops[key];
  const machine = device.name;
  const compute = (value: number, from: Ceiling['from'], name: string): Ceiling => ({
    name,
    kind: 'compute',
    value,
    unit: 'TFLOP/s',
    from,
    machine,
  });
  const memory = (value: number, from: Ceiling['from'], name: string): Ceiling => ({
    name,
    kind: 'memory',
    value,
    unit: 'GB/s',
    from,
    machine,
  });
  return [
    ...(peak === undefined ? [] : [compute(peak, 'spec', `${dtype} peak`)]),
    memory(device.memoryBandwidthGBps, 'spec', 'DRAM bandwidth'),
    ...(reached === undefined
      ? []
      : [compute(reached, 'measured', `${dtype} FMA, measured on this GPU model`)]),
    ...(device.measured === undefined
      ? []
      : [
          memory(
            device.measured.memoryBandwidthGBps,
            'measured',
            'copy, measured on this GPU model',
          ),
        ]),
  ];
}

/**
 * Replaces the FMA peaks with the datasheet peak of the matrix units, divided by the number of
 * split products. No peak is added if it is unknown, or for f32 operands without emulation.
 */
export const onMatrixUnits = (
  ceilings: readonly Ceiling[],
  { a }: ResolvedProblem,
  device?: Device,
  emulation?: Fp32Emulation,
): readonly Ceiling[] => [
  ...(device === undefined || (a.dtype === 'f32' && emulation === undefined)
    ? []
    : tensorPeak(device, emulation?.dtype ?? a.dtype, emulation?.products.length ?? 1)),
  ...ceilings.filter(({ kind, of }) => kind !== 'compute' || of !== undefined),
];

const shareText = (products: number): string =>
  products === 1 ? '' : `, ${products} MMAs per f32 MMA`;

export const peakFrom = (products: number): 'spec' | 'derived' =>
  products === 1 ? 'spec' : 'derived';

function tensorPeak(device: Device, dtype: DType, products: number): readonly Ceiling[] {
  const key = TENSOR_PEAK_OF[dtype];
  const value = key === undefined ? undefined : device.peakTflops[key];
  if (value === undefined) return [];
  const name = `${dtype} tensor-core peak${shareText(products)}`;
  return [
    {
      name,
      kind: 'compute',
      value: value / products,
      unit: 'TFLOP/s',
      from: peakFrom(products),
      machine: device.name,
    },
  ];
}

/**
 * Returns the ceilings of a measurement: first FMA and DRAM, then L2, shared memory, and matrix
 * units for the operand type.
 */
export function measuredCeilings(
  measurement: Measurement,
  problem: ResolvedProblem,
  emulation?: Fp32Emulation,
): readonly Ceiling[] {
  const { ceilings } = measurement;
  if (ceilings === undefined) return [];
  const machine = machineOf(measurement);
  const { gflops, bandwidthGBps, list = [] } = ceilings;
  const ceiling = (name: string, kind: Ceiling['kind'], value: number): Ceiling => ({
    name: `${name}, measured on this GPU`,
    kind,
    from: 'measured',
    machine,
    ...(kind === 'compute' ? { value: value / 1000, unit: 'TFLOP/s' } : { value, unit: 'GB/s' }),
  });
  const level = (of: 'l2' | 'shared', name: string): readonly Ceiling[] =>
    list
      .filter(({ id }) => id === of)
      .map(({ value }) => ({ ...ceiling(name, 'memory', value), of }));
  return [
    ...(gflops === undefined ? [] : [ceiling('FMA', 'compute', gflops)]),
    ...(bandwidthGBps === undefined ? [] : [ceiling('copy', 'memory', bandwidthGBps)]),
    ...level('l2', 'L2 reads'),
    ...level('shared', 'shared memory reads'),
    ...tensorRates(list, problem, emulation).map(({ name, gflops: rate }): Ceiling => ({
      ...ceiling(name, 'compute', rate),
      of: 'tensor',
    })),
  ];
}

/**
 * Returns the measured rates of matrix instructions for the operand type, divided by the number of
 * split products. The operands must be of the same kind.
 */
function tensorRates(
  list: NonNullable<MeasuredCeilings['list']>,
  { a, b }: ResolvedProblem,
  emulation: Fp32Emulation | undefined,
): readonly { readonly name: string; readonly gflops: number }[] {
  const key = TENSOR_PEAK_OF[emulation?.dtype ?? a.dtype];
  const products = emulation?.products.length ?? 1;
  if (key === undefined || TENSOR_PEAK_OF[a.dtype] !== TENSOR_PEAK_OF[b.dtype]) return [];
  return list.flatMap(({ id, value }) => {
    const [instruction, operands] = id.split('.');
    const isOfType = `${operands ?? ''}-tensor` === key;
    return isOfType && (instruction === 'mma' || instruction === 'wgmma')
      ? [
          {
            name: `${operands ?? ''} ${instruction}${shareText(products)}`,
            gflops: value / products,
          },
        ]
      : [];
  });
}

/**
 * Returns the ceiling that determines `attainable`: a datasheet or derived ceiling if available,
 * otherwise a measured ceiling; undefined if there is none.
 */
export const mainCeiling = (
  ceilings: readonly Ceiling[],
  kind: Ceiling['kind'],
): Ceiling | undefined => {
  const main = ceilings.filter(ceiling => ceiling.kind === kind && ceiling.of === undefined);
  return main.find(({ from }) => from !== 'measured') ?? main[0];
};

export const machineOf = ({ device }: Measurement): string =>
  [device.name, device.where].filter(part => part !== '').join(', ');

/** Removes ceilings. `hidden` lists values of `Ceiling.of`. */
export const withoutHidden = (roofline: Roofline, hidden: readonly string[]): Roofline => ({
  ...roofline,
  ceilings: roofline.ceilings.filter(({ of }) => of === undefined || !hidden.includes(of)),
});

export interface RooflineInput {
  readonly machine: string;
  readonly problem: ResolvedProblem;
  readonly ceilings: readonly Ceiling[];
  /** Bytes of global accesses without caches; null if unknown. */
  readonly uncachedBytes: number | null;
  readonly measurements: readonly Measurement[];
}

/** Ratios that cannot be computed are NaN. */
export function rooflineOf(input: RooflineInput): Roofline {
  const { machine, problem, ceilings } = input;
  const operations = flops(problem);
  const [compute, memory] = [mainCeiling(ceilings, 'compute'), mainCeiling(ceilings, 'memory')];
  const origins = [compute?.from, memory?.from];
  const from = (['measured', 'derived'] as const).find(one => origins.includes(one)) ?? 'spec';
  const intensity = operations / compulsoryBytes(problem);
  const reach = (x: number): number =>
    Math.min(compute?.value ?? NaN, memory === undefined ? NaN : (x * memory.value) / 1000);
  const attainable = reach(intensity);
  const deviceRatio = compute && memory ? (compute.value * 1000) / memory.value : NaN;
  const kernelRatio = input.uncachedBytes === null ? NaN : operations / input.uncachedBytes;
  return {
    machine,
    deviceRatio: figure(deviceRatio, 'FLOP/B', from),
    problemRatio: figure(operations / problemBytes(problem), 'FLOP/B', 'derived'),
    kernelRatio: figure(kernelRatio, 'FLOP/B', 'derived'),
    bound: Number.isNaN(deviceRatio) ? 'unknown' : intensity >= deviceRatio ? 'compute' : 'memory',
    attainable: figure(attainable, 'TFLOP/s', 'derived'),
    ceilings,
    points: [
      ...(Number.isFinite(attainable)
        ? [point('attainable', 'attainable', intensity, attainable, 'derived', machine)]
        : []),
      ...(Number.isFinite(kernelRatio) && Number.isFinite(reach(kernelRatio))
        ? [
            point(
              'without-caches',
              'without caches',
              kernelRatio,
              reach(kernelRatio),
              'derived',
              machine,
            ),
          ]
        : []),
      ...input.measurements.flatMap(run => measuredPoint(run, intensity)),
    ],
  };
}

function measuredPoint(run: Measurement, intensity: number): readonly RooflinePoint[] {
  const { timing, specKey, at } = run;
  if (timing === undefined) return [];
  return [
    {
      ...point('measured', specKey, intensity, timing.gflops / 1000, 'measured', machineOf(run)),
      errorPercent: timing.errorPercent,
      ...teraInterval(timing),
      ...(at === undefined ? {} : { at }),
    },
  ];
}

const point = (
  kind: RooflinePoint['kind'],
  name: string,
  intensity: number,
  tflops: number,
  from: RooflinePoint['from'],
  machine: string,
): RooflinePoint => ({ kind, name, intensity, tflops, from, machine });
