/** `bench SPEC|FILE --backend B`: verifies a kernel, then times it; with `--against`, several, for CI. */
import {
  command,
  compiler,
  device,
  experimental,
  gpu,
  robustness,
  set,
  specOrFileArgument,
  target,
} from '../command';
import { DEFAULT_SLOWDOWN, runGate, slowdownIn } from '../gate';
import { cudaChoice, measure, dawnChoice, type MeasureOptions } from '../measure';
import { unusable } from '../result';
import { BASELINES, type BaselineId } from '../../core/measure/backend';

export const benchCommand = command({
  name: 'bench',
  description: 'Verify a kernel, then time it; a wrong result is never timed',
  several: true,
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
    against: {
      type: 'string',
      valueHint: 'FILE',
      description:
        'Runs (.jsonl) or a Measurement to compare with: exit 1 where one is slower or wrong',
    },
    'max-slowdown': {
      type: 'string',
      valueHint: 'PERCENT',
      description: `With --against: how much slower is allowed, default ${DEFAULT_SLOWDOWN}`,
    },
    junit: {
      type: 'string',
      valueHint: 'FILE',
      description: 'With --against: writes the report as JUnit XML',
    },
    gpu,
    compiler,
    robustness,
    experimental,
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
    const { spec, set, device, target, against, junit, _: paths } = options;
    const asked: MeasureOptions = {
      set,
      device,
      target,
      backend,
      mode: 'time',
      baselines,
      cuda: cudaChoice(backend, options),
      dawn: dawnChoice(backend, options),
    };
    const slowdown = options['max-slowdown'];
    if (against !== undefined) {
      const maxSlowdownPercent = slowdownIn(slowdown ?? DEFAULT_SLOWDOWN);
      const gated = { ...asked, against, maxSlowdownPercent };
      return runGate(paths, { ...gated, ...(junit === undefined ? {} : { junit }) }, context);
    }
    if (slowdown !== undefined || junit !== undefined) {
      throw unusable('--max-slowdown and --junit go with --against FILE.');
    }
    if (paths.length > 1) throw unusable('bench takes several kernels with --against FILE only.');
    return measure(spec, asked, context);
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
