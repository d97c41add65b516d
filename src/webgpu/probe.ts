/** Requests an adapter without running anything. */
import type { Availability } from '../core/measure/backend';
import type { WebgpuLimits } from '../core/spec/resolved';
import { openAdapter } from './adapter';
import type { Environment } from './environment';
import { createGuard } from './guard';

/** Returns whether there is an adapter, and which. */
export async function probeWebgpu(env: Environment): Promise<Availability> {
  const guard = createGuard(
    { ...env, visible: () => true, onHidden: () => () => undefined },
    NEVER,
  );
  const opened = await openAdapter(env, guard, 'first');
  guard.close();
  if (!opened.available) return opened;
  const { adapter, device } = opened;
  return { available: true, device, limits: workgroupLimits(adapter.limits) };
}

/** Returns the workgroup limits; the threads of a one-dimensional block are along x. */
const workgroupLimits = (limits: GPUSupportedLimits): WebgpuLimits => ({
  invocations: Math.min(limits.maxComputeInvocationsPerWorkgroup, limits.maxComputeWorkgroupSizeX),
  workgroupStorageBytes: limits.maxComputeWorkgroupStorageSize,
});

const NEVER = {
  aborted: false,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
};
