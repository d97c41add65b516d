/**
 * The ring of `wgmma` in time: nothing is overwritten before it is free, and what tensor cores wait
 * for.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { pipelinePicture } from '../../../../src/core/charts/pipelinePicture';
import { WARP_GROUPS } from '../../../../src/core/cost/wgmma/wgmmaCalibration';
import { deviceOf } from '../../../../src/core/hardware/devices';
import { planIfLegal } from '../../../../src/core/plan/planner';
import { resolve } from '../../../../src/core/defaults/resolve';
import type { GemmSpec } from '../../../../src/core/spec/schema';
import {
  timelineOf,
  type StepTimes,
  type Timeline,
  type TimelineShape,
} from '../../../../src/core/kernel/wgmma/timeline';
import { warpGroups, WARP_GROUP_SPECS } from '../../../helpers/warpGroupSpecs';

const SHAPE: TimelineShape = {
  kernelSchedule: 'pingpong',
  consumers: 2,
  stages: 4,
  steps: 16,
  tiles: 4,
  inFlight: 0.5,
};
const TIMES: StepTimes = { multiply: 100, load: 80, latency: 200, store: 500 };

/** Of the time between the first product and the end of the last one. */
function busyOf({ steps }: Timeline, { multiply }: StepTimes): number {
  return (steps.length * multiply) / (steps.at(-1)!.to - steps[0]!.from);
}

const shapes: fc.Arbitrary<TimelineShape> = fc
  .record({
    stages: fc.integer({ min: 2, max: 8 }),
    steps: fc.integer({ min: 1, max: 20 }),
    tiles: fc.integer({ min: 1, max: 5 }),
    consumers: fc.integer({ min: 1, max: 3 }),
    inFlight: fc.constantFrom(0, 0.25, 1),
  })
  .chain(shape =>
    fc.constantFrom<TimelineShape>(
      { ...shape, kernelSchedule: 'cooperative' },
      { ...shape, kernelSchedule: 'pingpong', consumers: 2 },
    ),
  );

const times: fc.Arbitrary<StepTimes> = fc.record({
  multiply: fc.integer({ min: 1, max: 100 }),
  load: fc.integer({ min: 1, max: 200 }),
  latency: fc.integer({ min: 0, max: 900 }),
  store: fc.integer({ min: 0, max: 2000 }),
});

describe('the ring of wgmma in time', () => {
  it('overwrites no stage before it is free, and multiplies none before it is full', () => {
    fc.assert(
      fc.property(shapes, times, (shape, given) => {
        const { steps, stores } = timelineOf(shape, given);
        assert.equal(steps.length, shape.steps * shape.tiles);
        assert.equal(stores.length, shape.tiles);
        for (const [index, step] of steps.entries()) {
          assert.equal(step.stage, index % shape.stages);
          assert.ok(step.asked + given.latency + given.load <= step.full);
          assert.ok(step.full <= step.from && step.to <= step.free);
          assert.equal(step.to, step.from + given.multiply);
          const before = steps[index - shape.stages];
          assert.ok(before === undefined || step.asked >= before.free, 'overwritten');
          const last = steps[index - 1];
          if (last === undefined) continue;
          assert.ok(step.from >= last.to, 'tensor cores do one thing at a time');
          assert.ok(step.asked >= last.asked && step.full >= last.full + given.load);
        }
      }),
    );
  });

  it('gives a consumer its next tile once it has handed on the sums of the last one', () => {
    fc.assert(
      fc.property(shapes, times, (shape, given) => {
        const { steps, stores } = timelineOf(shape, given);
        for (const store of stores) {
          const own = (of: { readonly consumers: readonly number[] }) =>
            of.consumers.some(consumer => store.consumers.includes(consumer));
          const products = steps.filter(({ tile }) => tile === store.tile);
          assert.ok(products.every(({ to }) => to <= store.from));
          const next = steps.find(step => step.tile > store.tile && own(step));
          assert.ok(next === undefined || next.from >= store.handed);
          assert.ok(store.from <= store.handed && store.handed <= store.to);
        }
      }),
    );
  });

  it('keeps tensor cores busy in ping-pong where cooperative consumers leave them for a store', () => {
    const pingpong = timelineOf(SHAPE, TIMES);
    const cooperative = timelineOf({ ...SHAPE, kernelSchedule: 'cooperative' }, TIMES);
    assert.equal(busyOf(pingpong, TIMES), 1);
    assert.ok(busyOf(cooperative, TIMES) < 0.95);
    assert.deepEqual(
      pingpong.stores.map(({ consumers }) => consumers),
      [[0], [1], [0], [1]],
    );
  });

  it('has as many stages as cover a load, and waits where there are less', () => {
    const of = (stages: number) =>
      busyOf(timelineOf({ ...SHAPE, stages, steps: 64, tiles: 1 }, TIMES), TIMES);
    // 280 ns to come, beside the products of all stages but the one that is freed a step late.
    assert.ok(of(2) < 0.5 && of(3) < 1);
    assert.equal(of(5), 1);
    const slow = { ...TIMES, load: 200 };
    const busy = busyOf(timelineOf({ ...SHAPE, stages: 8, steps: 64, tiles: 1 }, slow), slow);
    assert.ok(busy > 0.49 && busy < 0.6, 'loads alone decide');
  });
});

