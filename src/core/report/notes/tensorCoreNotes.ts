/** That tensor cores multiply the types of a kernel that leaves them idle. */
import { t } from '@vscode/l10n';
import { isDeviceId, type Device } from '../../hardware/devices';
import { short } from '../../text/numbers';
import { hasTensorCores } from '../../plan/instructions';
import type { Plan } from '../../plan/plan';
import { planIfLegal } from '../../plan/planner';
import { completeSchedule } from '../../defaults/byShape';
import type { Note } from '../../text/note';
import { TENSOR_PEAK_OF } from '../../hardware/peakKeys';

/** The better one first. */
const ON_TENSOR_CORES = ['wgmma', 'mma'] as const;

/** Nothing for f32, which they would have to round or split: how exact C is, is nobody's choice but the reader's. */
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
        'Tensor cores of {0} multiply {1} at up to {2} TFLOP/s, and this kernel leaves them idle: schedule.algorithm {3} is legal here.',
        device.name,
        dtype,
        short(peak),
        algorithm,
      ),
    },
  ];
}
