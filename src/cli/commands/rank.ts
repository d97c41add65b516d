/**
 * `rank SPEC`: lists the fastest schedules for a problem according to the time model, without
 * compiling.
 */
import { calibrationFor } from '../../core/model/calibration';
import { deviceOf, isDeviceId } from '../../core/hardware/devices';
import { hasTensorCores } from '../../core/plan/instructions';
import { elementOf } from '../../core/plan/fp32Emulation';
import { rankInSteps, type Ranking } from '../../core/search/rank/rank';
import { resolve } from '../../core/defaults/resolve';
import type { ResolvedSpec } from '../../core/spec/resolved';
import { command, device, set, specArgument, wholeNumber } from '../command';
import { EXIT, invalidInput } from '../result';
import { readSpec } from '../spec';
import { finish } from '../steps';
import { number, table } from '../table';
import { specKey } from '../../core/plan/specKey';

const DEFAULT_TOP = 16;

export const rankCommand = command({
  name: 'rank',
  description: 'Schedules with the best predicted rate (CUDA, before compiling)',
  args: {
    spec: specArgument,
    set,
    device,
    top: {
      type: 'string',
      valueHint: 'N',
      description: `Number of schedules; default ${DEFAULT_TOP}`,
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
      throw invalidInput(`Unknown device "${id}". \`gemm-explorer devices\` lists them.`);
    }
    const top = wholeNumber('top', options.top ?? String(DEFAULT_TOP));
    if (top < 1) throw invalidInput('Expected --top of at least 1, got 0.');
    const ranking = await finish(rankInSteps(resolved, top), abort);
    if ('why' in ranking) {
      const why =
        ranking.why === 'device'
          ? `${deviceOf(id).name} has no occupancy rules for a prediction. Fix: choose an NVIDIA device.`
          : `The ${problem.accumulator} peak rate of ${deviceOf(id).name} is unknown.`;
      throw invalidInput(why);
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
  const calibrationText =
    calibratedOn === spec.device ? '' : `, with cycle counts measured on ${calibratedOn}`;
  return [
    table([
      ['TFLOP/s', 'ms', 'blocks per SM', 'kernel'],
      ...best.map(({ tflops, milliseconds, blocksPerSm, schedule }) => [
        number(tflops),
        number(milliseconds),
        blocksPerSm,
        keyOf(spec, schedule),
      ]),
    ]),
    '',
    `${scored} of ${planned} schedules are legal. Rates are predicted from estimated registers${calibrationText}; measure the first ones.`,
    ...(best.every(({ schedule }) => schedule.algorithm !== 'wgmma') &&
    hasTensorCores(spec, elementOf(spec))
      ? [
          `Tensor-core schedules (mma) are not ranked: \`gemm-explorer tune\` measures them, \`analyze\` predicts one.`,
        ]
      : []),
  ].join('\n');
}
