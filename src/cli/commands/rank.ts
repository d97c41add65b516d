/** `rank SPEC`: the schedules that the time model expects to be fastest for a problem, none of them compiled. */
import { calibrationFor } from '../../core/model/calibration';
import { deviceOf, isDeviceId } from '../../core/hardware/devices';
import { hasTensorCores } from '../../core/plan/instructions';
import { elementOf } from '../../core/plan/pieces';
import { rankInSteps, type Ranking } from '../../core/search/rank/rank';
import { resolve } from '../../core/defaults/resolve';
import type { ResolvedSpec } from '../../core/spec/resolved';
import { command, device, set, specArgument, wholeNumber } from '../command';
import { EXIT, unusable } from '../result';
import { readSpec } from '../spec';
import { finish } from '../steps';
import { number, table } from '../table';
import { specKey } from '../../core/plan/specKey';

const DEFAULT_TOP = 16;

export const rankCommand = command({
  name: 'rank',
  description: 'The schedules that the time model expects to be fastest (CUDA, before compiling)',
  args: {
    spec: specArgument,
    set,
    device,
    top: {
      type: 'string',
      valueHint: 'N',
      description: `So many of them, ${DEFAULT_TOP} by default`,
    },
  },
  run: async (options, { abort }) => {
    const spec = await readSpec(options.spec, options);
    const resolved = resolve({
      ...spec,
      ...(options.device === undefined ? {} : { device: options.device }),
    });
    const { device: id, problem } = resolved;
    if (!isDeviceId(id)) {
      throw unusable(`Unknown device "${id}". \`gemm-explorer devices\` lists them.`);
    }
    const top = wholeNumber('top', options.top ?? String(DEFAULT_TOP));
    if (top < 1) throw unusable('--top is 0; it must be 1 at least.');
    const ranking = await finish(rankInSteps(resolved, top), abort);
    if ('why' in ranking) {
      const why =
        ranking.why === 'device'
          ? `${deviceOf(id).name} has no occupancy rules to predict with; choose an NVIDIA device.`
          : `No peak of ${problem.accumulator} is known of ${deviceOf(id).name}.`;
      throw unusable(why);
    }
    const { best, planned, scored } = ranking;
    const named = best.map(one => ({ ...one, specKey: keyOf(resolved, one.schedule) }));
    const calibratedOn = calibrationFor(id)?.device ?? id;
    return {
      exit: best.length > 0 ? EXIT.yes : EXIT.no,
      json: { device: id, calibratedOn, planned, scored, best: named },
      text: describe(ranking, resolved, calibratedOn),
    };
  },
});

const keyOf = (spec: ResolvedSpec, schedule: ResolvedSpec['schedule']): string =>
  specKey({ ...spec, schedule });

function describe(
  { best, planned, scored }: Ranking,
  spec: ResolvedSpec,
  calibratedOn: string,
): string {
  const borrowed = calibratedOn === spec.device ? '' : `, with the cycles of ${calibratedOn}`;
  return [
    table([
      ['TFLOP/s', 'ms', 'blocks an SM', 'kernel'],
      ...best.map(({ tflops, milliseconds, blocksPerSm, schedule }) => [
        number(tflops),
        number(milliseconds),
        blocksPerSm,
        keyOf(spec, schedule),
      ]),
    ]),
    '',
    `${scored} of ${planned} schedules are legal; predicted from estimated registers${borrowed}. Measure the first ones.`,
    ...(best.every(({ schedule }) => schedule.algorithm !== 'wgmma') &&
    hasTensorCores(spec, elementOf(spec))
      ? [
          `Those of mma, on tensor cores, are not among them: \`gemm-explorer tune\` measures them, \`analyze\` predicts one.`,
        ]
      : []),
  ].join('\n');
}
