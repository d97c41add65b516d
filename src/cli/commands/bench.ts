/**
 * `bench SPEC|FILE... --backend B`: verifies kernels, then times them in interleaved rounds. With
 * `--against`, compares each kernel with recorded runs, for CI.
 */
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
import { DEFAULT_SLOWDOWN, runGate, slowdownIn } from '../gate';
import { cudaChoice, measure, dawnChoice, type MeasureOptions } from '../measure';
import { record, recordChoice, recordNames } from '../recordRuns';
import { invalidInput } from '../result';
import { benchTogether } from '../together';
import { BASELINES, type BaselineId } from '../../core/measure/backend';

export const benchCommand = command({
  name: 'bench',
  description:
    'Verify one or more kernels, then time them in turns; kernels with incorrect results are never timed',
  several: true,
  args: {
    spec: specOrFileArgument,
    backend: {
      type: 'enum',
      options: ['webgpu' as const, 'cuda' as const],
      description: 'Backend to run on; no other backend is tried',
    },
    baseline: {
      type: 'string',
      valueHint: 'LIST',
      description: `Baseline libraries to time (cuda only), separated by commas: ${BASELINES.join(', ')}, or none`,
    },
    against: {
      type: 'string',
      valueHint: 'FILE',
      description:
        'Recorded runs (.jsonl) or a Measurement; exit code 1 if a kernel is slower or incorrect',
    },
    'max-slowdown': {
      type: 'string',
      valueHint: 'PERCENT',
      description: `With --against: maximum slowdown that passes; default ${DEFAULT_SLOWDOWN}`,
    },
    junit: {
      type: 'string',
      valueHint: 'FILE',
      description: 'With --against: write the report to this file as JUnit XML',
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
    const { backend, baseline } = options;
    if (backend === undefined)
      throw invalidInput('Missing option --backend. Fix: add --backend webgpu or --backend cuda.');
    const baselines = baseline === undefined ? [] : baselinesIn(baseline);
    if (baselines.length > 0 && backend !== 'cuda') {
      throw invalidInput(
        `--baseline ${baseline} requires --backend cuda, got --backend ${backend}. Fix: omit --baseline, or use --backend cuda.`,
      );
    }
    const { spec, set, device, target, against, junit, _: paths } = options;
    const measureOptions: MeasureOptions = {
      set,
      device,
      target,
      backend,
      mode: 'time',
      baselines,
      cuda: cudaChoice(backend, options),
      dawn: dawnChoice(backend, options),
      record: await recordChoice(options),
    };
    const slowdown = options['max-slowdown'];
    if (against !== undefined) {
      const maxSlowdownPercent = slowdownIn(slowdown ?? DEFAULT_SLOWDOWN);
      const gated = { ...measureOptions, against, maxSlowdownPercent };
      return await runGate(paths, { ...gated, ...(junit === undefined ? {} : { junit }) }, context);
    }
    if (slowdown !== undefined || junit !== undefined) {
      throw invalidInput(
        '--max-slowdown and --junit require --against FILE. Fix: add --against FILE, or omit them.',
      );
    }
    if (paths.length > 1) return await benchTogether(paths, measureOptions, context);
    return await measure(spec, measureOptions, context);
  },
});

const isBaseline = (text: string): text is BaselineId =>
  (BASELINES as readonly string[]).includes(text);

function baselinesIn(text: string): readonly BaselineId[] {
  if (text === 'none') return [];
  const names = [...new Set(text.split(',').map(name => name.trim()))];
  return names.map(name => {
    if (isBaseline(name)) return name;
    throw invalidInput(
      `Unknown baseline "${name}". Fix: choose from ${BASELINES.join(', ')}, or none.`,
    );
  });
}
