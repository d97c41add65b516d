/**
 * Stages that warps copy to themselves, in time: nothing is overwritten while it is read, and all
 * is waited for.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { analyze } from '../../../src/core/report/analyze';
import { stagePicture } from '../../../src/core/charts/stagePicture';
import {
  stageTimeline,
  type StageShape,
  type StageTimeline,
  type StageTimes,
} from '../../../src/core/charts/stageTimeline';
import { deviceOf, findDevice, type DeviceId } from '../../../src/core/hardware/devices';
import { emit } from '../../../src/core/kernel/emit';
import { planIfLegal } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec } from '../../../src/core/spec/schema';

const IN_ORDER: StageTimes = { multiply: 1, fragments: 1, barrier: 0, deposit: 1, copy: null };

const shapes: fc.Arbitrary<StageShape> = fc
  .record({ steps: fc.integer({ min: 1, max: 12 }), depths: fc.integer({ min: 1, max: 6 }) })
  .chain(({ steps, depths }) =>
    fc.oneof(
      fc.record<StageShape>({
        steps: fc.constant(steps),
        depths: fc.constant(depths),
        stages: fc.constantFrom(1, 2),
        copies: fc.constant('registers'),
        buffers: fc.constant(1),
        copyDepths: fc.constant(1),
        again: fc.constant(false),
      }),
      fc.record<StageShape>({
        steps: fc.constant(steps),
        depths: fc.constant(depths),
        stages: fc.integer({ min: 2, max: 5 }),
        copies: fc.constant('asynchronous'),
        buffers: fc.constant(1),
        copyDepths: fc.constant(1),
        again: fc.constant(false),
      }),
      fc.record<StageShape>({
        steps: fc.constant(steps),
        depths: fc.constant(2 * depths),
        stages: fc.integer({ min: 2, max: 5 }),
        copies: fc.constant('asynchronous'),
        buffers: fc.constant(2),
        copyDepths: fc.integer({ min: 1, max: 2 * depths }),
        again: fc.boolean(),
      }),
    ),
  );

const length = fc.integer({ min: 1, max: 100 });
const times: fc.Arbitrary<StageTimes> = fc.oneof(
  fc.constant(IN_ORDER),
  fc.record({
    multiply: length,
    fragments: length,
    barrier: fc.nat(20),
    deposit: length,
    copy: fc.record({ latency: fc.nat(900), load: fc.nat(200) }),
  }),
);

const always = (check: (line: StageTimeline, shape: StageShape, of: StageTimes) => void): void => {
  fc.assert(
    fc.property(shapes, times, (shape, of) => {
      check(stageTimeline(shape, of), shape, of);
    }),
  );
};

describe('stages that warps fill, in time', () => {
  it('has each step once, in its stage, with products of each depth', () => {
    always(({ steps, again, end }, shape) => {
      assert.equal(steps.length, shape.steps);
      for (const [index, { step, stage, fragments, products }] of steps.entries()) {
        assert.deepEqual([step, stage], [index, index % shape.stages]);
        assert.deepEqual([fragments.length, products.length], [shape.depths, shape.depths]);
        assert.ok(products.every(({ to }) => to <= end));
      }
      assert.equal(again.length, shape.again ? shape.stages - 1 : 0);
      assert.ok(again.every(({ asked, arrived }) => asked <= arrived && arrived <= end));
    });
  });

  it('refills no stage before all products of the tile in it have ended', () => {
    always(({ steps, again }, { stages }) => {
      for (const [index, { asked, deposit }] of [...steps, ...again].entries()) {
        const before = steps[index - stages];
        if (before === undefined) continue;
        const filled = deposit?.from ?? asked;
        assert.ok(before.products.every(({ to }) => to <= filled));
        assert.ok(before.fragments.every(({ to }) => to <= before.free) && before.free <= filled);
      }
    });
  });

  it('waits for each copy, and for all warps, before its fragments, and for these before products', () => {
    always(({ steps }, shape, { copy, barrier, deposit }) => {
      for (const step of steps) {
        const { asked, arrived, waited, fragments, products } = step;
        assert.ok(asked <= arrived && arrived <= waited.to);
        assert.ok(waited.to + (step.deposit === null ? 0 : deposit) <= step.barrier.from);
        assert.equal(step.deposit !== null, shape.copies === 'registers');
        assert.equal(step.barrier.to, step.barrier.from + barrier);
        assert.ok(copy === null || arrived >= asked + copy.latency + copy.load);
        for (const [depth, { from }] of fragments.entries()) {
          assert.ok(from >= step.barrier.to);
          assert.ok((products[depth]?.from ?? 0) >= fragments[depth]!.to);
        }
      }
    });
  });

  it('does one thing at a time: transfers, products, and each buffer of fragments', () => {
    always(({ steps }, { buffers, depths }, { copy }) => {
      const all = steps.flatMap(({ products, fragments }) =>
        products.map((product, i) => ({ product, fragment: fragments[i]! })),
      );
      assert.equal(all.length, steps.length * depths);
      for (const [index, { product, fragment }] of all.entries()) {
        const last = all[index - 1];
        if (last !== undefined) {
          assert.ok(product.from >= last.product.to && fragment.from >= last.fragment.to);
        }
        // A buffer is loaded again once it is multiplied.
        const before = all[index - buffers];
        assert.ok(before === undefined || fragment.from >= before.product.to);
      }
      for (const [index, { arrived }] of steps.entries()) {
        const last = steps[index - 1];
        assert.ok(last === undefined || copy === null || arrived >= last.arrived + copy.load);
      }
    });
  });

  it('copies as many tiles ahead as there are stages but one, if K has so many', () => {
    always(({ steps }, { stages, copies }) => {
      const ahead = copies === 'registers' ? 1 : stages - 1;
      const [first] = steps;
      const now = first!.barrier.to;
      const asked = steps.filter(step => step.asked < now).length;
      assert.equal(asked, copies === 'registers' ? 1 : Math.min(steps.length, ahead));
      for (const [index, step] of steps.entries()) {
        const from = steps[index - ahead];
        if (from !== undefined) assert.ok(step.asked <= from.products[0]!.from);
      }
    });
  });

  it('loads fragments of a depth while the one before is multiplied, over the border of a tile', () => {
    const shape: StageShape = {
      stages: 3,
      copies: 'asynchronous',
      buffers: 2,
      steps: 6,
      depths: 4,
      copyDepths: 2,
      again: true,
    };
    const { steps } = stageTimeline(shape, { ...IN_ORDER, copy: { latency: 3, load: 1 } });
    const all = steps.flatMap(({ products, fragments }) =>
      products.map((product, i) => ({ product, fragment: fragments[i]! })),
    );
    for (const [index, { fragment }] of all.slice(1).entries()) {
      assert.deepEqual(fragment, all[index]!.product);
    }
    assert.equal(steps.at(-1)!.products.at(-1)!.to - steps[0]!.products[0]!.from, 24, 'no wait');
  });

  it('waits less, the more stages there are', () => {
    const of = (stages: number) =>
      stageTimeline(
        {
          stages,
          copies: 'asynchronous',
          buffers: 1,
          steps: 12,
          depths: 2,
          copyDepths: 1,
          again: false,
        },
        { ...IN_ORDER, copy: { latency: 10, load: 2 } },
      ).steps.reduce((sum, { waited }) => sum + waited.to - waited.from, 0);
    assert.ok(of(2) > of(3) && of(3) > of(5));
    assert.equal(of(5), 12, 'for the first tile alone');
  });
});

describe('the picture of stages that warps fill', () => {
  const of = (spec: GemmSpec, target: 'cuda' | 'wgsl' = 'cuda') => {
    const plan = planIfLegal(resolve(spec), target);
    assert.ok(plan !== null, JSON.stringify(spec));
    const device = findDevice(plan.spec.device);
    assert.ok(device !== undefined);
    const analysis = analyze(emit(plan), { device: device.id });
    return { plan, picture: stagePicture({ plan, device, analysis }) };
  };
  const product = (schedule: object, over: object = {}, device?: DeviceId): GemmSpec => ({
    problem: { m: 1024, n: 1024, k: 1024, a: { dtype: 'f16' }, ...over },
    schedule: { algorithm: 'mma', ...schedule },
    ...(device === undefined ? {} : { device }),
  });

  it('takes its times from the rate of mma.sync and the latencies of the time model', () => {
    const { plan, picture } = of(
      product({ block: { m: 128, n: 128, k: 64 }, stages: 3, fragments: 2 }),
    );
    assert.ok(picture !== null);
    const { shape, times, stepsOfTile, rates } = picture;
    assert.deepEqual(
      [shape.stages, shape.buffers, shape.depths, shape.again, stepsOfTile],
      [3, 2, 4, true, 16],
    );
    // A block's share of the peak that mma.sync reaches (HOPPER_MMA_SHARE).
    const { tile } = plan;
    const peak = deviceOf('h200').peakTflops['f16-tensor']! * 0.634 * 1000;
    const depth = (2 * tile.m * tile.n * 16 * 132) / peak;
    assert.ok(Math.abs(times.multiply / depth - 1) < 1e-9, `${times.multiply} ${depth}`);
    const { boostClockMHz } = deviceOf('h200');
    assert.ok(Math.abs((times.copy!.latency * boostClockMHz!) / 850.2e3 - 1) < 1e-9);
    const bytes = (tile.m + tile.n) * tile.k * 2 * 132;
    assert.deepEqual(rates, { loadsFrom: 'l2', calibratedOn: 'h200' });
    assert.ok(Math.abs(bytes / times.copy!.load / 9675 - 1) < 1e-9);
    assert.equal(times.deposit, 0, 'asynchronous copies pass no register');
  });

  it('is of any number of stages and steps, and of registers where nothing is copied asynchronously', () => {
    for (const stages of [2, 3, 4, 5]) {
      for (const [k, fragments] of [32, 64, 96, 1000].flatMap(depth =>
        [1, 2].map(f => [depth, f]),
      )) {
        const block = { m: 64, n: 64, k: 32 };
        const { picture } = of(product({ block, stages, fragments }, { k }));
        assert.ok(picture !== null);
        assert.equal(picture.steps.length, Math.ceil(k! / 32));
        assert.equal(picture.shape.copies, 'asynchronous');
        assert.ok(picture.steps.every(({ free }) => Number.isFinite(free)));
      }
    }
    for (const stages of [1, 2]) {
      const { picture } = of(product({ stages }, {}, 't4'));
      assert.ok(picture !== null);
      assert.equal(picture.shape.copies, 'registers');
      assert.ok(picture.times.deposit > 0);
      assert.equal(picture.barriers.length, stages === 1 ? picture.steps.length - 1 : 0);
    }
  });

  it('is of the order alone where no rate is known, and says so', () => {
    for (const { picture } of [
      of(product({ stages: 3, fragments: 2 }, {}, 'b200')),
      of(product({ stages: 3 }, { a: { dtype: 'e4m3' }, b: { layout: 'col' } })),
      of({ problem: { m: 512, n: 512, k: 512 }, schedule: { algorithm: 'pipelined' } }, 'wgsl'),
    ]) {
      assert.ok(picture !== null);
      assert.equal(picture.rates, null);
      assert.deepEqual(picture.times, IN_ORDER);
      assert.ok(picture.steps.slice(1).every(({ waited }) => waited.from === waited.to));
    }
  });

  it('is of pipelined, too, and of no kernel that copies and multiplies in turn', () => {
    const schedule = { algorithm: 'pipelined', stages: 3, fragments: 2 } as const;
    const problem = { m: 512, n: 512, k: 512 };
    const { plan, picture } = of({ problem, schedule });
    assert.ok(picture !== null);
    assert.deepEqual([picture.shape.depths, picture.shape.again], [plan.tile.k, true]);
    assert.equal(of({ problem, schedule: { algorithm: 'warp-tile' } }).picture, null);
    assert.equal(of(product({ algorithm: 'wgmma' })).picture, null);
  });
});
