/** Advises tensor cores if they support the element types of a kernel that does not use them. */
import { t } from '@vscode/l10n';
import { isDeviceId, type Device } from '../../hardware/devices';
import { short } from '../../text/numbers';
import { hasTensorCores } from '../../plan/instructions';
import type { Plan } from '../../plan/plan';
import { planIfLegal } from '../../plan/planner';
import { completeSchedule } from '../../defaults/byShape';
import type { Note } from '../../text/note';
import { TENSOR_PEAK_OF } from '../../hardware/peakKeys';

/** In order of preference. */
const ON_TENSOR_CORES = ['wgmma', 'mma'] as const;

/**
 * Returns no note for f32: tensor cores round or split it, and the accuracy of C is the user's
 * decision.
 */
export function tensorCoreNotes(plan: Plan | null, device: Device): readonly Note[] {
  if (plan?.target !== 'cuda' || plan.family !== 'simt') return [];
  const { spec } = plan;
  const { dtype } = spec.problem.a;
  if (dtype === 'f32' || !isDeviceId(device.id)) return [];
  const key = TENSOR_PEAK_OF[dtype];
  const peak = key === undefined ? undefined : device.peakTflops[key];
  const on = { ...spec, device: device.id };
  if (peak === undefined || !hasTensorCores(on)) return [];
  const algorithm = ON_TENSOR_CORES.find(name => {
    const schedule = completeSchedule({ algorithm: name }, spec.problem, {
      device: device.id,
      targets: ['cuda'],
    });
    return planIfLegal({ ...on, schedule, targets: ['cuda'] }, 'cuda') !== null;
  });
  if (algorithm === undefined) return [];
  return [
    {
      level: 'advice',
      text: t(
        'This kernel does not use the tensor cores of {0} (up to {2} TFLOP/s for {1}). Set schedule.algorithm to {3}.',
        device.name,
        dtype,
        short(peak),
        algorithm,
      ),
    },
  ];
}
