/**
 * The saw-tooth: closed forms beside tiles that are counted one by one, both sides of every tooth,
 * and the time model.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { lanePlanIn } from '../../../../src/core/plan/family';
import { analyze } from '../../../../src/core/report/analyze';
import { deviceOf } from '../../../../src/core/hardware/devices';
import { kernelOf } from '../../../../scripts/grid/properties';
import { specOf } from '../../../../scripts/grid/specs';
import type { Kernel } from '../../../../src/core/kernel/kernel';
import { emit } from '../../../../src/core/kernel/emit';
import { analyzedCosts } from '../../../../src/core/model/siteCosts';
import { planIfLegal } from '../../../../src/core/plan/planner';
import type { GemmSpec } from '../../../../src/core/spec/schema';
import { problemAt } from '../../../../src/core/search/sweep/resized';
import { AXES, sizeSweep, sizesAt, type SweepPoint } from '../../../../src/core/search/sweep/sweep';
import {
  betterSizes,
  defaultRange,
  tileBoundarySizes,
} from '../../../../src/core/search/sweep/sweepSizes';
import { isEnough, runs, sampleOf } from '../../../helpers/depth';

const device = deviceOf('h200');

function inputOf(kernel: Kernel) {
  const { occupancy, globalMemory, sharedMemory } = analyze(kernel, { device: 'h200' });
  if (occupancy === null || occupancy.blocksPerSm === 0) return null;
  const costs = analyzedCosts(globalMemory, sharedMemory);
  return { plan: kernel.plan, device, occupancy, costs };
}

function kernelFor(spec: GemmSpec): Kernel {
  const kernel = kernelOf(spec, 'cuda');
  assert.ok(kernel !== null);
  return kernel;
}

const pipelined = (m: number, n = m, k = m): Kernel =>
  kernelFor({
    problem: { m, n, k },
    schedule: {
      algorithm: 'pipelined',
      block: { m: 128, n: 128, k: 16 },
      stages: 2,
      vector: 4,
      warp: { m: 64, n: 32 },
      thread: { m: 8, n: 8 },
      minBlocksPerSm: 2,
    },
  });

/** Tile by tile, wave by wave, element by element of K. */
function counted(kernel: Kernel, point: SweepPoint) {
  const { tile, split } = kernel.plan;
  const lanes = lanePlanIn(kernel.plan);
  const { m, n, k } = point.sizes;
  const { batch } = kernel.problem;
  let [tiles, slots, useful, waves, inWave] = [0, 0, 0, 0, 0];
  const filled = lanes !== null && lanes.copies !== 'direct';
  let depth = 0;
  while (depth < k) depth += filled ? tile.k : 1;
  for (let product = 0; product < batch; product++) {
    for (let row = 0; row < m; row += tile.m) {
      for (let column = 0; column < n; column += tile.n) {
        slots += tile.m * tile.n * depth;
        useful += Math.min(tile.m, m - row) * Math.min(tile.n, n - column) * k;
        for (let part = 0; part < (split?.slices ?? 1); part++) {
          tiles++;
          if (inWave === 0) waves++;
          inWave = (inWave + 1) % point.blocksPerWave;
        }
      }
    }
  }
  const tail = inWave === 0 ? point.blocksPerWave : inWave;
  return { tiles, waves, tail, useful: useful / slots };
}

const close = (one: number, other: number, what: string): void => {
  assert.ok(
    Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(one)),
    `${what}: ${one}, ${other}`,
  );
};

