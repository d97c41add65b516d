/**
 * Waves and occupancy of `wgmma`: what its launch makes of the GPU, in clusters, with parts of K
 * and persistent blocks.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { analyze } from '../../../src/core/report/analyze';
import { launchedPerSm } from '../../../src/core/occupancy/launchedOccupancy';
import { occupancyEdits } from '../../../src/core/occupancy/occupancyEdits';
import { nextStep } from '../../../src/core/occupancy/occupancySteps';
import { deviceOf, type DeviceId } from '../../../src/core/hardware/devices';
import { emit } from '../../../src/core/kernel/emit';
import { warpGroupInput } from '../../../src/core/cost/wgmma/wgmmaInput';
import { predictWarpGroups } from '../../../src/core/cost/wgmma/wgmmaModel';
import { planIfLegal } from '../../../src/core/plan/planner';
import { residentClusters } from '../../../src/core/plan/wgmma/wgmma';
import { waveEdits } from '../../../src/core/search/rank/waveEdits';
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec, Schedule } from '../../../src/core/spec/schema';
import { sizeSweep, sweepInputOf } from '../../../src/core/search/sweep/sweep';
import { warpGroups, warpGroupSpecs } from '../../helpers/warpGroupSpecs';
import { runs } from '../../helpers/depth';

const TN = { a: { dtype: 'bf16' }, b: { layout: 'col' }, c: { dtype: 'bf16' } } as const;

function analysed(spec: GemmSpec, device: DeviceId = 'h200') {
  const plan = planIfLegal(resolve({ ...spec, device }), 'cuda');
  assert.ok(plan?.family === 'wgmma', JSON.stringify(spec.schedule));
  const analysis = analyze(emit(plan), { device });
  assert.ok(analysis.waves !== null && analysis.occupancy !== null);
  const { waves, occupancy, notes } = analysis;
  return { plan, wgmma: plan.wgmma, analysis, waves, occupancy, notes };
}

const few = (schedule: Schedule) =>
  analysed(
    warpGroups({ m: 128, n: 4096, k: 14_336, ...TN }, { block: { m: 128, n: 128 }, ...schedule }),
  );

const texts = ({ notes }: ReturnType<typeof analysed>): string =>
  notes.map(({ text }) => text).join('\n');

describe('waves of warp groups', () => {
  it('count parts of K, which are blocks of one cluster', () => {
    const { waves, wgmma } = few({ splitK: 4 });
    // 30 clusters of 4 find room at once on 132 multiprocessors.
    assert.deepEqual([waves.tiles, waves.blocksPerWave, waves.waves], [128, 120, 2]);
    assert.equal(waves.tiles, wgmma.blocks);
    assert.equal(waves.tail.blocks.value, 8);
    assert.equal(waves.efficiency, 128 / 240);
    assert.equal(waves.balance.value, 128 / 132 / 2);
  });

  it('advise nothing in notes: edits and their gains are predicted by the time model', () => {
    const cooperative = few({ kernelSchedule: 'cooperative' });
    assert.match(texts(cooperative), /^Wave quantization: 32 blocks for 132 SMs; .* 24\.2 %\.$/m);
    assert.doesNotMatch(texts(cooperative), /splitK|smaller tiles/);
    for (const { gain, tflops } of waveEdits(
      cooperative.plan,
      deviceOf('h200'),
      cooperative.waves,
    )) {
      assert.ok(gain > 0 && Math.abs(tflops.after / tflops.before - 1 - gain) < 1e-12);
    }
  });

  it('are those of a sweep', () => {
    const { plan, analysis, waves } = few({ splitK: 4 });
    const swept = sweepInputOf(analysis, plan);
    assert.ok(swept !== null);
    const [point] = sizeSweep(swept, 'm', [128]).points;
    assert.deepEqual([point?.tiles, point?.waves], [waves.tiles, waves.waves]);
  });

  it('are the rounds of the time model', () => {
    fc.assert(
      fc.property(warpGroupSpecs, spec => {
        const plan = planIfLegal(resolve({ ...spec, device: 'h200' }), 'cuda');
        fc.pre(plan !== null);
        const { waves, occupancy } = analysed(spec);
        const input = warpGroupInput({ plan, device: deviceOf('h200') });
        assert.ok(input !== null);
        // The model has one block a multiprocessor, where parts of K in small tiles leave room for
        // more.
        if (occupancy.blocksPerSm > 1) return;
        assert.equal(waves.waves, predictWarpGroups(input).rounds);
      }),
      { ...runs(60) },
    );
  }).timeout(60_000);

  it('count what a cluster computes outside of C', () => {
    const schedule = { block: { m: 128, n: 128 }, cluster: { m: 2, n: 1 } } as const;
    const { waves } = analysed(warpGroups({ m: 384, n: 1024, k: 1024, ...TN }, schedule));
    assert.equal(waves.tiles, 4 * 8);
    assert.equal(waves.paddingFlops.value, 2 * 128 * 1024 * 1024);
  });
});

describe('occupancy of warp groups', () => {
  const small = () =>
    analysed(
      warpGroups(
        { m: 704, n: 64, k: 1024, ...TN },
        { block: { m: 64, n: 64 }, consumers: 1, stages: 2 },
      ),
      'h100-sxm',
    );

  it('counts launched blocks, one per SM, and reports how many would fit', () => {
    const { occupancy, waves, wgmma } = small();
    assert.equal(wgmma.blocks, 11);
    assert.deepEqual([occupancy.blocksPerSm, occupancy.heldPerSm], [1, 3]);
    assert.deepEqual([occupancy.activeWarps, occupancy.occupancy], [8, 8 / 64]);
    assert.deepEqual([occupancy.limiters, occupancy.limits['launch']], [['launch'], 1]);
    assert.deepEqual([waves.tiles, waves.blocksPerWave, waves.waves], [11, 132, 1]);
    assert.match(
      texts(small()),
      /a persistent kernel launches one block per SM, although 3 would fit\./,
    );
  });

  it('counts all resident blocks if every split-K slice has its own block', () => {
    const spec = warpGroups(
      { m: 704, n: 64, k: 4096, ...TN },
      { block: { m: 64, n: 64 }, consumers: 1, stages: 2, splitK: 2 },
    );
    const { occupancy, waves } = analysed(spec, 'h100-sxm');
    assert.ok(occupancy.blocksPerSm > 1);
    assert.equal(occupancy.heldPerSm, occupancy.blocksPerSm);
    assert.equal(waves.blocksPerWave, 2 * residentClusters('h100-sxm', 2, occupancy.blocksPerSm));
  });

  it('has no step to more blocks, and no edit that promises them, where none are launched', () => {
    for (const { plan, occupancy } of [small(), few({})]) {
      const step = nextStep(
        {
          computeCapability: '9.0',
          threadsPerBlock: plan.threads,
          registersPerThread: occupancy.registers.value,
          sharedBytesPerBlock: occupancy.sharedBytes.value,
        },
        launchedPerSm(plan),
      );
      assert.deepEqual(step, { reachable: false, why: 'launch' });
      const { edits } = occupancyEdits({ plan, device: deviceOf('h100-sxm'), report: occupancy });
      assert.ok(edits.every(({ blocksPerSm }) => blocksPerSm === 1));
    }
  });
});
