/**
 * `rank SPEC`: lists the fastest schedules of a problem as predicted by the time model, without
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
  description: 'List the schedules with the best predicted rate (CUDA only, without compiling)',
  args: {
    spec: specArgument,
    set,
    device,
    top: {
      type: 'string',
      valueHint: 'N',
      description: `Number of schedules to list; default ${DEFAULT_TOP}`,
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
      throw invalidInput(
        `Unknown device "${id}". Fix: choose a device from \`gemm-explorer devices\`.`,
      );
    }
    const top = wholeNumber('top', options.top ?? String(DEFAULT_TOP));
    if (top < 1) throw invalidInput('Expected --top to be at least 1, got 0.');
    const ranking = await finish(rankInSteps(resolved, top), abort);
    if ('why' in ranking) {
      const why =
        ranking.why === 'device'
          ? `The occupancy rules of ${deviceOf(id).name} are not published, so no rates can be predicted. Fix: choose an NVIDIA device.`
          : `The ${problem.accumulator} peak rate of ${deviceOf(id).name} is unknown, so no rates can be predicted. Fix: choose a different device.`;
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
    calibratedOn === spec.device ? '' : ` and cycle counts measured on ${calibratedOn}`;
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
    `${scored} of ${planned} schedules are legal. Rates are predicted from estimated register counts${calibrationText}. Use \`gemm-explorer bench\` to measure them.`,
    ...(best.every(({ schedule }) => schedule.algorithm !== 'wgmma') &&
    hasTensorCores(spec, elementOf(spec))
      ? [
          `Tensor-core schedules (mma) are not ranked. Use \`gemm-explorer tune\` to measure them, or \`analyze\` to predict a single schedule.`,
        ]
      : []),
  ].join('\n');
}