describe('the picture of a pipeline', () => {
  const of = (spec: GemmSpec, device: 'h200' | 't4' = 'h200') => {
    const plan = planIfLegal(resolve(spec), 'cuda');
    assert.ok(plan !== null);
    return { plan, picture: pipelinePicture(plan, deviceOf(device)) };
  };

  it('takes its times from the clock that is left, and from what has been seen to arrive', () => {
    const { plan, picture } = of(WARP_GROUP_SPECS.small);
    assert.ok(picture !== null && plan.family === 'wgmma');
    const { times, loadsFrom, shape, stepsOfTile, clockMHz } = picture;
    const { tile, wgmma } = plan;
    assert.equal(stepsOfTile, 2048 / tile.k);
    assert.deepEqual([shape.stages, shape.consumers], [wgmma.stages, wgmma.consumers]);
    // A multiprocessor multiplies 2048 pairs of bf16 a cycle; barriers take some cycles of a step.
    const barriers =
      wgmma.kernelSchedule === 'pingpong'
        ? WARP_GROUPS.pingpongStepCycles
        : WARP_GROUPS.cooperativeStepCycles;
    const cycles = (tile.m * tile.n * tile.k) / 2048 + barriers;
    assert.ok(Math.abs((times.multiply * clockMHz) / 1000 / cycles - 1) < 1e-9);
    assert.ok(clockMHz > 1000 && clockMHz <= deviceOf('h200').boostClockMHz!);
    assert.equal(loadsFrom, 'l2');
    const bytes = (wgmma.a.bytes + wgmma.b.bytes) * 132;
    assert.ok(Math.abs(bytes / times.load / WARP_GROUPS.arrivingGBps - 1) < 1e-9);
    assert.ok(picture.busy > 0 && picture.busy <= 1);
  });

  const large = (schedule: GemmSpec['schedule']) =>
    of(
      warpGroups(
        { m: 8192, n: 8192, k: 8192, a: { dtype: 'bf16' }, b: { layout: 'col' } },
        schedule,
      ),
    ).picture!;

  it('has as much arrive where a neighbour of the cluster loads a part of it', () => {
    const load = (m: number) =>
      large({ block: { m: 128, n: 256 }, cluster: { m, n: 1 } }).times.load;
    assert.equal(load(2), load(1));
  });

  it('is bound by products where a main loop was measured at their rate, by loads where it was not', () => {
    // 100.0 % of the tensor cores' rate at 128 x 112 (bench/reports/performance.md); 61 % at 64 x
    // 128, whose loads alone take as long.
    const wide = large({ block: { m: 128, n: 112 }, kernelSchedule: 'pingpong' });
    assert.ok(wide.busy > 0.95, `${wide.busy}`);
    const small = large({ block: { m: 64, n: 128 }, kernelSchedule: 'pingpong' });
    assert.ok(small.busy > 0.5 && small.busy < 0.9, `${small.busy}`);
  });

  it('is of every kernel of wgmma, and of no other', () => {
    for (const [name, spec] of Object.entries(WARP_GROUP_SPECS)) {
      const { picture } = of(spec);
      if (spec.schedule?.algorithm === 'mma') {
        assert.equal(picture, null);
        continue;
      }
      assert.ok(picture !== null, name);
      assert.ok(picture.busy > 0.1 && picture.busy <= 1, `${name}: ${picture.busy}`);
      assert.ok(
        picture.steps.every(({ full, to }) => Number.isFinite(full) && Number.isFinite(to)),
      );
    }
    const problem = { m: 512, n: 512, k: 512 };
    assert.equal(of({ problem, schedule: { algorithm: 'warp-tile' } }).picture, null);
  });
});
