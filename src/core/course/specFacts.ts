/** Facts about a legal spec that goals of spec tasks and chapters use. */
import { deviceIds, isDeviceId, DEFAULT_DEVICE, type DeviceId } from '../hardware/devices';
import { emit } from '../kernel/emit';
import type { Kernel } from '../kernel/kernel';
import type { GlobalAccess, SharedAccess } from '../memory/access';
import type { Plan } from '../plan/plan';
import { planSpec } from '../defaults/check';
import type { Analysis } from '../report/analysis';
import { analyze } from '../report/analyze';
import type { GemmSpec, Target } from '../spec/schema';

export interface SpecFacts {
  readonly plan: Plan;
  readonly kernel: Kernel;
  readonly analysis: Analysis;
}

const deviceNamed = (device: string | undefined): DeviceId =>
  device !== undefined && isDeviceId(device) && deviceIds.includes(device)
    ? device
    : DEFAULT_DEVICE;

/** Plans, emits and analyzes a spec. Throws if the spec is not legal for the target. */
export function specFacts(spec: GemmSpec, target: Target = 'cuda'): SpecFacts {
  const planned = planSpec(spec, target);
  if (!planned.ok) throw new Error(planned.violations.map(({ message }) => message).join(' '));
  const kernel = emit(planned.plan);
  const analysis = analyze(kernel, { device: deviceNamed(spec.device) });
  return { plan: planned.plan, kernel, analysis };
}

type Operand = 'a' | 'b' | 'c';
type Op = 'load' | 'store';

/** Returns the first access of an operand in global memory. Throws if there is none. */
export function globalAccess({ analysis }: SpecFacts, operand: Operand, op: Op): GlobalAccess {
  const found = analysis.globalMemory.find(site => site.operand === operand && site.op === op);
  if (found === undefined) throw new Error(`No global ${op} of ${operand}`);
  return found;
}

/** Returns the accesses of shared memory with bank conflicts. */
export const conflicts = ({ analysis }: SpecFacts): readonly SharedAccess[] =>
  analysis.sharedMemory.filter(({ conflictsPerRequest }) => conflictsPerRequest > 0);
