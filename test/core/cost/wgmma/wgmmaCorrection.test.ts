/** The correction of predicted `wgmma` times, against the benchmarks of its fit. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { judgedRaces } from '../../../../scripts/model/warpGroupJudge';
import { fittedRaces, predictedMs } from '../../../../scripts/model/warpGroupPoints';
import { warpGroupsOn } from '../../../../src/core/cost/wgmma/wgmmaCalibration';
import { CORRECTION, correctedMilliseconds } from '../../../../src/core/cost/wgmma/wgmmaCorrection';
import { correctionFeatures } from '../../../../src/core/cost/wgmma/wgmmaFeatures';
import { predictKernel } from '../../../../src/core/cost/wgmma/wgmmaModel';

const { calibration } = warpGroupsOn('h100-sxm');
const races = fittedRaces(readFileSync('bench/h100-wgmma-choice.jsonl', 'utf8')).filter(
  ({ points }) => points.length >= 8,
);
const judgement = v.object({
  error: v.number(),
  choice: v.object({ mean: v.number(), p5: v.number() }),
});
const judged = v.object({ predicted: judgement, corrected: judgement });
const record = v.parse(
  v.object({
    errorPercent: v.number(),
    judgedOn: v.object({ 'h100-sxm': judged, h200: judged }),
  }),
  JSON.parse(readFileSync('bench/wgmma-correction.json', 'utf8')),
);

describe('the correction of the time of wgmma', () => {
  it('has the features of its table, in their order', () => {
    const point = races[0]?.points[0] ?? assert.fail();
    const { kernel, machine } = point;
    const features = correctionFeatures(kernel, predictKernel(kernel, { machine, calibration }));
    assert.deepEqual(Object.keys(features), CORRECTION.features);
    for (const [name, value] of Object.entries(features))
      assert.ok(Number.isFinite(value), `${name}: ${value}`);
  });

  it('lowers the error and improves the order and the choice at recorded shapes', () => {
    assert.ok(races.length >= 100);
    const before = judgedRaces(races, point => predictedMs(point, calibration));
    const after = judgedRaces(races, ({ kernel, machine, clockMHz }) =>
      correctedMilliseconds(kernel, predictKernel(kernel, { machine, calibration, clockMHz })),
    );
    assert.ok(after.error < 0.85 * before.error, `${before.error} to ${after.error}`);
    assert.ok(after.spearman > before.spearman + 0.05, `${before.spearman} to ${after.spearman}`);
    assert.ok(after.choice.mean > 0.97, `${after.choice.mean}`);
    assert.ok(after.choice.mean > before.choice.mean);
  });

  it('corrects less at the power limit, where a slower kernel sustains a higher clock', () => {
    const factors = races.flatMap(({ points: [point] }) => {
      if (point === undefined) return [];
      const { kernel, machine } = point;
      const limited = predictKernel(kernel, { machine, calibration });
      const { clockMHz } = limited;
      const given = predictKernel(kernel, { machine, calibration, clockMHz });
      assert.ok(Math.abs(given.milliseconds / limited.milliseconds - 1) < 1e-9);
      assert.equal(given.isPowerLimited, false);
      const logarithm = (prediction: typeof given): number =>
        Math.log(correctedMilliseconds(kernel, prediction) / prediction.milliseconds);
      const expected = logarithm(given) * (limited.isPowerLimited ? 1 / 3 : 1);
      assert.ok(Math.abs(logarithm(limited) - expected) < 1e-9);
      return [limited.isPowerLimited];
    });
    assert.ok(factors.includes(true) && factors.includes(false));
  });

  it('improves the choice at the shapes that the recorded fit left out', () => {
    for (const { predicted, corrected } of Object.values(record.judgedOn)) {
      assert.ok(corrected.choice.mean > predicted.choice.mean);
      assert.ok(corrected.choice.p5 > predicted.choice.p5);
      assert.ok(corrected.error < predicted.error);
    }
  });

  it('states the recorded error', () => {
    assert.equal(CORRECTION.errorPercent, record.errorPercent);
  });
});
