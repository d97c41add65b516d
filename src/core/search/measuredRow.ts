/** Converts a measurement to a dispatch row, for adopting a result and for building tables. */
import { occupancy } from '../occupancy/occupancy';
import { findDevice } from '../hardware/devices';
import type { Measurement } from '../measure/measurement';
import { planIfLegal } from '../plan/planner';
import type { ResolvedSpec } from '../spec/resolved';
import { familyOf } from '../defaults/dispatch/adapterFamily';
import { layoutsOf, shapeOf, typesOf, type DispatchRow } from '../defaults/dispatch/row';

/**
 * `record` is the file of the measurement. Returns null if the measurement has no time or no
 * resolved spec.
 */
export function rowOfMeasurement(
  result: Measurement,
  { record, compiler, commit }: Pick<DispatchRow['source'], 'record' | 'compiler' | 'commit'>,
): DispatchRow | null {
  const { resolved, timing, device, backend, resources, baselines = [] } = result;
  if (resolved === null || timing === undefined) return null;
  const { problem, schedule } = resolved;
  const target = backend === 'webgpu' ? 'wgsl' : 'cuda';
  const computeCapability = findDevice(resolved.device)?.computeCapability;
  const [library] = [...baselines].sort((one, other) => other.gflops - one.gflops);
  const blocksPerSm =
    target === 'cuda' && resources !== undefined ? residentBlocks(resolved, resources) : undefined;
  const { clocks } = timing;
  const family = target === 'wgsl' ? familyOf(device.adapter) : undefined;
  return {
    device: resolved.device,
    ...(family === undefined ? {} : { family }),
    ...(computeCapability === undefined ? {} : { computeCapability }),
    target,
    types: typesOf(problem),
    layouts: layoutsOf(problem),
    shape: shapeOf(problem),
    schedule,
    ...(blocksPerSm === undefined ? {} : { blocksPerSm }),
    gflops: timing.gflops,
    errorPercent: timing.errorPercent,
    ...(library === undefined ? {} : { baseline: { name: library.name, gflops: library.gflops } }),
    source: {
      record,
      driver: device.driver,
      ...(compiler === undefined ? {} : { compiler }),
      ...(clocks === undefined ? {} : { clocks: `${Math.round(clocks.smMHz)} MHz` }),
      ...(commit === undefined ? {} : { commit }),
    },
  };
}

/**
 * Computes the resident blocks per SM from the compiled kernel's registers and shared memory;
 * undefined if the kernel is not legal or does not fit on an SM, or if the device is unknown.
 */
export function residentBlocks(
  spec: ResolvedSpec,
  {
    registers,
    sharedBytes,
  }: Pick<NonNullable<Measurement['resources']>, 'registers' | 'sharedBytes'>,
): number | undefined {
  const plan = planIfLegal(spec, 'cuda');
  const computeCapability = findDevice(spec.device)?.computeCapability;
  if (plan === null || computeCapability === undefined) return undefined;
  const resident = occupancy({
    computeCapability,
    threadsPerBlock: plan.threads,
    registersPerThread: registers,
    sharedBytesPerBlock: sharedBytes,
  });
  return resident.ok && resident.occupancy.blocksPerSm > 0
    ? resident.occupancy.blocksPerSm
    : undefined;
}
