/**
 * Fits the energy constants of `wgmma` kernels to clocks that they reached at the power limit:
 * `node out/bench/calibratePower.js`
 * Each kernel ran in batches of 300 ms at its own clock. The energy of a launch is its share of the
 * power limit above idle. It is fitted as a sum over tensor-core cycles and loaded bytes. The model
 * is evaluated at other shapes, without and with the correction of predicted times. The result is
 * recorded in bench/h200-power-model.json. Copy it to src/core/cost/wgmma/wgmmaCalibration.ts. No
 * GPU is required.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import {
  ENERGY_EXPONENT,
  POWER,
  REFERENCE_MHZ,
  WARP_GROUPS,
} from '../../src/core/cost/wgmma/wgmmaCalibration';
import { correctedMilliseconds } from '../../src/core/cost/wgmma/wgmmaCorrection';
import { boundedWork, predictKernel } from '../../src/core/cost/wgmma/wgmmaModel';
import { provenance } from '../../scripts/grid/provenance';
import { judgedRaces } from '../../scripts/model/warpGroupJudge';
import { racesOf, type GroupPoint } from '../../scripts/model/warpGroupPoints';

const FILE = 'bench/h200-own-clock.jsonl';
const JUDGED = 'bench/h200-own-clock-choice.jsonl';
/** A kernel below this fraction of the boost clock is at the power limit. */
const LIMITED = 0.95;

const { idleWatts } = POWER;
const points = racesOf(readFileSync(FILE, 'utf8'))
  .flatMap(race => race.points)
  .flatMap(({ kernel, machine, milliseconds, clockMHz, tookTurns }) => {
    if (!tookTurns || clockMHz === undefined || clockMHz > LIMITED * machine.clockMHz) return [];
    const { work } = boundedWork(kernel, { machine, calibration: WARP_GROUPS });
    const scale = (clockMHz / REFERENCE_MHZ) ** ENERGY_EXPONENT;
    const millijoules = ((machine.watts - idleWatts) * milliseconds) / scale;
    // Relative to the energy, so that each kernel has the same weight.
    return [
      {
        tensor: (work.tensorCycles * 1e-6) / millijoules,
        loaded: (work.loadedBytes * 1e-9) / millijoules,
      },
    ];
  });

// Normal equations of tensor x + loaded y = 1.
const sum = (of: (point: (typeof points)[number]) => number): number =>
  points.reduce((total, point) => total + of(point), 0);
const [tt, tl, ll] = [
  sum(({ tensor }) => tensor ** 2),
  sum(({ tensor, loaded }) => tensor * loaded),
  sum(({ loaded }) => loaded ** 2),
];
const [t, l] = [sum(({ tensor }) => tensor), sum(({ loaded }) => loaded)];
const determinant = tt * ll - tl ** 2;
const precise = (value: number): number => Number(value.toPrecision(4));
const constants = {
  idleWatts,
  tensorNanojoules: precise((t * ll - l * tl) / determinant),
  loadedPicojoules: precise((tt * l - tl * t) / determinant),
};
const residual = Math.sqrt(
  sum(
    ({ tensor, loaded }) =>
      (tensor * constants.tensorNanojoules + loaded * constants.loadedPicojoules - 1) ** 2,
  ) / points.length,
);
const predictionOf = ({ kernel, machine }: GroupPoint) => ({
  ...predictKernel(kernel, { machine, calibration: { ...WARP_GROUPS, ...constants } }),
  // At the power limit, the correction does not apply, so that both can be compared.
  isPowerLimited: false,
});
const judged = racesOf(readFileSync(JUDGED, 'utf8'));
const record = {
  what: 'Energy constants of wgmma kernels, fitted to clocks at the power limit',
  ...provenance('node out/bench/calibratePower.js'),
  file: FILE,
  kernels: points.length,
  energyExponent: ENERGY_EXPONENT,
  constants,
  residual: precise(residual),
  judgedFile: JUDGED,
  judged: {
    predicted: judgedRaces(judged, point => predictionOf(point).milliseconds),
    corrected: judgedRaces(judged, point =>
      correctedMilliseconds(point.kernel, predictionOf(point)),
    ),
  },
};
writeFileSync('bench/h200-power-model.json', `${JSON.stringify(record, null, 1)}\n`);
console.log(JSON.stringify(record, null, 1));
