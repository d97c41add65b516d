/** Selects the ceilings that apply to a kernel on a machine, and computes its roofline. */
import { matchDevice, type Device } from '../hardware/devices';
import { withAdapterCeilings } from '../measure/ceilings';
import type { Measurement } from '../measure/measurement';
import { fp32EmulationOf } from '../plan/fp32Emulation';
import type { Plan } from '../plan/plan';
import type { ResolvedProblem, ResolvedSchedule } from '../spec/resolved';
import type { Ceiling, Roofline } from './contract';
import { deviceCeilings, machineOf, measuredCeilings, onMatrixUnits, rooflineOf } from './roofline';
import { uncachedBytes } from '../plan/traffic';

export interface KernelOnRoofline {
  readonly problem: ResolvedProblem;
  /** Null for a kernel without a spec, which is assumed to use the FMA lanes. */
  readonly schedule: Pick<ResolvedSchedule, 'algorithm' | 'split'> | null;
  /** Bytes of global accesses without caches; null without a plan. */
  readonly uncachedBytes: number | null;
}

export const kernelOnRoofline = (
  problem: ResolvedProblem,
  plan: Plan | null,
): KernelOnRoofline => ({
  problem,
  schedule: plan?.spec.schedule ?? null,
  uncachedBytes: plan === null ? null : uncachedBytes(plan),
});

export interface MachineOnRoofline {
  readonly name: string;
  readonly device?: Device | undefined;
  /** Runs on this machine that may contain measured ceilings, oldest first. */
  readonly calibrations: readonly Measurement[];
  /** Runs of the kernel on this machine; timed runs become measured points. */
  readonly measurements: readonly Measurement[];
}

export const machineRoofline = (kernel: KernelOnRoofline, machine: MachineOnRoofline): Roofline =>
  rooflineOf({
    machine: machine.name,
    problem: kernel.problem,
    uncachedBytes: kernel.uncachedBytes,
    ceilings: ceilingsOf(kernel, machine),
    measurements: machine.measurements,
  });

function ceilingsOf(
  { problem, schedule }: KernelOnRoofline,
  { device, calibrations }: MachineOnRoofline,
): readonly Ceiling[] {
  const emulation = schedule === null ? undefined : fp32EmulationOf(schedule);
  const isOnMatrixUnits = schedule?.algorithm === 'mma' || schedule?.algorithm === 'wgmma';
  const bounding = (ceilings: readonly Ceiling[], of?: Device): readonly Ceiling[] =>
    isOnMatrixUnits ? onMatrixUnits(ceilings, problem, of, emulation) : ceilings;
  const carrier = ceilingCarrier(calibrations);
  const measured = bounding(
    carrier === undefined ? [] : measuredCeilings(carrier, problem, emulation),
  );
  if (device === undefined) return measured;
  // A measurement on this GPU replaces a measurement on a different GPU of the same model.
  const isMeasuredHere = ({ kind, from }: Ceiling): boolean =>
    from === 'measured' &&
    measured.some(ceiling => ceiling.kind === kind && ceiling.of === undefined);
  const published = bounding(deviceCeilings(device, problem.accumulator), device);
  return [...published.filter(one => !isMeasuredHere(one)), ...measured];
}

/**
 * Returns the newest run with ceilings by level and unit, otherwise the newest run with any
 * ceiling. Returns undefined if no run has ceilings.
 */
function ceilingCarrier(runs: readonly Measurement[]): Measurement | undefined {
  const withCeilings = withAdapterCeilings(runs);
  return (
    withCeilings.findLast(({ ceilings }) => ceilings?.list !== undefined) ??
    withCeilings.findLast(({ ceilings }) => ceilings !== undefined)
  );
}

export function rooflines(
  kernel: KernelOnRoofline,
  device: Device,
  measurements: readonly Measurement[],
  calibrations: readonly Measurement[] = [],
): { readonly roofline: Roofline; readonly machineRooflines: readonly Roofline[] } {
  const isHere = (run: Measurement): boolean =>
    [run.device.name, run.device.adapter].some(name => matchDevice(name) === device.id);
  const own = measurements.filter(isHere);
  const timedElsewhere = measurements.filter(run => run.timing !== undefined && !isHere(run));
  return {
    roofline: machineRoofline(kernel, {
      name: device.name,
      device,
      calibrations: [...calibrations.filter(isHere), ...own],
      measurements: own,
    }),
    machineRooflines: [...new Set(timedElsewhere.map(machineOf))].map(name => {
      const runs = timedElsewhere.filter(run => machineOf(run) === name);
      return machineRoofline(kernel, { name, calibrations: runs, measurements: runs });
    }),
  };
}
