/**
 * Notes that recommend tensor cores for kernels that do not use them, if tensor cores support their
 * element types.
 */
import { t } from '@vscode/l10n';
import { isDeviceId, type Device } from '../../hardware/devices';
import { short } from '../../text/numbers';
import { hasTensorCores } from '../../plan/instructions';
import type { Plan } from '../../plan/plan';
import { planIfLegal } from '../../plan/planner';
import { completeSchedule } from '../../defaults/byShape';
import type { Note } from '../../text/note';
import { TENSOR_PEAK_OF } from '../../hardware/peakKeys';

const ON_TENSOR_CORES = ['wgmma', 'mma'] as const;

/**
 * Returns a note that recommends tensor cores. Returns none for f32, because tensor cores round or
 * split f32 and the required accuracy is unknown.
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
