/** The correction of predicted SIMT times, against the benchmarks of its fit. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { judgedPoints } from '../../../../scripts/model/simtJudge';
import { predictionOf, recordedSimtPoints } from '../../../../scripts/model/simtPoints';
import type { ShapeClass } from '../../../../src/core/cost/shapeClass';
import { SIMT } from '../../../../src/core/cost/simt/simtCalibration';
import { correctedSimtMs, SIMT_CORRECTION } from '../../../../src/core/cost/simt/simtCorrection';
import { simtFeatures } from '../../../../src/core/cost/simt/simtFeatures';
import { simtMachine, simtPrediction } from '../../../../src/core/cost/simt/simtModel';
import { deviceOf } from '../../../../src/core/hardware/devices';

const judgement = v.object({
  shapes: v.number(),
  error: v.number(),
  choice: v.object({ shapes: v.number(), mean: v.number(), p5: v.number(), least: v.number() }),
});
const judged = v.object({ predicted: judgement, corrected: judgement });
const fitted = v.object({ judgedOn: judged, judgedOnRandom: judged, errorPercent: v.number() });
const record = v.parse(
  v.object({ general: fitted, flat: fitted }),
  JSON.parse(readFileSync('bench/simt-correction.json', 'utf8')),
);
const points = recordedSimtPoints();

for (const name of ['general', 'flat'] as const satisfies readonly ShapeClass[])
  describe(`the correction of the time of SIMT kernels: ${name}`, () => {
    const correction = SIMT_CORRECTION[name];
    const own = points.filter(point => point.class === name && point.kernel.problem.m > 1);

    it('has the features of its table, in their order', () => {
      for (const point of own.slice(0, 50)) {
        const features = simtFeatures(point.kernel, predictionOf(point, SIMT[name]));
        assert.deepEqual(Object.keys(features), correction.features);
        for (const [feature, value] of Object.entries(features))
          assert.ok(Number.isFinite(value), `${feature}: ${value}`);
      }
    });

    it('does not depend on the power limit', () => {
      const machine = simtMachine(deviceOf('h200')) ?? assert.fail();
      for (const { kernel: uncalibrated, tile } of own.slice(0, 50)) {
        const constants = SIMT[name].tiles[tile] ?? assert.fail();
        const kernel = { ...uncalibrated, constants };
        const featuresAt = (watts: number) =>
          simtFeatures(kernel, simtPrediction(kernel, { ...machine, watts }, SIMT[name]));
        assert.deepEqual(featuresAt(300), featuresAt(Infinity));
      }
    });

    it('lowers the error and improves the choice at recorded shapes', () => {
      const before = judgedPoints(own, point => predictionOf(point, SIMT[name]).milliseconds);
      const after = judgedPoints(own, point =>
        correctedSimtMs(point.kernel, predictionOf(point, SIMT[name]), correction),
      );
      assert.ok(before.choice.shapes >= 100);
      assert.ok(after.error < 0.85 * before.error, `${before.error} to ${after.error}`);
      assert.ok(after.choice.mean > before.choice.mean + 0.005);
      assert.ok(after.choice.p5 > before.choice.p5 + 0.02);
    }).timeout(60_000);

    it('improves the choice at the shapes that the recorded fits left out', () => {
      for (const { predicted, corrected } of [record[name].judgedOn, record[name].judgedOnRandom]) {
        assert.ok(corrected.choice.shapes >= 50);
        assert.ok(corrected.choice.mean > predicted.choice.mean);
        assert.ok(corrected.choice.p5 > predicted.choice.p5);
        assert.ok(corrected.choice.least >= predicted.choice.least);
        assert.ok(corrected.error < predicted.error);
      }
    });

    it('states the recorded error', () => {
      assert.equal(correction.errorPercent, record[name].errorPercent);
      assert.equal(
        correction.errorPercent,
        Math.ceil(100 * record[name].judgedOnRandom.corrected.error),
      );
    });
  });
