/** `bench SPEC|FILE --backend B`: verifies a kernel, then times it. */
import { command, compiler, device, gpu, set, specOrFileArgument, target } from '../command';
import { cudaChoice, measure } from '../measure';
import { unusable } from '../result';
import { BASELINES, type BaselineId } from '../../core/measure/backend';

export const benchCommand = command({
  name: 'bench',
  description: 'Verify a kernel, then time it; a wrong result is never timed',
  args: {
    spec: specOrFileArgument,
    backend: {
      type: 'enum',
      options: ['webgpu' as const, 'cuda' as const],
      description: 'Where to run it; none is ever swapped for another',
    },
    baseline: {
      type: 'string',
      valueHint: 'LIST',
      description: `Libraries to time beside it, cuda only: ${BASELINES.join(', ')}, or none; a list has commas`,
    },
    gpu,
    compiler,
    set,
    device,
    target,
  },
  run: (options, context) => {
    const { backend, baseline } = options;
    if (backend === undefined) throw unusable('bench needs --backend webgpu or cuda.');
    const baselines = baseline === undefined ? [] : baselinesIn(baseline);
    if (baselines.length > 0 && backend !== 'cuda') {
      throw unusable(`--baseline ${baseline} is timed by the cuda backend; ${backend} has none.`);
    }
    const { spec, set, device, target } = options;
    return measure(
      spec,
      { set, device, target, backend, mode: 'time', baselines, cuda: cudaChoice(backend, options) },
      context,
    );
  },
});

const isBaseline = (text: string): text is BaselineId =>
  (BASELINES as readonly string[]).includes(text);

/** In the order given, each once. */
function baselinesIn(text: string): readonly BaselineId[] {
  if (text === 'none') return [];
  const names = [...new Set(text.split(',').map(name => name.trim()))];
  return names.map(name => {
    if (isBaseline(name)) return name;
    throw unusable(`--baseline takes ${BASELINES.join(', ')} or none, and not "${name}".`);
  });
}
