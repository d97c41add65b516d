/** The roofline (Williams, Waterman, Patterson, CACM 52(4), 2009): ceilings of a machine, and points under them. */
import type { Device } from '../device/devices';
import type { PeakKey } from '../device/deviceSpec';
import type { Measurement } from '../measure/measurement';
import { flops } from '../measure/statistics';
import type { DType } from '../spec/dtype';
import type { ResolvedProblem } from '../spec/resolved';
import { figure, type Ceiling, type Roofline, type RooflinePoint } from './analysis';
import { compulsoryBytes, problemBytes } from './traffic';

export const PEAK_OF: Readonly<Partial<Record<DType, PeakKey>>> = {
  ...{ f32: 'f32', f64: 'f64', f16: 'f16', s32: 's32' },
};

/** Datasheet ceilings of a device for sums of a type on its ordinary lanes, and what micro-benchmarks reached on such a device. */
export function deviceCeilings(device: Device, dtype: DType): readonly Ceiling[] {
  const key = PEAK_OF[dtype];
  const peak = key === undefined ? undefined : device.peakTflops[key];
  const reached = key === undefined ? undefined : device.measured?.peakTflops[key];
  const machine = device.name;
  const compute = (value: number, from: Ceiling['from'], name: string): Ceiling => ({
    ...{ name, kind: 'compute', value, unit: 'TFLOP/s', from, machine },
  });
  const memory = (value: number, from: Ceiling['from'], name: string): Ceiling => ({
    ...{ name, kind: 'memory', value, unit: 'GB/s', from, machine },
  });
  return [
    ...(peak === undefined ? [] : [compute(peak, 'spec', `${dtype} peak`)]),
    memory(device.memoryBandwidthGBps, 'spec', 'DRAM bandwidth'),
    ...(reached === undefined ? [] : [compute(reached, 'measured', `${dtype} FMA, measured`)]),
    ...(device.measured === undefined
      ? []
      : [memory(device.measured.memoryBandwidthGBps, 'measured', 'copy, measured')]),
  ];
}

/** Ceilings that a measurement carries: of its own machine and adapter. */
export function measuredCeilings(measurement: Measurement): readonly Ceiling[] {
  const { ceilings } = measurement;
  const machine = machineOf(measurement);
  if (ceilings === undefined) return [];
  const { gflops, bandwidthGBps } = ceilings;
  return [
    ...(gflops === undefined
      ? []
      : [
          {
            name: 'FMA, measured',
            kind: 'compute',
            value: gflops / 1000,
            unit: 'TFLOP/s',
            from: 'measured',
            machine,
          } as const,
        ]),
    ...(bandwidthGBps === undefined
      ? []
      : [
          {
            name: 'copy, measured',
            kind: 'memory',
            value: bandwidthGBps,
            unit: 'GB/s',
            from: 'measured',
            machine,
          } as const,
        ]),
  ];
}

export const machineOf = ({ device }: Measurement): string =>
  [device.name, device.where].filter(part => part !== '').join(', ');

export interface RooflineInput {
  readonly machine: string;
  readonly problem: ResolvedProblem;
  readonly ceilings: readonly Ceiling[];
  /** Bytes without caches; null where the text alone does not say. */
  readonly uncachedBytes: number | null;
  readonly measurements: readonly Measurement[];
}

/** The roofline of one machine for one problem. Ratios without a value are NaN. */
export function rooflineOf(input: RooflineInput): Roofline {
  const { machine, problem, ceilings } = input;
  const operations = flops(problem);
  const chosen = (kind: Ceiling['kind']): Ceiling | undefined => {
    const first = ceilings.find(ceiling => ceiling.kind === kind && ceiling.from === 'spec');
    return first ?? ceilings.find(ceiling => ceiling.kind === kind);
  };
  const [compute, memory] = [chosen('compute'), chosen('memory')];
  const from = compute?.from === 'measured' || memory?.from === 'measured' ? 'measured' : 'spec';
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
