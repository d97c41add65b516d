/** Facts derived from a stored run: kernel, fraction of the roofline, and occupancy. */
import { deviceOf, matchDevice } from '../../core/hardware/devices';
import { analyze } from '../../core/report/analyze';
import type { OccupancyReport } from '../../core/occupancy/report';
import { machineRoofline } from '../../core/roofline/machineRoofline';
import { machineOf } from '../../core/roofline/roofline';
import { emit } from '../../core/kernel/emit';
import type { Kernel } from '../../core/kernel/kernel';
import { sourceHashOf } from '../../core/text/hash';
import type { Measurement } from '../../core/measure/measurement';
import { plan } from '../../core/plan/planner';
import type { Target } from '../../core/spec/schema';

const kernels = new WeakMap<Measurement, Kernel | null>();

/**
 * Returns the kernel of a run, generated again from its spec. Returns null if the run has no spec,
 * or if the generated source differs from the source of the run.
 */
export function kernelOfRun(run: Measurement): Kernel | null {
  const known = kernels.get(run);
  if (known !== undefined) return known;
  const kernel = regenerate(run);
  kernels.set(run, kernel);
  return kernel;
}

function regenerate({ resolved, backend, sourceHash }: Measurement): Kernel | null {
  if (resolved === null) return null;
  for (const target of targetsOf(backend)) {
    const planned = plan(resolved, target);
    if (!planned.ok) continue;
    const kernel = emit(planned.plan);
    if (sourceHashOf(kernel) === sourceHash) return kernel;
  }
  return null;
}

const targetsOf = (backend: Measurement['backend']): readonly Target[] =>
  backend === 'webgpu' ? ['wgsl'] : backend === 'simulate' ? ['cuda', 'wgsl'] : ['cuda'];

/**
 * Returns the measured rate divided by the roofline of the machine; undefined if the run has no
 * time or no spec, or if no ceiling is known.
 */
export function rooflineFraction(run: Measurement): number | undefined {
  const { timing, resolved, device } = run;
  if (timing === undefined || resolved === null) return undefined;
  const { problem, schedule } = resolved;
  const id = matchDevice(device.name) ?? matchDevice(device.adapter);
  const { attainable } = machineRoofline(
    { problem, schedule, uncachedBytes: null },
    {
      name: machineOf(run),
      device: id === undefined ? undefined : deviceOf(id),
      calibrations: [run],
      measurements: [],
    },
  );
  const fraction = timing.gflops / 1000 / attainable.value;
  return Number.isFinite(fraction) ? fraction : undefined;
}

/**
 * Returns the occupancy of the kernel on the device of the run, with the compiled register count if
 * available. Returns null for Simulate, and if the kernel or the device is unknown.
 */
export function occupancyOfRun(run: Measurement): OccupancyReport | null {
  const kernel = kernelOfRun(run);
  if (kernel === null || run.backend === 'simulate') return null;
  // A GPU that is not in the device table has no occupancy model, even if the spec names a device.
  const device = matchDevice(run.device.name) ?? matchDevice(run.device.adapter);
  if (device === undefined) return null;
  const { resources } = run;
  return analyze(kernel, { device, ...(resources === undefined ? {} : { resources }) }).occupancy;
}
