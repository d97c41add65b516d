/** `run SPEC|FILE --backend B`: executes one kernel and verifies its result. */
import { BACKENDS } from '../../core/measure/measurement';
import {
  command,
  compiler,
  device,
  experimental,
  gpu,
  python,
  robustness,
  set,
  specOrFileArgument,
  target,
} from '../command';
import { cudaChoice, measure, dawnChoice } from '../measure';
import { record, recordChoice, recordNames } from '../recordRuns';
import { invalidInput } from '../result';

export const runCommand = command({
  name: 'run',
  description: 'Run a kernel and verify its result',
  args: {
    spec: specOrFileArgument,
    backend: {
      type: 'enum',
      options: [...BACKENDS],
      description: 'Backend to run on; no other backend is tried',
    },
    record,
    'record-names': recordNames,
    gpu,
    compiler,
    python,
    robustness,
    experimental,
    set,
    device,
    target,
  },
  run: async (options, context) => {
    const { backend } = options;
    if (backend === undefined)
      throw invalidInput(
        'Missing option --backend. Fix: add --backend simulate, cpu, webgpu or cuda.',
      );
    const { spec, set, device, target } = options;
    const cuda = cudaChoice(backend, options);
    const dawn = dawnChoice(backend, options);
    const measureOptions = { set, device, target, backend, mode: 'verify', cuda, dawn } as const;
    const choice = await recordChoice(options);
    return await measure(spec, { ...measureOptions, record: choice }, context);
  },
});
