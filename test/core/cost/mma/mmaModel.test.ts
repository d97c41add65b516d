/** Time model of `mma` kernels, and the defaults that it chooses. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { MMA, MMA_PREFETCHED } from '../../../../src/core/cost/mma/mmaCalibration';
import { mmaMachine, mmaMilliseconds } from '../../../../src/core/cost/mma/mmaModel';
import { kernelOf, mmaSchedules } from '../../../../src/core/defaults/mma/mmaChoice';
import { resolve, resolveWithOrigin } from '../../../../src/core/defaults/resolve';
import { deviceOf } from '../../../../src/core/hardware/devices';
import type { GemmSpec } from '../../../../src/core/spec/schema';
import { isHeldOut } from '../../../../scripts/model/heldOut';
import { predictedMs, recordedMmaPoints } from '../../../../scripts/model/mmaPoints';
import { judgedPoints } from '../../../../scripts/model/simtJudge';

type Problem = GemmSpec['problem'];
const specOf = (problem: Partial<Problem>): GemmSpec => ({
  version: 1,
  problem: {
    m: 2697,
    n: 78,
    k: 13_484,
    a: { dtype: 'f16' },
    b: { dtype: 'f16', layout: 'col' },
    ...problem,
  },
  device: 'h200',
  targets: ['cuda'],
});
const chosen = (problem: Partial<Problem>) => {
  const { resolved, found } = resolveWithOrigin(specOf(problem));
  assert.equal(found?.how, 'predicted');
  return { algorithm: resolved.schedule.algorithm, found };
};

describe('the time model of mma kernels', () => {
  const machine = mmaMachine(deviceOf('h100-sxm'));
  assert.ok(machine !== null);
  const LOOP = { k: 64, stages: 4 };
  const tiles = { block: { m: 128, n: 96 }, warp: { m: 32, n: 48 } };
  const timeOf = (problem: Partial<Problem>, splitK = 1): number =>
    mmaMilliseconds(
      kernelOf(resolve(specOf(problem)).problem, { tiles, splitK }, LOOP),
      machine,
      MMA,
    );

  it('predicts a longer time for a larger K, narrower copies and a row-major B', () => {
    assert.ok(timeOf({ k: 13_484 }) > timeOf({ k: 6740 }));
    assert.ok(timeOf({ k: 13_486 }) > timeOf({ k: 13_484 }));
    const rowMajor = { b: { dtype: 'f16', layout: 'row' } } as const;
    assert.ok(timeOf({ n: 76, ...rowMajor }) > timeOf({ n: 76 }));
  });

  it('predicts a shorter time for split-K if tiles are few, and a longer time if they are many', () => {
    assert.ok(timeOf({}, 4) < timeOf({}));
    assert.ok(timeOf({ m: 60_000, k: 132 }, 4) > timeOf({ m: 60_000, k: 132 }));
  });

  it('has no machine for a device without a tensor-core peak', () => {
    assert.equal(mmaMachine({ ...deviceOf('h100-sxm'), peakTflops: {} }), null);
  });
});

describe('the default of operands that TMA cannot load', () => {
  it('is mma if the pre-pass would copy a large matrix for few columns of C', () => {
    const { algorithm, found } = chosen({});
    assert.equal(algorithm, 'mma');
    assert.equal(found.errorPercent, MMA.errorPercent);
  });

  it('is wgmma if the pre-pass is short in relation to the product', () => {
    assert.equal(chosen({ n: 4000 }).algorithm, 'wgmma');
  });

  it('is wgmma for rows that TMA loads, and mma for odd rows only if it is clearly faster', () => {
    const { problem } = resolve(specOf({ k: 13_488 }));
    assert.deepEqual(mmaSchedules(problem, 'h200', 3), []);
    assert.equal(chosen({ k: 13_488 }).algorithm, 'wgmma');
    const odd = resolve(specOf({ k: 13_485 })).problem;
    const [prefetched] = mmaSchedules(odd, 'h200', 3);
    assert.equal(prefetched?.schedule.stages, 2);
    assert.equal(chosen({ k: 13_485 }).algorithm, 'wgmma');
    assert.equal(chosen({ m: 2692, n: 6745, k: 69 }).algorithm, 'mma');
    const even = resolve(specOf({ k: 13_486 })).problem;
    assert.equal(mmaSchedules(even, 'h200', 3).length, 3);
  });

  it('is wgmma for 8-bit and 32-bit operands', () => {
    const tf32 = resolve(specOf({ a: { dtype: 'tf32' }, b: { dtype: 'tf32', layout: 'col' } }));
    assert.deepEqual(mmaSchedules(tf32.problem, 'h200', 3), []);
  });
});

describe('the time model of mma kernels, compared with the recorded benchmarks', () => {
  const judgement = v.object({
    shapes: v.number(),
    kernels: v.number(),
    error: v.number(),
    choice: v.object({ shapes: v.number(), mean: v.number(), p5: v.number(), least: v.number() }),
  });
  const fitted = v.object({
    calibration: v.looseObject({ errorPercent: v.number() }),
    fittedTo: judgement,
    judgedOn: judgement,
  });
  const record = v.parse(
    v.object({ asynchronous: fitted, prefetched: fitted }),
    JSON.parse(readFileSync('bench/mma-model.json', 'utf8')),
  );
  const points = recordedMmaPoints();

  for (const [name, constants] of [
    ['asynchronous', MMA],
    ['prefetched', MMA_PREFETCHED],
  ] as const) {
    const { calibration, fittedTo, judgedOn } = record[name];

    it(`has the constants of the record, and reproduces its evaluation: ${name}`, () => {
      assert.deepEqual(constants, calibration);
      const judged = (held: boolean) =>
        judgedPoints(
          points.filter(
            ({ shape, isPrefetched }) =>
              isHeldOut(shape) === held && isPrefetched === (name === 'prefetched'),
          ),
          point => predictedMs(point, constants),
        );
      assert.deepEqual(judged(true), judgedOn);
      assert.deepEqual(judged(false), fittedTo);
    });

    it(`chooses kernels within 10 % of the fastest at shapes outside the fit: ${name}`, () => {
      const { error, choice } = judgedOn;
      assert.ok(choice.shapes >= 8 && choice.mean > 0.9);
      assert.equal(constants.errorPercent, Math.ceil(100 * error));
    });
  }
});
