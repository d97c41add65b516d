/**
 * Fits the time model of WGSL kernels to the recorded benchmarks: `node out/bench/calibrateWgsl.js`
 * Each of ten fits leaves out a tenth of the shapes and is evaluated on them, which is recorded in
 * bench/wgsl-model.json. The last fit uses all shapes, and is written to
 * src/core/cost/wgsl/wgslTrees.json. No GPU is required.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { wgslMilliseconds } from '../../src/core/cost/wgsl/wgslModel';
import { median, quantile } from '../../src/core/measure/statistics';
import { provenance } from '../../scripts/grid/provenance';
import { treesText } from './model/treesText';
import { fittedWgsl, wgslRaces, type WgslRace } from './model/wgslFit';

const FILE = 'bench/h100-wgsl-random.jsonl';
const RECORD = 'bench/wgsl-model.json';
const TABLE = 'src/core/cost/wgsl/wgslTrees.json';
const FOLDS = 10;
/** Benchmarks with fewer kernels do not evaluate the choice. */
const LEAST_KERNELS = 5;

const races = wgslRaces(readFileSync(FILE, 'utf8'), 'h100-sxm');
const evaluated = Array.from({ length: FOLDS }, (_, fold) => {
  const isOut = (_race: WgslRace, at: number): boolean => at % FOLDS === fold;
  const fitted = fittedWgsl(races.filter((race, at) => !isOut(race, at)));
  return races.filter(isOut).map(({ points }) =>
    points.map(({ estimate, milliseconds }) => ({
      predicted: wgslMilliseconds(estimate, fitted),
      milliseconds,
    })),
  );
}).flat();
const errors = evaluated
  .flat()
  .map(({ predicted, milliseconds }) => Math.abs(predicted / milliseconds - 1));
const choices = evaluated
  .filter(points => points.length >= LEAST_KERNELS)
  .map(points => {
    const chosen = points.reduce((best, one) => (one.predicted < best.predicted ? one : best));
    return Math.min(...points.map(({ milliseconds }) => milliseconds)) / chosen.milliseconds;
  });
const errorPercent = Math.round(100 * median(errors));
writeFileSync(TABLE, treesText({ errorPercent, ...fittedWgsl(races) }));
const record = {
  what: 'Predicted times of WGSL kernels at shapes that the fit did not use',
  ...provenance('node out/bench/calibrateWgsl.js'),
  file: basename(FILE),
  races: races.length,
  kernels: errors.length,
  error: median(errors),
  errorP95: quantile(errors, 0.95),
  choice: {
    races: choices.length,
    mean: Math.exp(choices.reduce((sum, one) => sum + Math.log(one), 0) / choices.length),
    least: Math.min(...choices),
  },
  errorPercent,
};
writeFileSync(RECORD, `${JSON.stringify(record, null, 1)}\n`);
console.log(record);