describe('the saw-tooth', () => {
  it('counts what counting tiles one by one gives, for random schedules and sizes', () => {
    let compared = 0;
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100_000 }),
        fc.constantFrom(...AXES),
        fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 6 }),
        (seed, axis, sizes) => {
          const kernel = kernelOf({ ...specOf(seed), device: 'h200' }, 'cuda');
          const input = kernel === null ? null : inputOf(kernel);
          if (kernel === null || input === null || kernel.problem.batch > 8) return;
          for (const point of sizeSweep(input, axis, sizes).points) {
            const { tiles, waves, tail, useful } = counted(kernel, point);
            assert.deepEqual([point.tiles, point.waves, point.tailBlocks], [tiles, waves, tail]);
            close(point.waveEfficiency, tiles / (waves * point.blocksPerWave), 'waves');
            close(point.paddingFlopFraction, 1 - useful, 'padding');
            close(point.efficiency, point.balance * useful, 'efficiency');
            compared++;
          }
        },
      ),
      { ...runs(150) },
    );
    assert.ok(isEnough(compared, 100), `${compared} were compared`);
  }).timeout(60_000);

  it('predicts of a size what analyze predicts of a spec of that size', () => {
    let compared = 0;
    for (let seed = 1; compared < sampleOf(40, 12); seed++) {
      const kernel = kernelOf({ ...specOf(seed), device: 'h200' }, 'cuda');
      const input = kernel === null ? null : inputOf(kernel);
      if (kernel === null || input === null) continue;
      for (const axis of ['m', 'n', 'mnk'] as const) {
        const sweep = sizeSweep(input, axis, [96, 129, 260]);
        for (const point of sweep.points) {
          const problem = problemAt(kernel.problem, point.sizes);
          const plan = planIfLegal({ ...kernel.spec, problem }, 'cuda');
          assert.ok(plan !== null);
          const { prediction, occupancy } = analyze(emit(plan), { device: 'h200' });
          const ours = point.predicted?.tflops;
          const theirs = prediction?.tflops.value;
          assert.equal(ours === undefined, theirs === undefined, kernel.specKey);
          if (ours === undefined || theirs === undefined) continue;
          assert.equal(point.blocksPerWave, (occupancy?.blocksPerSm ?? 0) * device.multiprocessors);
          // Rows of a few elements share sectors, which no alignment tells.
          assert.ok(Math.abs(ours / theirs - 1) < 0.03, `${kernel.specKey}: ${ours}, ${theirs}`);
          compared++;
        }
      }
    }
  }).timeout(60_000);

  it('stands at the present size where the analysis stands', () => {
    const kernel = pipelined(4000, 4096, 4104);
    const input = inputOf(kernel);
    assert.ok(input !== null);
    const { waves, prediction } = analyze(kernel, { device: 'h200' });
    for (const axis of ['m', 'n', 'k'] as const) {
      const { current } = sizeSweep(input, axis, []);
      assert.equal(current?.tiles, waves?.tiles);
      assert.equal(current?.waveEfficiency, waves?.efficiency);
      assert.equal(current?.balance, waves?.balance.value);
      assert.equal(current?.paddingFlopFraction, waves?.paddingFlopFraction);
      assert.equal(current?.predicted?.tflops, prediction?.tflops.value);
    }
    assert.equal(sizeSweep(input, 'mnk', []).current, null);
  });

  it('has both sides of every tooth, and only rises between them', () => {
    const kernel = pipelined(1000);
    const input = inputOf(kernel);
    assert.ok(input !== null);
    const steps = { m: 32, n: 32, k: 16, mnk: 16 };
    for (const axis of AXES) {
      const { from, to } = defaultRange(kernel.problem, axis);
      const sizes = tileBoundarySizes(kernel.plan, axis, { from, to });
      const { points } = sizeSweep(input, axis, sizes);
      assert.equal(points.length, sizes.length);
      const all = Array.from({ length: to - from + 1 }, (_, i) => from + i);
      const alike = all.filter(size => size % steps[axis] === 1000 % steps[axis]);
      const every = sizeSweep(input, axis, alike).points;
      assert.ok(sizes.every(size => alike.includes(size)));
      let teeth = 0;
      for (const [index, after] of every.entries()) {
        const before = every[index - 1];
        if (before === undefined) continue;
        const { tile } = kernel.plan;
        const newTile = (['m', 'n', 'k'] as const).some(
          side =>
            Math.ceil(before.sizes[side] / tile[side]) !==
            Math.ceil(after.sizes[side] / tile[side]),
        );
        if (newTile) {
          assert.ok(
            sizes.includes(before.size) && sizes.includes(after.size),
            `${axis} ${after.size}`,
          );
          teeth++;
        } else {
          assert.ok(after.efficiency > before.efficiency, `${axis} ${after.size}`);
          assert.ok((after.predicted?.tflops ?? 0) > (before.predicted?.tflops ?? 0));
        }
      }
      assert.ok(teeth >= 11, `${axis} has ${teeth}`);
    }
  }).timeout(20_000);

  it('names the nearest better sizes: 33 rows of 32 tiles are four full waves of an H200', () => {
    const kernel = pipelined(4096);
    const input = inputOf(kernel);
    assert.ok(input !== null);
    assert.equal(input.occupancy.blocksPerSm, 2);
    const sizes = tileBoundarySizes(kernel.plan, 'm', defaultRange(kernel.problem, 'm'));
    const sweep = sizeSweep(input, 'm', sizes);
    const { up } = betterSizes(sweep);
    assert.equal(up?.point.size, 4224);
    assert.deepEqual([up.point.waves, up.point.tailBlocks], [4, 264]);
    assert.ok(up.gain > 0.01 && up.point.efficiency === 1);
    const after = sizeSweep(input, 'm', [4224 + 32]).points[0];
    assert.equal(after?.waves, 5);
    assert.ok((after.predicted?.tflops ?? 0) < (up.point.predicted?.tflops ?? 0));
  });

  it('names the tip of the wave before, from a size just after it', () => {
    const kernel = pipelined(4352, 4096, 4096);
    const input = inputOf(kernel);
    assert.ok(input !== null);
    const sizes = tileBoundarySizes(kernel.plan, 'm', defaultRange(kernel.problem, 'm'));
    const { down, up } = betterSizes(sizeSweep(input, 'm', sizes));
    assert.equal(down?.point.size, 4224);
    assert.ok(up !== null && up.point.size > 4352 && up.gain >= 0.01);
  });

  it('names none where a rate only rises, and none off the axis', () => {
    const input = inputOf(pipelined(4096));
    assert.ok(input !== null);
    const { plan } = input;
    const along = sizeSweep(
      input,
      'k',
      tileBoundarySizes(plan, 'k', defaultRange(plan.spec.problem, 'k')),
    );
    assert.equal(betterSizes(along).up, null);
    assert.deepEqual(betterSizes({ ...along, current: null }), { up: null, down: null });
  });

  it('moves one size or all three', () => {
    const sizes = { m: 1, n: 2, k: 3 };
    assert.deepEqual(
      AXES.map(axis => sizesAt(sizes, axis, 9)),
      [
        { m: 9, n: 2, k: 3 },
        { m: 1, n: 9, k: 3 },
        { m: 1, n: 2, k: 9 },
        { m: 9, n: 9, k: 9 },
      ],
    );
  });
});
