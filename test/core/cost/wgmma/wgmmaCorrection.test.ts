/** The correction of predicted `wgmma` times, against the benchmarks of its fit. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { judgedRaces } from '../../../../scripts/model/warpGroupJudge';
import { fittedRaces, predictedMs, racesOf } from '../../../../scripts/model/warpGroupPoints';
import { warpGroupsOn } from '../../../../src/core/cost/wgmma/wgmmaCalibration';
import { CORRECTION, correctedMilliseconds } from '../../../../src/core/cost/wgmma/wgmmaCorrection';
import { correctionFeatures } from '../../../../src/core/cost/wgmma/wgmmaFeatures';
import { predictKernel } from '../../../../src/core/cost/wgmma/wgmmaModel';

const CLASSES = ['general', 'flat'] as const;
const { calibration } = warpGroupsOn('h100-sxm');
const races = fittedRaces(readFileSync('bench/h100-wgmma-choice.jsonl', 'utf8')).filter(
  ({ points }) => points.length >= 8,
);
const judgement = v.object({
  error: v.number(),
  choice: v.object({ mean: v.number(), p5: v.number(), least: v.number() }),
});
const judged = v.object({ predicted: judgement, corrected: judgement });
const fitted = v.object({
  errorPercent: v.number(),
  judgedOn: v.object({ 'h100-sxm': judged, h200: judged }),
});
const record = v.parse(
  v.object({ general: fitted, flat: fitted }),
  JSON.parse(readFileSync('bench/wgmma-correction.json', 'utf8')),
);

describe('the correction of the time of wgmma', () => {
  it('has the features of its table, in their order', () => {
    const point = races[0]?.points[0] ?? assert.fail();
    const { kernel, machine } = point;
    const features = correctionFeatures(kernel, predictKernel(kernel, { machine, calibration }));
    for (const name of CLASSES) assert.deepEqual(Object.keys(features), CORRECTION[name].features);
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

  it('applies only below the power limit', () => {
    const limits = races.flatMap(({ points: [point] }) => {
      if (point === undefined) return [];
      const { kernel, machine } = point;
      const prediction = predictKernel(kernel, { machine, calibration });
      const isChanged = correctedMilliseconds(kernel, prediction) !== prediction.milliseconds;
      assert.ok(!(isChanged && prediction.isPowerLimited));
      return [{ isChanged, isLimited: prediction.isPowerLimited }];
    });
    assert.ok(limits.some(({ isLimited }) => isLimited));
    const others = limits.filter(({ isLimited }) => !isLimited);
    const changed = others.filter(({ isChanged }) => isChanged);
    assert.ok(changed.length > 0.95 * others.length);
  });

  it('is left out at the power limit, because the recorded choices are better without it', () => {
    const { judged: atLimit } = v.parse(
      v.object({ judged }),
      JSON.parse(readFileSync('bench/h200-power-model.json', 'utf8')),
    );
    assert.ok(atLimit.predicted.choice.mean > atLimit.corrected.choice.mean);
    assert.ok(atLimit.predicted.error < atLimit.corrected.error);
    const own = warpGroupsOn('h200').calibration;
    const there = judgedRaces(
      racesOf(readFileSync('bench/h200-own-clock-choice.jsonl', 'utf8')),
      ({ kernel, machine }) => predictKernel(kernel, { machine, calibration: own }).milliseconds,
    );
    assert.deepEqual(there.choice, atLimit.predicted.choice);
  });

  for (const name of CLASSES) {
    it(`improves the choice at the shapes that the recorded fit left out: ${name}`, () => {
      for (const { predicted, corrected } of Object.values(record[name].judgedOn)) {
        assert.ok(corrected.choice.mean > predicted.choice.mean);
        assert.ok(corrected.choice.p5 > predicted.choice.p5);
      }
      // Most benchmarks of flat problems are from an H200.
      const { 'h100-sxm': h100, h200 } = record[name].judgedOn;
      for (const { predicted, corrected } of name === 'flat' ? [h200] : [h100, h200])
        assert.ok(corrected.error < predicted.error);
    });

    it(`states the recorded error: ${name}`, () => {
      assert.equal(CORRECTION[name].errorPercent, record[name].errorPercent);
    });
  }

  it('has a table of its own for problems with at most 16 rows or columns', () => {
    const point = races[0]?.points[0] ?? assert.fail();
    const { kernel, machine, clockMHz } = point;
    const prediction = predictKernel(kernel, { machine, calibration, clockMHz });
    const at = (m: number, n: number) => {
      const sized = { ...kernel, problem: { ...kernel.problem, m, n } };
      const milliseconds = correctedMilliseconds(sized, prediction);
      const of = (name: 'general' | 'flat') =>
        correctedMilliseconds(sized, prediction, CORRECTION[name]);
      return { milliseconds, general: of('general'), flat: of('flat') };
    };
    for (const [m, n, name] of [
      [16, 4096, 'flat'],
      [4096, 16, 'flat'],
      [17, 4096, 'general'],
      [4096, 17, 'general'],
    ] as const) {
      const { milliseconds, general, flat } = at(m, n);
      assert.notEqual(general, flat);
      assert.equal(milliseconds, { general, flat }[name], `${m} x ${n}`);
    }
  });
});
