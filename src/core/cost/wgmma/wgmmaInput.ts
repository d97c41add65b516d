/** Input of the `wgmma` time model for a planned kernel. */
import type { Device } from '../../hardware/devices';
import type { Plan } from '../../plan/plan';
import { isSpecialized } from '../../plan/wgmma/specialization';
import { warpGroupsOn } from './wgmmaCalibration';
import { warpGroupMachine, type WarpGroupInput } from './wgmmaModel';

/**
 * Returns the input of the `wgmma` model. Returns null for other kernels, for devices without the
 * required rates, and for kernels without warp specialization, which the fits do not include.
 */
export function warpGroupInput({
  plan,
  device,
}: {
  readonly plan: Plan;
  readonly device: Device;
}): WarpGroupInput | null {
  if (plan.family !== 'wgmma' || !isSpecialized(plan.wgmma)) return null;
  const machine = warpGroupMachine(device);
  const { calibration } = warpGroupsOn(device.id);
  return machine === null ? null : { plan, machine, calibration };
}
