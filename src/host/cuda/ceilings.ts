/** Measures the ceilings of a GPU on request and stores them for later runs. */
import { t } from '@vscode/l10n';
import type { RunContext } from '../../core/measure/backend';
import { withSignal } from '../abort';
import { programOf } from './runner/requests';
import { findMachine, type CudaOptions } from './runner/machine';
import { measureCeilings, type FoundCeilings } from './runner/measureCeilings';

export function remeasureCeilings(
  options: CudaOptions,
  { abort, progress }: RunContext,
): Promise<FoundCeilings> {
  return withSignal(abort, async (signal): Promise<FoundCeilings> => {
    progress({ stage: t('Looking for nvcc and the GPU') });
    const found = await findMachine(options);
    if (!found.ok) {
      return { ok: false, outcome: 'unavailable', message: `${found.why} ${found.next}` };
    }
    const context = { machine: found.machine, options, signal, progress };
    const program = await programOf(context);
    return program.ok ? await measureCeilings(program.program, context) : program;
  });
}
