/**
 * The time model of `wgmma`: what must hold of any prediction, and the recorded races that it was
 * fitted to and judged on.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import * as v from 'valibot';
import {
  heldOut,
  judgedRaces,
  type GroupJudgement,
} from '../../../../scripts/model/warpGroupJudge';
import { predictedMs, fittedRaces, type Race } from '../../../../scripts/model/warpGroupPoints';
import { analyze } from '../../../../src/core/report/analyze';
import { deviceOf, type DeviceId } from '../../../../src/core/hardware/devices';
import { emit } from '../../../../src/core/kernel/emit';
import { warpGroupInput } from '../../../../src/core/cost/wgmma/wgmmaInput';
import {
  ENERGY_EXPONENT,
  POWER,
  REFERENCE_MHZ,
  SM_90,
  WARP_GROUPS,
  warpGroupsOn,
} from '../../../../src/core/cost/wgmma/wgmmaCalibration';
import { warpGroupTexts } from '../../../../src/core/model/wgmma/wgmmaText';
import {
  predictWarpGroups,
  type WarpGroupMachine,
} from '../../../../src/core/cost/wgmma/wgmmaModel';
import { planIfLegal } from '../../../../src/core/plan/planner';
import { rank } from '../../../../src/core/search/rank/rank';
import { resolve } from '../../../../src/core/defaults/resolve';
import type { GemmSpec, Schedule } from '../../../../src/core/spec/schema';
import { sizeSweep, sweepInputOf } from '../../../../src/core/search/sweep/sweep';
import { warpGroupSpecs, warpGroups, WARP_GROUP_SPECS } from '../../../helpers/warpGroupSpecs';
import { runs } from '../../../helpers/depth';

const TN = { a: { dtype: 'bf16' }, b: { layout: 'col' } } as const;
const square = (size: number, schedule: Schedule = {}): GemmSpec =>
  warpGroups({ m: size, n: size, k: size, ...TN }, schedule);

function predicted(
  spec: GemmSpec,
  change: Partial<WarpGroupMachine> = {},
  device: DeviceId = 'h200',
) {
  const plan = planIfLegal(resolve({ ...spec, device }), 'cuda');
  assert.ok(plan !== null, JSON.stringify(spec.schedule));
  const input = warpGroupInput({ plan, device: deviceOf(device) });
  assert.ok(input !== null);
  return predictWarpGroups({ ...input, machine: { ...input.machine, ...change } });
}

function withConstants(spec: GemmSpec, constants: Partial<typeof WARP_GROUPS>): number {
  const plan = planIfLegal(resolve({ ...spec, device: 'h200' }), 'cuda') ?? assert.fail();
  const input = warpGroupInput({ plan, device: deviceOf('h200') }) ?? assert.fail();
  return predictWarpGroups({ ...input, calibration: { ...input.calibration, ...constants } })
    .milliseconds;
}

describe('the time of wgmma', () => {
  it('is longer if rows of C are not aligned to sectors, and for shorter runs of C', () => {
    const timeAt = (ld: number, schedule: Schedule): number =>
      predicted(warpGroups({ m: 8192, n: 8192, k: 64, ...TN, c: { ld } }, schedule)).milliseconds;
    const wide = { block: { m: 128, n: 192 } } as const;
    const low = { operandOrder: 'ba', block: { m: 192, n: 128 } } as const;
    assert.ok(timeAt(8200, wide) > timeAt(8208, wide));
    assert.equal(timeAt(8208, wide), timeAt(8192, wide));
    // Tiles of the same size, whose runs of C have 192 and 128 elements.
    const cost = (schedule: Schedule): number => timeAt(8200, schedule) - timeAt(8208, schedule);
    assert.ok(cost(low) > cost(wide));
  });

  it('is finite, longer than each of its parts, and below the peak of tensor cores', () => {
    fc.assert(
      fc.property(warpGroupSpecs, spec => {
        fc.pre(planIfLegal(resolve({ ...spec, device: 'h200' }), 'cuda') !== null);
        const { milliseconds, tflops, clockMHz, parts, step } = predicted(spec);
        assert.ok(Number.isFinite(milliseconds) && tflops > 0);
        const running = Math.hypot(parts.multiprocessors, parts.dram);
        assert.ok(
          Math.abs(running + parts.launch + parts.before + parts.reduction - milliseconds) < 1e-12,
        );
        assert.ok(clockMHz > 0 && clockMHz <= 1980 && step.products > 0 && step.latency > 0);
      }),
      { ...runs(100) },
    );
  }).timeout(60_000);

  it('is longer with less of anything: DRAM, power, clock', () => {
    for (const spec of [
      square(2048),
      square(8192),
      warpGroups({ m: 16, n: 8192, k: 8192, ...TN }),
    ]) {
      const whole = predicted(spec).milliseconds;
      assert.ok(predicted(spec, { dramGBps: 2000 }).milliseconds > whole);
      assert.ok(predicted(spec, { clockMHz: 900 }).milliseconds > whole);
      assert.ok(predicted(spec, { watts: 300 }).milliseconds > whole);
      assert.ok(predicted(spec, { watts: 2000 }).milliseconds <= whole);
    }
  });

  it('is at the clock that the power limit leaves, which a kernel that waits for DRAM does not reach', () => {
    const busy = predicted(square(8192));
    assert.ok(busy.clockMHz > 1250 && busy.clockMHz < 1750, String(busy.clockMHz));
    assert.equal(predicted(warpGroups({ m: 16, n: 8192, k: 8192, ...TN })).clockMHz, 1980);
    assert.equal(predicted(square(8192), { watts: Infinity }).clockMHz, 1980);
    // At the limit the energy of the whole is what the limit gives in that time.
    const { milliseconds, parts, clockMHz } = busy;
    const { idleWatts, tensorNanojoules, loadedPicojoules } = WARP_GROUPS;
    const padding = (Math.ceil(8192 / 192) * 192) / 8192;
    const tensor = padding * (8192 ** 3 / 2048) * tensorNanojoules * 1e-6;
    const loadedBytes = 2 * 8192 ** 3 * padding * (1 / 128 + 1 / 192);
    const energy = tensor + loadedBytes * loadedPicojoules * 1e-9;
    const watts =
      idleWatts +
      (energy * (clockMHz / REFERENCE_MHZ) ** ENERGY_EXPONENT) / (milliseconds - parts.launch);
    assert.ok(Math.abs(watts - 700) < 1, String(watts));
  });

  it('tells schedules apart: rounds, stages, parts of K, early launches, pieces', () => {
    const of = (size: number, schedule: Schedule) => predicted(square(size, schedule));
    const tile = (n: number) => ({ block: { m: 128, n } });
    assert.equal(of(2048, tile(128)).rounds, 2);
    assert.equal(of(2048, tile(256)).rounds, 1);
    assert.ok(of(4096, { stages: 2 }).milliseconds > of(4096, { stages: 5 }).milliseconds);
    assert.ok(
      of(2048, { launch: 'programmatic' }).milliseconds < of(2048, {}).milliseconds,
      'launches',
    );
    const few = (schedule: Schedule) =>
      predicted(
        warpGroups(
          { m: 64, n: 1024, k: 16_384, ...TN },
          { block: { m: 64, n: 128 }, kernelSchedule: 'cooperative', consumers: 1, ...schedule },
        ),
      ).milliseconds;
    assert.ok(few({ splitK: 4 }) < few({}), 'parts of K where tiles are few');
    const twoPass = (splitK: number) =>
      predicted(
        warpGroups(
          { m: 64, n: 1024, k: 16_384, ...TN },
          {
            block: { m: 64, n: 128 },
            kernelSchedule: 'cooperative',
            consumers: 1,
            splitK,
            splitKReduction: 'two-pass',
          },
        ),
      );
    assert.ok(twoPass(16).milliseconds < few({}), 'two-pass split-K where tiles are few');
    const [four, sixteen] = [twoPass(4).parts.reduction, twoPass(16).parts.reduction];
    assert.ok(0 < four && four < sixteen, 'the reduction kernel reads all partial results');
    assert.equal(twoPass(16).steps, 16);
    const f32 = { m: 4096, n: 4096, k: 4096, b: { layout: 'col' } } as const;
    const split = (one: 'bf16x3' | 'bf16x9') => predicted(warpGroups(f32, { split: one }));
    assert.ok(split('bf16x3').parts.before > 0);
    const ratio = split('bf16x9').milliseconds / split('bf16x3').milliseconds;
    assert.ok(ratio > 2.5 && ratio < 3.2, String(ratio));
    assert.equal(predicted(square(4096)).parts.before, 0);
  });

  it('is shorter if the last round occupies few SMs', () => {
    const times = (m: number) =>
      [1, 0.1].map(lastRoundShare =>
        withConstants(warpGroups({ m, n: 512, k: 4096, ...TN }, { block: { m: 128, n: 128 } }), {
          lastRoundShare,
          row128Nanoseconds: 4,
        }),
      );
    // 132 SMs: 33 rows of 4 tiles fill a round, and 34 rows begin a second one.
    const [full, alsoFull] = times(33 * 128);
    assert.equal(full, alsoFull);
    const [evenly, last = NaN] = times(34 * 128);
    assert.ok(last < (evenly ?? NaN));
    assert.ok(last > (full ?? NaN));
  });

  it('includes the rows of tiles outside of the matrix', () => {
    const times = (m: number) =>
      [0, 2].map(paddedRowFactor =>
        withConstants(warpGroups({ m, n: 512, k: 4096, ...TN }, { block: { m: 128, n: 128 } }), {
          paddedRowFactor,
          row128Nanoseconds: 4,
        }),
      );
    const [whole, alsoWhole] = times(1024);
    assert.equal(whole, alsoWhole);
    const [without = NaN, padded = NaN] = times(1024 + 8);
    assert.ok(padded > without);
  });

  it('hides stores of ping-pong consumers behind long main loops, and none of cooperative ones', () => {
    const deep = (kernelSchedule: 'cooperative' | 'pingpong') =>
      predicted(
        warpGroups(
          { m: 8192, n: 8192, k: 4096, ...TN },
          { block: { m: 128, n: 128 }, consumers: 2, kernelSchedule },
        ),
      ).parts.multiprocessors;
    assert.ok(deep('cooperative') > 1.01 * deep('pingpong'));
  });
});

describe('the time of wgmma, wherever a time is told', () => {
  it('is part of an analysis, with its point on the roofline and what it is made of in words', () => {
    for (const [name, spec] of Object.entries(WARP_GROUP_SPECS)) {
      const plan = planIfLegal(resolve(spec), 'cuda');
      assert.ok(plan?.family === 'wgmma', name);
      const { prediction, roofline, notes } = analyze(emit(plan), { device: 'h200' });
      if (plan.wgmma.kernelSchedule === 'tma') {
        assert.equal(prediction, null);
        assert.ok(
          notes.some(({ text }) => text.startsWith('No time is predicted for kernelSchedule tma')),
        );
        continue;
      }
      assert.ok(prediction !== null && 'warpGroups' in prediction, name);
      // Two-pass split-K was not measured yet.
      assert.equal(prediction.fitted, plan.wgmma.twoPass === undefined, name);
      const point = roofline.points.find(({ kind }) => kind === 'predicted');
      assert.equal(point?.tflops, prediction.tflops.value);
      assert.ok(prediction.tflops.value < roofline.attainable.value, name);
      const texts = warpGroupTexts(prediction.warpGroups, deviceOf('h200'));
      const { before, reduction } = prediction.warpGroups.parts;
      assert.equal(texts.length, 3 + (before > 0 ? 1 : 0) + (reduction > 0 ? 1 : 0), name);
      assert.match(texts[1] ?? '', /MHz/);
    }
  });

  it('is that of ranks and sweeps', () => {
    const spec = resolve({ ...square(4096), device: 'h200' });
    const ranking = rank(spec, 3);
    assert.ok('best' in ranking && ranking.best.length === 3 && ranking.scored > 500);
    for (const { schedule, milliseconds } of ranking.best) {
      assert.equal(schedule.algorithm, 'wgmma');
      assert.equal(milliseconds, predicted({ ...square(4096), schedule }).milliseconds);
    }
    const plan = planIfLegal(spec, 'cuda');
    assert.ok(plan !== null);
    const input = sweepInputOf(analyze(emit(plan), { device: 'h200' }), plan);
    assert.ok(input !== null);
    const { points, calibratedOn } = sizeSweep(input, 'm', [4096, 4224]);
    assert.equal(calibratedOn, 'h200');
    assert.equal(
      points.find(({ size }) => size === 4096)?.predicted?.milliseconds,
      predicted(square(4096)).milliseconds,
    );
  });

  it('is borrowed by other devices of compute capability 9.0, which are slower with less of everything', () => {
    const plan = planIfLegal(resolve({ ...square(8192), device: 'h100-pcie' }), 'cuda');
    assert.ok(plan !== null);
    const { prediction } = analyze(emit(plan), { device: 'h100-pcie' });
    assert.equal(prediction?.calibratedOn, 'h200');
    assert.ok(prediction.milliseconds.value > 1.3 * predicted(square(8192)).milliseconds);
  });
});

const judgementSchema = v.object({
  races: v.number(),
  kernels: v.number(),
  error: v.number(),
  errorOfAll: v.number(),
  spearman: v.number(),
  spearmanOfAll: v.number(),
  near: v.number(),
  nearOfTurns: v.number(),
  racesOfTurns: v.number(),
  choice: v.object({ mean: v.number(), p5: v.number(), least: v.number() }),
});

const recordSchema = v.object({
  files: v.array(v.string()),
  heldOut: v.array(v.string()),
  calibration: v.record(v.string(), v.union([v.number(), v.string()])),
  fittedTo: judgementSchema,
  judgedOn: judgementSchema,
});
const recorded = (file: string) =>
  v.parse(recordSchema, JSON.parse(readFileSync(`bench/${file}`, 'utf8')));

/** Relative difference of judgements that the precision of the clock search causes. */
const CLOSE = 1e-3;

