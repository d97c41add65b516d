/** Determines whether WebGPU is available, without running a kernel. */
import type { Availability } from '../core/measure/backend';
import type { WebgpuLimits } from '../core/spec/resolved';
import { openAdapter } from './adapter';
import type { Environment } from './environment';
import { createGuard } from './guard';

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

/**
 * Returns the workgroup limits. The invocation limit also accounts for the limit along x, because
 * one-dimensional workgroups only use x.
 */
const workgroupLimits = (limits: GPUSupportedLimits): WebgpuLimits => ({
  invocations: Math.min(limits.maxComputeInvocationsPerWorkgroup, limits.maxComputeWorkgroupSizeX),
  workgroupStorageBytes: limits.maxComputeWorkgroupStorageSize,
});

const NEVER = {
  aborted: false,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
};
