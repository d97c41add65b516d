/**
 * Roofs of `wgmma`: none is beaten by what was measured, and that of its tiles is of their own
 * rate.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { racesOf } from '../../../scripts/model/warpGroupPoints';
import { analyze } from '../../../src/core/report/analyze';
import { drawnCeilings } from '../../../src/core/charts/drawnCeilings';
import { rooflineOfLevels } from '../../../src/core/roofline/levelRoofline';
import { memoryLevels } from '../../../src/core/memory/memoryLevels';
import { ratiosOf } from '../../../src/core/roofline/ratios';
import { deviceOf } from '../../../src/core/hardware/devices';
import { emit } from '../../../src/core/kernel/emit';
import { flops } from '../../../src/core/spec/resolved';
import { WARP_GROUPS } from '../../../src/core/cost/wgmma/wgmmaCalibration';
import type { Plan } from '../../../src/core/plan/plan';
import { planIfLegal } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import type { Schedule } from '../../../src/core/spec/schema';
import { sampled } from '../../helpers/depth';
import { warpGroups } from '../../helpers/warpGroupSpecs';

const device = deviceOf('h200');
/** The rate of tiles is that of the kernel to which most arrived, in four digits. */
const DIGITS = 1.0005;

function roofsOf(plan: Plan) {
  const kernel = emit(plan);
  const analysis = analyze(kernel, { device: 'h200' });
  const roofs = rooflineOfLevels(kernel, device, analysis);
  assert.ok(roofs !== null);
  const { levels } = memoryLevels(kernel, analysis, device);
  return { roofs, levels, l2: roofs.levels.find(({ level }) => level === 'l2') };
}

const square = (schedule: Schedule, a: 'bf16' | 'e4m3' = 'bf16') => {
  const types = { a: { dtype: a }, b: { layout: 'col' }, c: { dtype: 'bf16' } } as const;
  const spec = warpGroups({ m: 4096, n: 4096, k: 4096, ...types }, schedule);
  const plan = planIfLegal(resolve({ ...spec, device: 'h200' }), 'cuda');
  assert.ok(plan !== null);
  return plan;
};

describe('roofs of warp groups', () => {
  it('are beaten by no kernel that was raced', () => {
    const races = racesOf(readFileSync('bench/h200-wgmma.jsonl', 'utf8'));
    const points = races.flatMap(race => race.points).filter(({ tookTurns }) => tookTurns);
    assert.ok(points.length > 100);
    const above = sampled(points).flatMap(({ plan, milliseconds }) => {
      const { roofs } = roofsOf(plan);
      const tflops = flops(plan.spec.problem) / milliseconds / 1e9;
      return tflops > DIGITS * roofs.attainable.value
        ? [
            `${JSON.stringify(plan.spec.schedule)}: ${tflops / roofs.attainable.value} of ${roofs.limitedBy}`,
          ]
        : [];
    });
    assert.deepEqual(above, []);
  }).timeout(60_000);

  it('are not below what is predicted of a square in bf16 and in e4m3', () => {
    for (const a of ['bf16', 'e4m3'] as const) {
      const { roofs } = roofsOf(square({}, a));
      assert.ok(roofs.reached.predicted !== null && roofs.reached.predicted < 1);
    }
  });

  it('have that of tiles as they arrive, those of a neighbour with them, under their own name', () => {
    const block = { m: 128, n: 128 };
    const [alone, shared] = [square({ block }), square({ block, cluster: { m: 2, n: 1 } })].map(
      roofsOf,
    );
    const tileBytes = 2 * 4096 * 4096 * 32 * 2;
    for (const of of [alone, shared]) {
      assert.equal(of?.l2?.bytes.value, tileBytes);
      assert.deepEqual(
        of.l2.bandwidths.map(({ GBps, from }) => [GBps, from]),
        [[WARP_GROUPS.arrivingGBps, 'measured']],
      );
      const drawn = drawnCeilings(of.roofs).find(({ item }) => item === 'roof:l2');
      assert.equal(drawn?.label, 'L2 to SM');
    }
    const asked = (of: typeof alone) => of?.levels.find(({ level }) => level === 'l2')?.bytes.value;
    assert.ok((asked(shared) ?? NaN) < (asked(alone) ?? NaN), 'a cluster asks the L2 for less');
  });

  it('count the tiles of every product of pieces', () => {
    const schedule = { algorithm: 'wgmma', block: { m: 128, n: 128 }, split: 'bf16x3' } as const;
    const problem = { m: 1024, n: 1024, k: 1024 };
    const plan = planIfLegal(resolve({ problem, schedule, device: 'h200' }), 'cuda');
    assert.ok(plan !== null);
    const ofF32 = 2 * 1024 * 1024 * 8;
    assert.equal(roofsOf(plan).l2?.bytes.value, 3 * 2 * ofF32);
  });

  it('have a peak of pieces that is derived, and said in four digits', () => {
    const schedule = { algorithm: 'wgmma', split: 'bf16x6' } as const;
    const problem = { m: 1024, n: 1024, k: 1024 };
    const plan = planIfLegal(resolve({ problem, schedule, device: 'h200' }), 'cuda');
    assert.ok(plan !== null);
    const { roofline } = analyze(emit(plan), { device: 'h200' });
    const [peak] = roofline.ceilings.filter(({ kind }) => kind === 'compute');
    assert.deepEqual([peak?.from, peak?.value], ['derived', 989 / 6]);
    assert.equal(roofline.deviceRatio.from, 'derived');
    const [used] = roofsOf(plan).roofs.units.filter(unit => unit.used);
    assert.equal(used?.peak.from, 'derived');
    assert.equal(ratiosOf(plan, roofline)[0]?.numbers, '164.8 TFLOP/s / 4,800 GB/s');
  });
});