function assertClose(
  { choice, ...numbers }: GroupJudgement,
  { choice: recordedChoice, ...recordedNumbers }: GroupJudgement,
): void {
  const expected: Readonly<Record<string, number>> = { ...recordedNumbers, ...recordedChoice };
  for (const [name, number] of Object.entries({ ...numbers, ...choice })) {
    const other = expected[name] ?? assert.fail(name);
    assert.ok(Math.abs(number - other) <= CLOSE * other, `${name}: ${number}, not ${other}`);
  }
}

describe('the time of wgmma beside the recorded races', () => {
  for (const [name, calibration, file] of [
    ['sm', SM_90, 'wgmma-model.json'],
    ['h200', warpGroupsOn('h200').calibration, 'h200-wgmma-model.json'],
    ['h100-sxm', warpGroupsOn('h100-sxm').calibration, 'h100-wgmma-model.json'],
  ] as const) {
    it(`has the numbers that were fitted, and judges as was recorded: ${name}`, () => {
      const record = recorded(file);
      const { origin, ...numbers } = calibration;
      assert.match(origin, /two thirds of the shapes/);
      assert.deepEqual({ ...numbers, origin: 'fitted' }, record.calibration);
      const races = record.files.flatMap(records =>
        fittedRaces(readFileSync(`bench/${records}`, 'utf8')),
      );
      const held = heldOut(races);
      assert.deepEqual(held, record.heldOut);
      const of = (some: readonly Race[]) =>
        judgedRaces(some, point => predictedMs(point, calibration));
      assertClose(of(races.filter(({ shape }) => held.includes(shape))), record.judgedOn);
      assertClose(of(races.filter(({ shape }) => !held.includes(shape))), record.fittedTo);
    }).timeout(60_000);
  }

  it('is within 5 % of half of the kernels of shapes that it never saw, and orders them', () => {
    const { judgedOn } = recorded('wgmma-model.json');
    assert.ok(judgedOn.error < 0.05 && judgedOn.spearmanOfAll > 0.6, JSON.stringify(judgedOn));
    assert.ok(judgedOn.nearOfTurns > 0.75 * judgedOn.racesOfTurns);
  });

  it('has the recorded energy constants, and prefers large tiles at the power limit', () => {
    const { constants, energyExponent } = v.parse(
      v.object({ constants: v.record(v.string(), v.number()), energyExponent: v.number() }),
      JSON.parse(readFileSync('bench/h200-power-model.json', 'utf8')),
    );
    assert.deepEqual(constants, POWER);
    assert.equal(energyExponent, ENERGY_EXPONENT);
    const clockOf = (m: number, n: number): number =>
      predicted(square(6144, { block: { m, n }, kernelSchedule: 'cooperative', consumers: 2 }))
        .clockMHz;
    assert.ok(clockOf(256, 192) > clockOf(256, 128) + 20);
  });

  it('uses the constants of the H200 on GPUs that were not benchmarked', () => {
    assert.equal(warpGroupsOn('h100-sxm').device, 'h100-sxm');
    assert.deepEqual(warpGroupsOn('h100-pcie'), { device: 'h200', calibration: WARP_GROUPS });
  });
});
