/** `gemv` as default of FP32 problems with one row of A, its time model, and its search space. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import * as v from 'valibot';
import { GEMV, gemvMilliseconds, type GemvKernel } from '../../../../src/core/cost/simt/gemvModel';
import { check } from '../../../../src/core/defaults/check';
import { resolve } from '../../../../src/core/defaults/resolve';
import { gemvChoices } from '../../../../src/core/defaults/simt/gemvChoice';
import { gemvSchedule, gemvTiles } from '../../../../src/core/defaults/simt/gemvSchedules';
import { plan } from '../../../../src/core/plan/planner';
import type { GemmSpec } from '../../../../src/core/spec/schema';
import { diverse, ordered, scorerFor } from '../../../../src/core/search/tune/order';
import { defaultSpace } from '../../../../src/core/search/tune/space';
import { runs } from '../../../helpers/depth';

const cuda = (problem: GemmSpec['problem'], device = 'h100-sxm'): GemmSpec => ({
  problem,
  device,
  targets: ['cuda'],
});
const LINEAR = { m: 1, n: 16_384, k: 4096, b: { layout: 'col' } } as const;

describe('the predicted gemv schedules', () => {
  it('are legal at every shape and layout with one row, and finite', () => {
    const side = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 30_000 }));
    const layout = fc.constantFrom('row' as const, 'col' as const);
    fc.assert(
      fc.property(side, side, layout, layout, (n, k, a, b) => {
        const problem = { m: 1, n, k, a: { layout: a }, b: { layout: b } };
        const spec = resolve(cuda(problem));
        const choices = gemvChoices(spec, 100);
        assert.ok(choices.length > 0);
        for (const { schedule, milliseconds } of choices) {
          assert.ok(milliseconds > 0 && Number.isFinite(milliseconds));
          const planned = plan({ ...spec, schedule }, 'cuda');
          assert.ok(planned.ok, JSON.stringify(planned));
        }
      }),
      { ...runs(60) },
    );
  }).timeout(60_000);

  it('are the default for one row of A with contiguous K in B, and only for one row', () => {
    const algorithmOf = (problem: GemmSpec['problem']) => resolve(cuda(problem)).schedule.algorithm;
    assert.equal(algorithmOf(LINEAR), 'gemv');
    assert.notEqual(algorithmOf({ ...LINEAR, m: 2 }), 'gemv');
    assert.deepEqual(gemvChoices(resolve(cuda({ ...LINEAR, m: 2 })), 10), []);
    assert.deepEqual(gemvChoices({ ...resolve(cuda(LINEAR)), device: 'unknown' }, 10), []);
    assert.notEqual(resolve({ problem: LINEAR, targets: ['wgsl'] }).schedule.algorithm, 'gemv');
  });

  it('state the error of their model and the GPU of its fit', () => {
    const { from, text } = check(cuda(LINEAR)).scheduleFrom;
    assert.equal(from, 'predicted');
    assert.match(text, /^Fastest prediction of the time model: [\d.]+ [GT]FLOP\/s, .*H200/);
  });

  it('split K where the columns do not fill the SMs', () => {
    const [best] = gemvChoices(resolve(cuda({ m: 1, n: 100, k: 100_000 })), 1);
    assert.ok((best?.schedule.splitK ?? 1) > 1);
    const [wide] = gemvChoices(resolve(cuda({ m: 1, n: 65_536, k: 8192 })), 1);
    assert.equal(wide?.schedule.splitK, undefined);
  });

  it('cover all tiles for up to four rows, in both targets', () => {
    for (const layout of ['row', 'col'] as const)
      for (const m of [1, 2, 3, 4])
        for (const tile of gemvTiles({ b: { ...resolve(cuda(LINEAR)).problem.b, layout } })) {
          const problem = { m, n: 1000, k: 1000, b: { layout } };
          const spec = resolve({ ...cuda(problem), schedule: gemvSchedule(m, tile) });
          const planned = plan(spec, 'cuda');
          assert.ok(planned.ok, JSON.stringify(planned));
        }
    for (const target of ['cuda', 'wgsl'] as const)
      for (const layout of ['row', 'col'] as const) {
        for (const dtype of ['f32', 'f16'] as const) {
          const problem = { m: 4, n: 512, k: 512, a: { dtype }, b: { layout } };
          assert.ok(plan(resolve({ problem, schedule: { algorithm: 'gemv' } }), target).ok);
        }
      }
    const problem = { m: 4, n: 512, k: 512, a: { dtype: 'bf16' } } as const;
    const { thread, vector } = resolve({ problem, schedule: { algorithm: 'gemv' } }).schedule;
    assert.deepEqual([thread?.n, vector], [8, 8]);
  });
});

describe('the time model of gemv', () => {
  const kernel: GemvKernel = {
    threads: 128,
    registersPerThread: 64,
    bytesPerThread: 128,
    blocks: 132 * 8,
    splitK: 1,
    results: 16_384,
    compulsoryBytes: 2 ** 28,
  };
  const machine = { multiprocessors: 132, dramGBps: 3350 };

  it('is bound by DRAM, and slower with fewer bytes in flight, uneven blocks or slices', () => {
    const time = gemvMilliseconds(kernel, machine);
    const copied = 2 ** 28 / 3350e6;
    assert.ok(time > copied / GEMV.readShare && time < 1.15 * copied, `${time}`);
    for (const slower of [
      { bytesPerThread: 16 },
      { blocks: 132 * 8 + 1 },
      { blocks: 66 },
      { splitK: 4 },
    ])
      assert.ok(gemvMilliseconds({ ...kernel, ...slower }, machine) > time);
    assert.ok(gemvMilliseconds(kernel, { ...machine, dramGBps: 2000 }) > time);
  });
});

describe('the constants of gemv', () => {
  it('are those of the recorded fit', () => {
    const { fitted } = v.parse(
      v.object({ fitted: v.record(v.string(), v.number()) }),
      JSON.parse(readFileSync('bench/gemv-model.json', 'utf8')),
    );
    assert.deepEqual(GEMV, fitted);
  });
});

describe('the search space of tune', () => {
  const countIn = (m: number, target: 'cuda' | 'wgsl', dtype: 'f32' | 'f64' = 'f32') => {
    const spec = resolve({ ...cuda({ ...LINEAR, m, a: { dtype } }), targets: [target] });
    const space = defaultSpace(spec, target);
    const found = [...space.walk()].filter(({ algorithm }) => algorithm === 'gemv');
    return { space, spec, found };
  };

  it('has gemv for up to four rows, in both targets', () => {
    for (const target of ['cuda', 'wgsl'] as const) {
      assert.ok(countIn(1, target).found.length > 50);
      const { found, space, spec } = countIn(4, target);
      assert.ok(found.some(schedule => plan({ ...spec, schedule }, target).ok));
      assert.match(space.name, /gemv/);
      assert.equal(countIn(5, target).found.length, 0);
    }
    const { found, spec } = countIn(1, 'cuda', 'f64');
    assert.ok(found.some(schedule => plan({ ...spec, schedule }, 'cuda').ok));
  });

  it('has one variant of a gemv schedule, whose raster order has no effect', () => {
    const { space, found } = countIn(1, 'cuda');
    const [first] = found;
    assert.ok(first !== undefined);
    assert.deepEqual(space.variants(first), [first]);
    assert.equal(space.variantCount(first), 1);
  });

  /** One of so many schedules of the space is scored. */
  const SAMPLED = 12;

  it('tries gemv early', async () => {
    const { space, spec } = countIn(1, 'cuda');
    const { score } = scorerFor(spec, 'cuda');
    const walking = { whole: false, pause: () => Promise.resolve(true) };
    const walk = () => [...space.walk()].filter((_, at) => at % SAMPLED === 0);
    const { scored } = await ordered({ ...space, walk }, score, walking);
    const early = diverse(scored, 30).filter(({ schedule }) => schedule.algorithm === 'gemv');
    assert.ok(early.length > 0);
  }).timeout(60_000);
});
