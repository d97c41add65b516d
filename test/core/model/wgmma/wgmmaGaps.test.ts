/**
 * Why wgmma is not at the roof: causes that add up, what each one is, and edits that the model
 * bears out.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { analyze } from '../../../../src/core/report/analyze';
import { deviceOf } from '../../../../src/core/hardware/devices';
import { emit } from '../../../../src/core/kernel/emit';
import { gapEdits } from '../../../../src/core/model/gap/gapEdits';
import { explainedGaps, modelOf } from '../../../../src/core/model/gap/gaps';
import { waterfall } from '../../../../src/core/roofline/waterfall';
import { WARP_GROUP_COSTS } from '../../../../src/core/cost/wgmma/wgmmaModel';
import { warpGroupMoves } from '../../../../src/core/plan/wgmma/wgmmaMoves';
import { changed } from '../../../../src/core/plan/neighbors';
import { planIfLegal } from '../../../../src/core/plan/planner';
import { applyOverrides, decodeSpec } from '../../../../src/core/spec/decode';
import { resolve } from '../../../../src/core/defaults/resolve';
import { toSpec } from '../../../../src/core/spec/toSpec';
import type { GemmSpec, Schedule } from '../../../../src/core/spec/schema';
import { warpGroupSpecs, warpGroups } from '../../../helpers/warpGroupSpecs';
import { runs } from '../../../helpers/depth';

const TN = { a: { dtype: 'bf16' }, b: { layout: 'col' } } as const;
const H200 = deviceOf('h200');

function whyOf(spec: GemmSpec) {
  const plan = planIfLegal(resolve({ ...spec, device: 'h200' }), 'cuda');
  assert.ok(plan !== null, JSON.stringify(spec.schedule));
  const analysis = analyze(emit(plan), { device: 'h200' });
  const [fall, model] = [waterfall(analysis, plan), modelOf(analysis, plan)];
  assert.ok(fall !== null && model !== null);
  return { plan, fall, model, gaps: explainedGaps(analysis, plan) };
}

const sized = (m: number, n: number, k: number, schedule: Schedule = {}) =>
  whyOf(warpGroups({ m, n, k, ...TN }, schedule));

const causesOf = ({ fall }: ReturnType<typeof whyOf>): readonly string[] =>
  fall.falls.map(({ cause }) => cause);

describe('why wgmma is not at the roof', () => {
  it('falls from the roof to the prediction in steps that add up, of any schedule', () => {
    fc.assert(
      fc.property(warpGroupSpecs, spec => {
        fc.pre(planIfLegal(resolve({ ...spec, device: 'h200' }), 'cuda') !== null);
        const { fall, model, gaps } = whyOf(spec);
        const { roof, falls, predicted } = fall;
        const added = falls.reduce((sum, one) => sum + one.milliseconds, roof.milliseconds);
        // A kernel may be expected above the clock at which the roof is stated.
        assert.ok(Math.abs(added / Math.max(predicted.milliseconds, roof.milliseconds) - 1) < 1e-9);
        for (const cause of WARP_GROUP_COSTS)
          assert.ok(model.millisecondsWithout([cause]) <= model.milliseconds * (1 + 1e-6), cause);
        for (const { text } of gaps) assert.match(text, /TFLOP\/s/);
      }),
      { ...runs(100) },
    );
  }).timeout(60_000);

  it('reaches the ceiling without any loss if tensor cores are the limit', () => {
    const why = sized(4096, 4096, 4096);
    const { model, fall } = why;
    const bare = model.millisecondsWithout(model.causes);
    assert.ok(Math.abs(bare / fall.roof.milliseconds - 1) < 0.01, String(bare));
    const rest = fall.falls.find(({ cause }) => cause === 'rest')?.milliseconds ?? 0;
    assert.ok(rest < 0.01 * model.milliseconds, 'small losses only');
  });

  it('names the power limit first if tensor cores are busy, and not if they wait', () => {
    const large = { block: { m: 256, n: 192 }, cluster: { m: 1, n: 2 } } as const;
    const busy = sized(8192, 8192, 8192, large);
    assert.equal(causesOf(busy)[0], 'power');
    assert.match(
      busy.fall.falls[0]?.text ?? '',
      /^Power limit of 700 W: 1,\d+ MHz instead of 1,829 MHz/,
    );
    const waiting = causesOf(sized(16, 8192, 8192));
    assert.ok(!waiting.includes('power') && !waiting.includes('dram'), waiting.join());
    assert.ok(waiting.includes('launch') && waiting.includes('padding'), waiting.join());
  });

  it('names the loss of a schedule: stages, tiles, narrow instructions, promotion', () => {
    const tile = { block: { m: 128, n: 128 } };
    const latencyOf = (stages: number): number =>
      causesOf(sized(4096, 4096, 4096, { ...tile, stages })).indexOf('latency');
    assert.ok(latencyOf(2) >= 0 && latencyOf(2) < 3, String(latencyOf(2)));
    assert.ok(latencyOf(6) === -1 || latencyOf(6) > latencyOf(2), String(latencyOf(6)));
    assert.equal(causesOf(sized(1024, 128, 8192, tile))[0], 'waves');
    assert.ok(causesOf(sized(4096, 4096, 4096, { block: { m: 128, n: 32 } })).includes('narrow'));
    const wide = { block: { m: 128, n: 128 } };
    assert.ok(!causesOf(sized(4096, 4096, 4096, wide)).includes('narrow'));
    const f32 = { m: 4096, n: 4096, k: 4096, b: { layout: 'col' } } as const;
    const pieces = causesOf(whyOf(warpGroups(f32, { split: 'bf16x6' })));
    assert.ok(pieces.includes('promotion') && pieces.includes('before'), pieces.join());
    assert.ok(!causesOf(sized(4096, 4096, 4096)).includes('before'));
  });
});

describe('edits of wgmma', () => {
  it('are legal, with the stated prediction', () => {
    const poor = [
      sized(4096, 4096, 4096, { block: { m: 128, n: 64 }, stages: 3 }),
      sized(100, 1000, 8192),
      whyOf(warpGroups({ m: 16, n: 4096, k: 4096, ...TN }, { operandOrder: 'ba', stages: 2 })),
    ];
    for (const { plan } of poor) {
      const edits = Object.entries(gapEdits(plan, H200, WARP_GROUP_COSTS));
      assert.ok(edits.length > 0, plan.spec.schedule.kernelSchedule);
      for (const [cause, edit] of edits) {
        assert.ok(edit.tflops > edit.tflopsNow * 1.01, cause);
        const set = edit.changes.map(({ path, to }) => `${path}=${to}`);
        const overridden = applyOverrides(toSpec(plan.spec), set);
        assert.ok(overridden.ok);
        const decoded = decodeSpec(overridden.value);
        assert.ok(decoded.ok, set.join(' '));
        const { tflops } = whyOf(decoded.spec).model;
        assert.ok(Math.abs(tflops / edit.tflops - 1) < 1e-9, `${cause}: ${set.join(' ')}`);
      }
    }
  });

  it('suggest more stages, and split-K if there are few tiles', () => {
    const shallow = sized(4096, 4096, 4096, { block: { m: 128, n: 128 }, stages: 2 });
    const { latency } = gapEdits(shallow.plan, H200, ['latency']);
    assert.ok(latency?.changes.some(({ path, to }) => path === 'schedule.stages' && to !== 2));
    const few = sized(64, 1024, 16_384, { block: { m: 64, n: 128 }, consumers: 1 });
    const { waves } = gapEdits(few.plan, H200, ['waves']);
    assert.ok(waves?.changes.some(({ path }) => path === 'schedule.splitK'));
  });

  it('come from neighbours that are not the schedule itself, of either order of operands', () => {
    for (const operandOrder of ['ab', 'ba'] as const) {
      const spec = resolve({
        ...warpGroups({ m: 64, n: 4096, k: 4096, ...TN }, { operandOrder }),
        device: 'h200',
      });
      const moves = warpGroupMoves(spec);
      const legal = moves.filter(move => {
        const plan = planIfLegal(move.reduce(changed, spec), 'cuda');
        return plan?.family === 'wgmma' && plan.wgmma.operandOrder === operandOrder;
      });
      assert.ok(legal.length > 20, `${operandOrder}: ${legal.length} of ${moves.length}`);
      for (const move of moves) assert.ok(move.every(({ from, to }) => from !== to));
    }
  });
});
