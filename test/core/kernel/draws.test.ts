/**
 * Random specs of the whole space: 1,000 in the long tier, a sample in others. node
 * out/scripts/draw.js draws more.
 */
import assert from 'node:assert/strict';
import { draw, replay, specFailures } from '../../../scripts/grid/draws';
import { shrink } from '../../../scripts/grid/shrink';
import {
  FRAGMENT_SEEDS,
  GEMV_SEEDS,
  LATER_SEEDS,
  MATRIX_SEEDS,
  specOf,
} from '../../../scripts/grid/specs';
import { fragmentPlanIn, lanePlanIn, matrixPlanIn } from '../../../src/core/plan/family';
import type { Kernel } from '../../../src/core/kernel/kernel';
import { ALGORITHMS } from '../../../src/core/spec/schema';
import { IS_WHOLE, isEnough, sampleOf } from '../../helpers/depth';

describe('random specs', () => {
  it('are right in simulate where they are legal, and are refused with a legal value where not', async function () {
    this.timeout(300_000);
    const failed: string[] = [];
    const met = new Set<string>();
    let illegal = 0;
    const drawnSpecs = sampleOf(1000);
    for (let seed = 0; seed < drawnSpecs; seed++) {
      const drawn = await draw(seed);
      if (drawn.failures.length > 0) failed.push(replay(drawn));
      if (drawn.kernels.length === 0) illegal++;
      for (const { target, plan } of drawn.kernels) met.add(`${plan.algorithm} ${target}`);
    }
    assert.equal(failed.length, 0, failed.slice(0, 10).join('\n'));
    assert.ok(
      illegal > 0.2 * drawnSpecs && illegal < 0.6 * drawnSpecs,
      `${illegal} of ${drawnSpecs} are illegal`,
    );
    // A sample is too small to have every kind of kernel.
    if (!IS_WHOLE) return;
    const others = ['mma', 'wgmma', 'register-tile', 'gemv'];
    const planned = ALGORITHMS.filter(name => !others.includes(name));
    // tf32 that names no algorithm has the only one that Hopper's tensor cores leave it.
    const all = [...planned.flatMap(name => [`${name} cuda`, `${name} wgsl`]), 'wgmma cuda'];
    assert.deepEqual([...met].sort(), all.sort());
  });

  it('of register-tile, whose seeds are its own, hold', async function () {
    this.timeout(120_000);
    const failed: string[] = [];
    let [legal, shared] = [0, 0];
    for (let seed = LATER_SEEDS; seed < LATER_SEEDS + sampleOf(250); seed++) {
      const drawn = await draw(seed);
      if (drawn.failures.length > 0) failed.push(replay(drawn));
      legal += drawn.kernels.length;
      shared += drawn.kernels.filter(({ plan }) => lanePlanIn(plan)?.sharing === 'quad').length;
    }
    assert.equal(failed.length, 0, failed.slice(0, 10).join('\n'));
    assert.ok(
      isEnough(legal, 140) && isEnough(shared, 20),
      `${legal} kernels, ${shared} of them with quads`,
    );
  });

  it('of gemv, whose seeds are its own, hold', async function () {
    this.timeout(120_000);
    const failed: string[] = [];
    const kernels: Kernel[] = [];
    for (let seed = GEMV_SEEDS; seed < GEMV_SEEDS + sampleOf(250); seed++) {
      const drawn = await draw(seed);
      if (drawn.failures.length > 0) failed.push(replay(drawn));
      kernels.push(...drawn.kernels);
    }
    const plans = kernels.flatMap(({ plan }) => lanePlanIn(plan)?.gemv ?? []);
    assert.equal(failed.length, 0, failed.slice(0, 10).join('\n'));
    const shuffled = plans.filter(({ lanesK }) => lanesK > 1).length;
    const shared = plans.filter(({ partials }) => partials > 1).length;
    assert.ok(
      isEnough(plans.length, 100) && isEnough(shuffled, 30) && isEnough(shared, 50),
      `${plans.length} kernels, ${shuffled} with shuffles, ${shared} with shared memory`,
    );
  });

  it('of mma, whose seeds are its own, hold', async function () {
    this.timeout(120_000);
    const failed: string[] = [];
    const kernels: Kernel[] = [];
    for (let seed = MATRIX_SEEDS; seed < MATRIX_SEEDS + sampleOf(250); seed++) {
      const drawn = await draw(seed);
      if (drawn.failures.length > 0) failed.push(replay(drawn));
      kernels.push(...drawn.kernels.filter(({ target }) => target === 'wgsl'));
    }
    assert.equal(failed.length, 0, failed.slice(0, 10).join('\n'));
    const directly = kernels.filter(({ plan }) => matrixPlanIn(plan)?.direct === true).length;
    assert.ok(
      isEnough(kernels.length, 75) && isEnough(directly, 20),
      `${kernels.length} kernels, ${directly} direct`,
    );
  });

  it('of mma on tensor cores, whose seeds are its own, hold', async function () {
    this.timeout(120_000);
    const failed: string[] = [];
    const kernels: Kernel[] = [];
    for (let seed = FRAGMENT_SEEDS; seed < FRAGMENT_SEEDS + sampleOf(250); seed++) {
      const drawn = await draw(seed);
      if (drawn.failures.length > 0) failed.push(replay(drawn));
      kernels.push(...drawn.kernels.filter(({ target }) => target === 'cuda'));
    }
    assert.equal(failed.length, 0, failed.slice(0, 10).join('\n'));
    const copied = kernels.filter(
      ({ plan }) => fragmentPlanIn(plan)?.copies === 'asynchronous',
    ).length;
    assert.ok(
      isEnough(kernels.length, 75) && isEnough(copied, 20),
      `${kernels.length} kernels, ${copied} copied`,
    );
  });

  it('that longer runs found hold', async () => {
    const strides = [1124, 3707, 8001, 9896, 34976, 9964, 30011];
    // Negative addresses under a swizzle, an f16 result that overflows, leading dimensions of
    // gigabytes.
    const others = [3765, 10193, 24145, 31910, 21811, 2592, 10756];
    for (const seed of [...strides, ...others]) {
      const drawn = await draw(seed);
      assert.deepEqual(drawn.failures, [], replay(drawn));
    }
  });

  it('declare whole vectors in WGSL where A and B are loaded in vectors of different widths', async () => {
    const drawn = await draw(10244);
    const [source = ''] = drawn.kernels.flatMap(({ target, source }) =>
      target === 'wgsl' ? [source] : [],
    );
    assert.match(source, /let v0 = A\[/);
    assert.doesNotMatch(source, /let v\d?\./);
  });

  it('are the same for the same seed, and others for others', () => {
    assert.deepEqual(specOf(17), specOf(17));
    const texts = new Set(Array.from({ length: 500 }, (_, seed) => JSON.stringify(specOf(seed))));
    assert.equal(texts.size, 500);
  });

  it('shrink to the smallest that still fails', async () => {
    const spec = { problem: { m: 40, n: 9, k: 77, beta: 2 }, schedule: { splitK: 3 } };
    const smallest = await shrink(spec, other => Promise.resolve(other.problem.k > 20));
    assert.deepEqual(smallest, { problem: { m: 1, n: 1, k: 21 } });
    assert.deepEqual(await specFailures(smallest, true), []);
  });
});
