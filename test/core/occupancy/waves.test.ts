/** Waves of a kernel: tail, balance and padding beside counting, and both sides of their limits. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { kernelOf } from '../../../scripts/grid/properties';
import { analyze } from '../../../src/core/report/analyze';
import { notesOf } from '../../../src/core/report/notes/notes';
import { balanceText, countWaves, wavesOf } from '../../../src/core/occupancy/waves';
import { deviceOf } from '../../../src/core/hardware/devices';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { sizeSweep, sweepInputOf } from '../../../src/core/search/sweep/sweep';
import { runs } from '../../helpers/depth';

const device = deviceOf('h200');

const wavesFor = (
  problem: GemmSpec['problem'],
  schedule: GemmSpec['schedule'],
  blocksPerSm = 1,
) => {
  const kernel = kernelOf({ problem, ...(schedule === undefined ? {} : { schedule }) }, 'cuda');
  assert.ok(kernel !== null);
  const waves = wavesOf(kernel.plan, device, { blocksPerSm });
  assert.ok(waves !== null);
  return waves;
};

describe('waves', () => {
  it('are what dealing blocks to slots one by one gives', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3000 }),
        fc.integer({ min: 1, max: 148 }),
        fc.integer({ min: 1, max: 8 }),
        (tiles, multiprocessors, blocksPerSm) => {
          const held = Array.from({ length: multiprocessors }, () => 0);
          let [waves, tail] = [0, 0];
          for (let block = 0; block < tiles; block++) {
            if (block % (multiprocessors * blocksPerSm) === 0) [waves, tail] = [waves + 1, 0];
            tail++;
            const sm = block % multiprocessors;
            held[sm] = (held[sm] ?? 0) + 1;
          }
          const counts = countWaves(tiles, multiprocessors, blocksPerSm);
          assert.deepEqual([counts.waves, counts.tailBlocks], [waves, tail]);
          const balance = tiles / multiprocessors / Math.max(...held);
          assert.ok(Math.abs(counts.balance - balance) < 1e-12);
        },
      ),
    );
  });

  it('have one load balance: notes, headline and sweep have the same digits, for any grid and GPU', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3000 }),
        fc.integer({ min: 1, max: 160 }),
        fc.integer({ min: 1, max: 8 }),
        (tiles, multiprocessors, blocksPerSm) => {
          const kernel = kernelOf(
            {
              problem: { m: 16 * tiles, n: 16, k: 16 },
              schedule: { algorithm: 'naive', block: { m: 16, n: 16 } },
            },
            'cuda',
          );
          assert.ok(kernel !== null);
          const { plan } = kernel;
          const gpu = { ...device, multiprocessors };
          const waves = wavesOf(plan, gpu, { blocksPerSm });
          const analysis = analyze(kernel, { device: 'h200' });
          assert.ok(waves !== null && analysis.occupancy !== null);
          const headline = balanceText(waves.balance.value);
          const occupancy = { ...analysis.occupancy, blocksPerSm };
          const notes = notesOf({
            plan,
            device: gpu,
            occupancy,
            waves,
            spillBytes: 0,
            globalMemory: [],
            sharedMemory: [],
          }).filter(({ text }) => text.startsWith('Wave quantization'));
          assert.equal(notes.length, waves.balance.value < 0.8 ? 1 : 0);
          assert.ok(notes.every(({ text }) => text.endsWith(` is ${headline}.`)));
          assert.ok(notes.every(({ level }) => level === 'info'));
          const input = sweepInputOf(analysis, plan);
          assert.ok(input !== null);
          const { current } = sizeSweep({ ...input, device: gpu, occupancy }, 'm', []);
          assert.ok(current !== null);
          assert.equal(balanceText(current.balance), headline);
          // Without padding the efficiency of a sweep is the load balance, whatever the occupancy.
          assert.ok(Math.abs(current.efficiency - waves.balance.value) < 1e-12);
        },
      ),
      { ...runs(100) },
    );
  });

  it('count empty block slots as occupancy: 256 blocks on 132 SMs of 4 slots are 97 % balanced', () => {
    const counts = countWaves(256, 132, 4);
    assert.equal(balanceText(counts.balance), '97 %');
    assert.equal(counts.efficiency, 256 / 528);
  });

  it('have a full tail at a multiple of the slots, and one block in it after', () => {
    const [full, over] = [264, 265].map(tiles => countWaves(tiles, 132, 2));
    assert.deepEqual([full?.waves, full?.tailBlocks, full?.efficiency], [1, 264, 1]);
    assert.deepEqual([over?.waves, over?.tailBlocks, over?.efficiency], [2, 1, 265 / 528]);
  });

  it('say the tail, and FLOP on padding, as figures', () => {
    const schedule = {
      algorithm: 'thread-tile-2d',
      block: { m: 128, n: 128, k: 8 },
      thread: { m: 8, n: 8 },
    } as const;
    const waves = wavesFor({ m: 1025, n: 1920, k: 100 }, schedule);
    assert.equal(waves.tiles, 9 * 15);
    assert.deepEqual(waves.tail.blocks, { value: 3, unit: 'blocks', from: 'derived' });
    assert.equal(waves.tail.efficiency.value, 3 / 132);
    // K's rest is a shorter step: only rows of C are padded.
    assert.equal(waves.paddingFlops.value, 2 * (9 * 128 - 1025) * 1920 * 100);
    assert.equal(waves.paddingFlops.unit, 'FLOP');
  });

  it('pad K in a pipeline alone, which fills its first tile with zeros', () => {
    const tiles = {
      block: { m: 64, n: 64, k: 16 },
      warp: { m: 32, n: 32 },
      thread: { m: 4, n: 8 },
    };
    const problem = { m: 128, n: 128, k: 100 };
    const of = (schedule: GemmSpec['schedule']) => wavesFor(problem, schedule).paddingFlops.value;
    assert.equal(of({ algorithm: 'warp-tile', ...tiles }), 0);
    assert.equal(of({ algorithm: 'pipelined', stages: 2, ...tiles }), 2 * 128 * 128 * (112 - 100));
  });

  it('count every part of K and every product of a batch', () => {
    const schedule = {
      algorithm: 'thread-tile-2d',
      block: { m: 64, n: 64, k: 8 },
      thread: { m: 8, n: 8 },
      splitK: 4,
    } as const;
    const waves = wavesFor({ m: 128, n: 128, k: 256, batch: 3 }, schedule);
    assert.equal(waves.tiles, 4 * 4 * 3);
    assert.equal(waves.paddingFlops.value, 0);
  });

  it('are none for a block that fits no SM', () => {
    const kernel = kernelOf({ problem: { m: 64, n: 64, k: 64 } }, 'cuda');
    assert.equal(wavesOf(kernel?.plan ?? null, device, { blocksPerSm: 0 }), null);
    assert.equal(wavesOf(null, device, { blocksPerSm: 1 }), null);
  });
});
