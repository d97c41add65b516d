/** The default of FP32 problems on Hopper GPUs, at shapes that no table has. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { check } from '../../../../src/core/defaults/check';
import { SIMT } from '../../../../src/core/cost/simt/simtCalibration';
import { correctedSimtMs } from '../../../../src/core/cost/simt/simtCorrection';
import { simtMachine, simtPrediction } from '../../../../src/core/cost/simt/simtModel';
import { resolve, resolveWithOrigin } from '../../../../src/core/defaults/resolve';
import { RANKED } from '../../../../src/core/defaults/predictedSchedule';
import { simtCandidates } from '../../../../src/core/defaults/simt/simtCandidates';
import { correctionFor, simtSchedules } from '../../../../src/core/defaults/simt/simtChoice';
import { shapeClass } from '../../../../src/core/cost/shapeClass';
import { deviceOf } from '../../../../src/core/hardware/devices';
import { plan } from '../../../../src/core/plan/planner';
import { workspaceBytes, WORKSPACE_LIMIT_BYTES } from '../../../../src/core/plan/workspace';
import type { GemmSpec } from '../../../../src/core/spec/schema';
import { runs } from '../../../helpers/depth';

const layout = fc.constantFrom('row' as const, 'col' as const);
const side = fc.oneof(
  fc.integer({ min: 1, max: 40 }),
  fc.integer({ min: 1, max: 2048 }).map(n => 8 * n),
  fc.integer({ min: 1, max: 20_000 }),
);
const problems = fc
  .record({
    m: side,
    n: side,
    k: side,
    batch: fc.constantFrom(1, 1, 3),
    beta: fc.constantFrom(0, 1),
    a: layout,
    b: layout,
    c: layout,
  })
  .map(({ a, b, c, ...sizes }): GemmSpec['problem'] => ({
    ...sizes,
    a: { layout: a },
    b: { layout: b },
    c: { layout: c },
  }));
const cuda = (problem: GemmSpec['problem'], device = 'h100-sxm'): GemmSpec => ({
  version: 1,
  problem,
  device,
  targets: ['cuda'],
});

describe('the predicted schedules of FP32 problems', () => {
  it('are legal, within the workspace limit, and the default at every shape with K of 16 or more', () => {
    fc.assert(
      fc.property(problems, problem => {
        const { resolved, found } = resolveWithOrigin(cuda(problem));
        const planned = plan(resolved, 'cuda');
        assert.ok(planned.ok, JSON.stringify(resolved.schedule));
        const { accumulator } = resolved.problem;
        assert.ok(workspaceBytes(planned.plan, accumulator) <= WORKSPACE_LIMIT_BYTES);
        if (problem.k >= 16 && found?.how !== 'measured') assert.equal(found?.how, 'predicted');
      }),
      { ...runs(200) },
    );
  }).timeout(120_000);

  it('are ordered by predicted time', () => {
    const spec = resolve(cuda({ m: 1000, n: 3000, k: 500 }));
    const times = simtSchedules(spec, 20).map(({ milliseconds }) => milliseconds);
    assert.equal(times.length, 20);
    assert.deepEqual(
      times,
      [...times].sort((one, other) => one - other),
    );
    assert.deepEqual(simtSchedules({ ...spec, device: 'unknown' }, 20), []);
  });

  it('are ordered by corrected times, except for single rows, which gemv competes for', () => {
    const machine = simtMachine(deviceOf('h100-sxm')) ?? assert.fail();
    fc.assert(
      fc.property(problems, given => {
        const spec = resolve(cuda(given));
        const { problem } = spec;
        const calibration = SIMT[shapeClass(problem)];
        const correction = correctionFor(problem);
        assert.equal(correction === null, problem.m === 1);
        const ranked = [...simtCandidates(spec, machine.multiprocessors, calibration)]
          .map(({ kernel }) => ({ kernel, of: simtPrediction(kernel, machine, calibration) }))
          .sort((one, other) => one.of.milliseconds - other.of.milliseconds)
          .slice(0, RANKED);
        const times = ranked.map(({ kernel, of }) =>
          correction === null ? of.milliseconds : correctedSimtMs(kernel, of, correction),
        );
        const [best] = simtSchedules(spec, 1);
        assert.equal(best?.milliseconds ?? Infinity, Math.min(...times));
      }),
      { ...runs(50) },
    );
  }).timeout(60_000);

  it('split K where C has few tiles', () => {
    const slices = (k: number) => resolve(cuda({ m: 200, n: 200, k })).schedule.splitK ?? 1;
    assert.ok(slices(16_000) > 8);
    assert.equal(resolve(cuda({ m: 8000, n: 8008, k: 1000 })).schedule.splitK, undefined);
  });

  it('cover up to 16 rows or columns of C with one tile, and more with a general tile', () => {
    for (const short of [1, 3, 8, 16]) {
      const { schedule } = resolve(cuda({ m: short, n: 5000, k: 4000 }));
      assert.ok((schedule.block?.m ?? 0) >= short && (schedule.block?.m ?? 0) <= 32);
      const narrow = resolve(cuda({ m: 5000, n: short, k: 4000 })).schedule;
      assert.ok((narrow.block?.n ?? 0) >= short && (narrow.block?.n ?? 0) <= 32);
    }
    assert.equal(resolve(cuda({ m: 17, n: 5000, k: 4000 })).schedule.algorithm, 'pipelined');
  });

  it('come with their rate, their error, and the devices of the fit', () => {
    const on = (device: string) => check(cuda({ m: 1000, n: 999, k: 998 }, device)).scheduleFrom;
    assert.match(
      on('h200').text,
      /^Fastest prediction of the time model: [\d.]+ TFLOP\/s, with a typical error of \d+ %\. This shape was not measured\.$/,
    );
    assert.match(
      on('h100-pcie').text,
      /The model was fitted to measurements on NVIDIA H200, NVIDIA H100 SXM\.$/,
    );
    assert.notEqual(on('a100-sxm-80gb').from, 'predicted');
  });
});
