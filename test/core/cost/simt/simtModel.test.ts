/** The SIMT time model: what must hold of any prediction, and the recorded benchmarks. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import * as v from 'valibot';
import { heldOutShapes, judgedPoints } from '../../../../scripts/model/simtJudge';
import { predictedMs, recordedSimtPoints } from '../../../../scripts/model/simtPoints';
import { shapeClass, type ShapeClass } from '../../../../src/core/cost/shapeClass';
import { SIMT } from '../../../../src/core/cost/simt/simtCalibration';
import {
  simtMachine,
  simtMilliseconds,
  type SimtMachine,
} from '../../../../src/core/cost/simt/simtModel';
import { resolve } from '../../../../src/core/defaults/resolve';
import { simtCandidates } from '../../../../src/core/defaults/simt/simtCandidates';
import { deviceOf } from '../../../../src/core/hardware/devices';
import { flops } from '../../../../src/core/spec/resolved';
import type { GemmSpec } from '../../../../src/core/spec/schema';
import { runs } from '../../../helpers/depth';

const machine = simtMachine(deviceOf('h100-sxm')) ?? assert.fail();
const layout = fc.constantFrom('row' as const, 'col' as const);
const side = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 16_384 }));
const problems = fc
  .record({ m: side, n: side, k: side, a: layout, b: layout })
  .map(({ m, n, k, a, b }): GemmSpec['problem'] => ({
    m,
    n,
    k,
    a: { layout: a },
    b: { layout: b },
  }));

describe('the time model of SIMT kernels', () => {
  it('predicts finite times at most at the FP32 peak, longer with fewer resources', () => {
    const peakTflops = deviceOf('h100-sxm').peakTflops.f32 ?? assert.fail();
    fc.assert(
      fc.property(problems, given => {
        const { problem } = resolve({ version: 1, problem: given, schedule: {} });
        const calibration = SIMT[shapeClass(problem)];
        const smaller: readonly SimtMachine[] = [
          { ...machine, clockMHz: machine.clockMHz / 2 },
          { ...machine, dramGBps: machine.dramGBps / 2 },
          { ...machine, lanes: machine.lanes / 2 },
        ];
        for (const { kernel } of simtCandidates(
          { problem },
          machine.multiprocessors,
          calibration,
        )) {
          const milliseconds = simtMilliseconds(kernel, machine, calibration);
          assert.ok(Number.isFinite(milliseconds));
          assert.ok(flops(problem) / milliseconds / 1e9 < peakTflops);
          for (const one of smaller)
            assert.ok(simtMilliseconds(kernel, one, calibration) > milliseconds);
        }
      }),
      { ...runs(50) },
    );
  }).timeout(60_000);

  it('places the blocks of a last round on few SMs, but those of a single round on all', () => {
    const resolved = resolve({
      version: 1,
      problem: { m: 4096, n: 4096, k: 4096, a: { layout: 'row' }, b: { layout: 'col' } },
      schedule: {},
    });
    const calibration = SIMT[shapeClass(resolved.problem)];
    const candidates = [...simtCandidates(resolved, machine.multiprocessors, calibration)];
    const found = candidates.find(
      ({ kernel: { blocksPerSm, splitK } }) => blocksPerSm === 2 && splitK === 1,
    );
    const { kernel } = found ?? assert.fail();
    const timeOf = (blocks: number, refill: number): number =>
      simtMilliseconds(
        { ...kernel, blocks, constants: { ...kernel.constants, refill } },
        machine,
        calibration,
      );
    const slots = 2 * machine.multiprocessors;
    for (const blocks of [machine.multiprocessors, slots, 2 * slots])
      assert.equal(timeOf(blocks, 1), timeOf(blocks, 0));
    assert.ok(timeOf(slots + 1, 1) > timeOf(slots + 1, 0));
  });

  it('lowers the clock of compute-bound kernels at a power limit, and of no other kernel', () => {
    const timeAt = (problem: GemmSpec['problem'], watts: number): number => {
      const resolved = resolve({ version: 1, problem, schedule: {} });
      const calibration = SIMT[shapeClass(resolved.problem)];
      const [candidate] = simtCandidates(resolved, machine.multiprocessors, calibration);
      return simtMilliseconds(
        candidate?.kernel ?? assert.fail(),
        { ...machine, watts },
        calibration,
      );
    };
    const large = { m: 8192, n: 8192, k: 8192 };
    assert.ok(timeAt(large, 400) > 1.1 * timeAt(large, 700));
    assert.ok(timeAt(large, 700) >= timeAt(large, Infinity));
    const vector = { m: 1, n: 16_384, k: 16_384 };
    assert.equal(timeAt(vector, 700), timeAt(vector, Infinity));
  });

  it('has no machine for a device without an FP32 peak', () => {
    assert.equal(simtMachine({ ...deviceOf('h100-sxm'), peakTflops: {} }), null);
  });
});

const judgementSchema = v.object({
  shapes: v.number(),
  kernels: v.number(),
  error: v.number(),
  choice: v.object({ shapes: v.number(), mean: v.number(), p5: v.number(), least: v.number() }),
});
const classSchema = v.object({
  calibration: v.looseObject({ errorPercent: v.number() }),
  fittedTo: judgementSchema,
  judgedOn: judgementSchema,
  judgedOnRandom: judgementSchema,
});

describe('the time model of SIMT kernels, compared with the recorded benchmarks', () => {
  const record = v.parse(
    v.object({ general: classSchema, flat: classSchema }),
    JSON.parse(readFileSync('bench/simt-model.json', 'utf8')),
  );
  const points = recordedSimtPoints();

  for (const name of ['general', 'flat'] as const satisfies readonly ShapeClass[]) {
    it(`has the constants of the record, and reproduces its evaluation: ${name}`, () => {
      const { origin, ...constants } = SIMT[name];
      assert.match(origin, /two thirds of the shapes/);
      assert.deepEqual({ ...constants, origin: 'fitted' }, record[name].calibration);
      const own = points.filter(point => point.class === name);
      const held = heldOutShapes(own);
      const judged = (isHeld: boolean) =>
        judgedPoints(
          own.filter(({ shape }) => held.has(shape) === isHeld),
          point => predictedMs(point, SIMT[name]),
        );
      assert.deepEqual(judged(true), record[name].judgedOn);
      assert.deepEqual(judged(false), record[name].fittedTo);
    }).timeout(60_000);

    it(`chooses kernels within 5 % of the fastest at shapes outside the fit: ${name}`, () => {
      const { error, choice } = record[name].judgedOnRandom;
      assert.ok(choice.shapes >= 30 && choice.mean > 0.95 && choice.p5 > 0.85);
      assert.equal(SIMT[name].errorPercent, Math.ceil(100 * error));
    });
  }
});
