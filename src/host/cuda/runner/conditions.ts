/** Ceilings and device of a CUDA run, for its measurement. */
import type { Runnable } from '../../../core/kernel/kernel';
import type { MeasuredCeilings, Measurement } from '../../../core/measure/measurement';
import { ceilingsFor } from './ceilings';
import type { CudaMachine } from './machine';
import { ceilingsOnce } from './measureCeilings';
import type { RunnerProgram } from './program';
import type { Ready } from './protocol';
import type { RunnerContext } from './requests';

/** Returns the ceilings of the GPU, which are measured once, or a note that they are missing. */
export async function knownCeilings(
  { problem }: Runnable,
  ready: Ready,
  program: RunnerProgram,
  context: RunnerContext,
): Promise<{ readonly ceilings?: MeasuredCeilings; readonly notes?: readonly string[] }> {
  const found = await ceilingsOnce(ready, program, context);
  if (!found.ok) return { notes: [`The ceilings were not measured: ${found.message}`] };
  const ceilings = ceilingsFor(found.ceilings, problem.accumulator);
  return { ceilings, ...(found.note === undefined ? {} : { notes: [found.note] }) };
}

export const deviceOf = ({ device }: Ready, machine: CudaMachine): Measurement['device'] => ({
  ...machine.device,
  name: device.name,
  ...(device.driver === null ? {} : { driver: device.driver }),
});
