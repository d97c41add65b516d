/** Traffic a level of memory, and what of it reaches DRAM. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { analyze } from '../../../src/core/report/analyze';
import { dramTraffic } from '../../../src/core/memory/dramTraffic';
import { memoryLevels } from '../../../src/core/memory/memoryLevels';
import { ratiosOf } from '../../../src/core/roofline/ratios';
import { tileOrder } from '../../../src/core/plan/tileOrder';
import { deviceOf } from '../../../src/core/hardware/devices';
import type { Kernel } from '../../../src/core/kernel/kernel';
import { cube, H200, kernelOf, legal, tiled, warped } from '../../helpers/cudaKernels';

describe('traffic per level', () => {
  const levels = (kernel: Kernel) => {
    const analysis = analyze(kernel, { device: 'h200' });
    return memoryLevels(kernel, analysis, H200);
  };
  const bytes = (kernel: Kernel, level: string) =>
    levels(kernel).levels.find(one => one.level === level)?.bytes.value;

  it('falls from registers to DRAM, each with its intensity and its rule', () => {
    const found = levels(tiled()).levels;
    assert.deepEqual(
      found.map(({ level }) => level),
      ['registers', 'shared', 'l1', 'l2', 'dram'],
    );
    for (const [i, level] of found.entries()) {
      assert.ok(level.rule !== '');
      assert.ok(Math.abs(level.intensity.value * level.bytes.value - 2 * 1024 ** 3) < 1);
      assert.ok(i === 0 || level.bytes.value <= (found[i - 1]?.bytes.value ?? 0));
    }
  });

  it('counts register and shared-memory requests of the compiled code', () => {
    assert.equal(bytes(tiled(), 'registers'), 1024 ** 3 * 16);
    const [blocks, warps, steps] = [64, 8, 128];
    // Stores: 8 x 128 elements a tile of each; loads, joined by four: 2 of A along k at 2
    // wavefronts, and 2 of B at 8.
    const stores = blocks * steps * 2 * ((8 * 128) / 32);
    const loads = blocks * warps * 1024 * (2 * 2 + 2 * 8);
    assert.equal(bytes(tiled(), 'shared'), (stores + loads) * 128);
  });

  it('has the L1 of an unstaged kernel serve what its block reads again', () => {
    const coalesced = legal({
      problem: cube(1024),
      schedule: { algorithm: 'coalesced', block: { m: 32, n: 32 } },
    });
    // 32 columns and rows of blocks, each with its rows of A and columns of B once; C written once.
    assert.equal(bytes(coalesced, 'l2'), (2 * 32 + 1) * 4 * 1024 ** 2);
  });

  it('asks DRAM for each operand once where all fits the L2, and for more where it does not', () => {
    const { plan: planned } = tiled();
    const wave = { blocksInStep: 8, l2Bytes: 50 * 2 ** 20 };
    const small = dramTraffic(planned, wave);
    assert.equal(small.bytes, small.compulsory);
    assert.deepEqual([small.round.panelsA, small.round.panelsB], [1, 8]);
    // Nothing is held: every round of a row of tiles reads all of B.
    const none = dramTraffic(planned, { ...wave, l2Bytes: 0 });
    assert.equal(none.bytes, 4 * 1024 ** 2 * (1 + 8 + 1));
    // B and what else a round touches: a panel of A and a row of tiles of C.
    const just = (1 + 1 / 8 + 1 / 8) * 4 * 2 ** 20;
    assert.equal(dramTraffic(planned, { ...wave, l2Bytes: just }).bytes, small.compulsory);
    assert.equal(dramTraffic(planned, { ...wave, l2Bytes: just - 1 }).bytes, none.bytes);
  });

  it('has only one block of each SM share what it reads, and says what all of a wave would', () => {
    const blocks = (blocksPerWave: number) => {
      const kernel = tiled();
      const { globalMemory, sharedMemory, waves } = analyze(kernel, { device: 'h200' });
      const asked = waves === null ? null : { ...waves, blocksPerWave };
      const device = deviceOf('rtx-3070-laptop');
      return memoryLevels(kernel, { globalMemory, sharedMemory, waves: asked }, device);
    };
    const { multiprocessors } = deviceOf('rtx-3070-laptop');
    assert.equal(blocks(multiprocessors).dramInStep, null);
    const twice = blocks(2 * multiprocessors);
    assert.deepEqual(twice.dram, blocks(multiprocessors).dram);
    assert.ok((twice.dramInStep?.value ?? Infinity) <= twice.dram.bytes);
  });

  it('sees what raster groups share', () => {
    const raster = (group: number) => warped({ raster: { order: 'row', group } }).plan;
    const of = (group: number) =>
      dramTraffic(raster(group), { blocksInStep: 16, l2Bytes: 0 }).bytes;
    assert.ok(of(4) < of(1));
  });

  it('gives every tile to one block, in every order', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<'row' | 'col'>('row', 'col'),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 5 }),
        (order, group, m, n) => {
          const kernel = kernelOf({
            problem: { m: m * 32, n: n * 32, k: 32 },
            schedule: {
              algorithm: 'vectorized',
              block: { m: 32, n: 32, k: 8 },
              thread: { m: 4, n: 4 },
              raster: { order, group },
            },
          });
          if (kernel === null) return;
          const { tilesM, tilesN, tileAt } = tileOrder(kernel.plan);
          const tiles = Array.from({ length: tilesM * tilesN }, (_, block) => tileAt(block));
          const distinct = new Set(tiles.map(({ row, column }) => `${row} ${column}`));
          assert.equal(distinct.size, m * n);
          assert.ok(tiles.every(({ row, column }) => row < m && column < n));
        },
      ),
    );
  });

  it("names the formulas of the seeds' ratios with their numbers", () => {
    const kernel = tiled();
    const ratios = ratiosOf(kernel.plan, analyze(kernel, { device: 'rtx-4090' }).roofline);
    for (const { numbers, value } of ratios) {
      if (numbers.includes('TFLOP/s')) continue;
      const [over = '', under = ''] = numbers.replaceAll(/ FLOP| B/g, '').split(' / ');
      const product = (text: string): number =>
        text
          .replaceAll(/[()]/g, '')
          .split(' + ')
          .reduce(
            (sum, term) => sum + term.split(' x ').reduce((all, factor) => all * Number(factor), 1),
            0,
          );
      assert.ok(Math.abs(Number(over) / product(under) - value.value) < 1e-9, numbers);
    }
    assert.match(ratios[0]?.numbers ?? '', /TFLOP\/s \/ 1,008 GB\/s/);
  });

  it('states that both ratios count C as read if beta is 0', () => {
    const of = (beta: number) => {
      const kernel = kernelOf({ problem: { m: 64, n: 64, k: 64, beta } });
      assert.ok(kernel !== null);
      const ratios = ratiosOf(kernel.plan, analyze(kernel, { device: 'h200' }).roofline);
      return ratios.filter(({ formula }) => formula.endsWith('although beta = 0 does not read it'));
    };
    assert.deepEqual(
      of(0).map(({ name }) => name),
      ['problem ratio', 'kernel ratio'],
    );
    assert.deepEqual(of(1), []);
  });
});
