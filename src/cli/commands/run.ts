/** `run SPEC|FILE --backend B`: runs a kernel once and verifies its result. */
import { BACKENDS } from '../../core/measure/measurement';
import {
  command,
  compiler,
  device,
  gpu,
  robustness,
  set,
  specOrFileArgument,
  target,
} from '../command';
import { cudaChoice, measure, robustnessChoice } from '../measure';
import { unusable } from '../result';

export const runCommand = command({
  name: 'run',
  description: 'Run a kernel and verify its result',
  args: {
    spec: specOrFileArgument,
    backend: {
      type: 'enum',
      options: [...BACKENDS],
      description: 'Where to run it; none is ever swapped for another',
    },
    gpu,
    compiler,
    robustness,
    set,
    device,
    target,
  },
  run: (options, context) => {
    const { backend } = options;
    if (backend === undefined) throw unusable('run needs --backend simulate, cpu, webgpu or cuda.');
    const { spec, set, device, target } = options;
    const cuda = cudaChoice(backend, options);
    const checks = robustnessChoice(backend, options);
    const asked = { set, device, target, backend, mode: 'verify', cuda, ...checks } as const;
    return measure(spec, asked, context);
  },
});
