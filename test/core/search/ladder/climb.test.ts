/**
 * Hardware demand of rungs against counted accesses, reasons of gains, and ladders with illegal
 * rungs.
 */
import assert from 'node:assert/strict';
import { analyze } from '../../../../src/core/report/analyze';
import {
  gainText,
  fitRungs,
  stepsOf,
  type Step,
} from '../../../../src/core/search/ladder/ladderSteps';
import { demandOf } from '../../../../src/core/search/ladder/demand';
import { reasonsBetween } from '../../../../src/core/search/ladder/reasons';
import { stepReport, summaryOf } from '../../../../src/core/search/ladder/report';
import { compile } from '../../../../src/core/simulate/compile';
import { makeThreads } from '../../../../src/core/simulate/threads';
import { blocksOf } from '../../../../src/core/simulate/execute';
import type { Access } from '../../../../src/core/simulate/memory';
import type { LoweredKernel } from '../../../../src/core/kernel/kernel';
import type { Measurement } from '../../../../src/core/measure/measurement';
import { LADDER } from '../../../../src/core/search/ladder/rungs';
import { TARGETS, type Target } from '../../../../src/core/spec/schema';
import { timed } from '../../../helpers/measurements';
import { loweredOf } from '../../../helpers/kernels';
import { parametersOf } from '../../../../src/core/kernel/ir/arguments';
import { sampled } from '../../../helpers/depth';

/** Accesses of A and B by lane, and barriers of all threads, from the simulator. */
function counted(
  kernel: LoweredKernel,
): Readonly<Record<'global' | 'shared' | 'barriers', number>> {
  const counts = { global: 0, shared: 0, barriers: 0 };
  const memory = {
    load: ({ space, site, lane }: Access) => {
      if (lane === 0 && site.operand !== 'c') counts[space] += 1;
      return 0;
    },
    store: () => undefined,
    storeLater: () => undefined,
    commit: () => undefined,
    wait: () => undefined,
    misaligned: () => undefined,
    diverged: () => undefined,
    barrier: () => {
      counts.barriers += 1;
    },
  };
  const program = compile(kernel.ir, {
    parameters: parametersOf(kernel.problem),
    memory: () => memory,
  });
  for (const block of blocksOf(kernel.grid))
    Array.from(program.run(block, makeThreads(kernel.block, program)));
  return counts;
}

/** For a cube of 4096, created once. */
const STEPS = new Map<Target, readonly Step[]>();

const stepOf = (target: Target, algorithm: string): Step => {
  const problem = { m: 4096, n: 4096, k: 4096 };
  const steps = STEPS.get(target) ?? stepsOf(fitRungs({ problem }, target), new Map(), 'h200');
  STEPS.set(target, steps);
  const step = steps.find(({ hold }) => hold.rung.algorithm === algorithm);
  assert.ok(step);
  return step;
};

/** A run with the median time of its rate. */
const atRate = (gflops: number): Measurement => {
  const run = timed({ gflops });
  return run.timing === undefined
    ? run
    : { ...run, timing: { ...run.timing, medianMs: 1 / gflops } };
};

const reasonsOf = (target: Target, from: string, to: string) => {
  const [before, after] = [from, to].map(name => {
    const { hold, analysis } = stepOf(target, name);
    assert.ok(hold.ok && analysis !== null);
    return demandOf(hold.kernel, analysis);
  });
  assert.ok(before && after);
  return reasonsBetween(before, after);
};

describe('hardware demand of a rung', () => {
  for (const target of TARGETS) {
    it(`matches the simulator's counts, in ${target}`, function () {
      this.timeout(240_000);
      // Deep enough that every pipeline reaches its main loop.
      const problem = { m: 256, n: 128, k: 64 };
      const holds = fitRungs({ problem }, target);
      assert.ok(holds.filter(({ ok }) => ok).length > 10);
      for (const hold of sampled(holds, 6)) {
        if (!hold.ok) continue;
        const demand = demandOf(hold.kernel, analyze(hold.kernel, { device: 'h200' }));
        const { global, shared } = counted(loweredOf(hold.kernel));
        assert.equal(demand.globalRequests * 32, global, `${hold.rung.change}: global`);
        assert.equal(demand.sharedRequests * 32, shared, `${hold.rung.change}: shared`);
      }
    });
  }
});

describe('hardware demand of a tensor-core rung', () => {
  for (const dtype of ['bf16', 'tf32'] as const)
    for (const layout of ['row', 'col'] as const) {
      it(`matches the simulator's counts, ${dtype}, B ${layout}`, function () {
        this.timeout(120_000);
        const problem = { m: 256, n: 128, k: 320, a: { dtype }, b: { layout } };
        const holds = fitRungs({ problem }, 'cuda').filter(
          ({ rung: { algorithm, schedule } }) =>
            algorithm === 'mma' && schedule.kernelSchedule === undefined,
        );
        assert.equal(holds.length, 7);
        for (const hold of sampled(holds, holds.length)) {
          assert.ok(hold.ok, hold.rung.change);
          const demand = demandOf(hold.kernel, analyze(hold.kernel, { device: 'h200' }));
          const { global, shared } = counted(loweredOf(hold.kernel));
          assert.equal(demand.globalRequests * 32, global, `${hold.rung.change}: global`);
          assert.equal(demand.sharedRequests * 32, shared, `${hold.rung.change}: shared`);
        }
      });
    }

  it('is explained by peak, conflicts, tiles, stages, fragments and raster order', () => {
    const problem = { m: 4096, n: 4096, k: 4096, a: { dtype: 'bf16' } } as const;
    const texts = stepsOf(fitRungs({ problem }, 'cuda'), new Map(), 'h200')
      .filter(({ hold }) => hold.rung.algorithm === 'mma')
      .map(({ gain }) => gain?.text.replace(/^[\d.]+x predicted: /, '') ?? '');
    const expected = [
      /^compute peak 66\.9 → 989 TFLOP\/s \(bf16 tensor-core peak\).*32 x 32 accumulators per warp/,
      /4\.\dx fewer shared-memory wavefronts \(As fragment load: no bank conflicts, previously 4-way; Bs/,
      /tiles 64 x 64 → 128 x 128\).*32 x 32 → 64 x 64 accumulators per warp/,
      /^stages 2 → 3$/,
      /^fragments are loaded one k-step ahead of their FMAs/,
      /2x fewer barriers \(64 per block\).*tiles 128 x 128 → 256 x 128/,
      /groups of 8$/,
      /one thread loads tiles with TMA, so warps spend no instructions on copies/,
    ];
    assert.equal(texts.length, expected.length);
    texts.forEach((text, i) => {
      assert.match(text, expected[i] ?? /^$/);
    });
  });
});

describe('the reasons of a rung', () => {
  it('lists fewer sectors of A for coalesced over naive', () => {
    const [first, ...others] = reasonsOf('cuda', 'naive', 'coalesced');
    assert.equal(first?.kind, 'global-sectors');
    assert.equal(first.effect, 'better');
    assert.ok(Math.abs(first.factor - 33 / 5) < 1e-9, String(first.factor));
    assert.match(
      first.text,
      /6\.6x fewer sectors loaded from global memory \(A load: 32 → 1 sectors per request; B load: 1 → 4 sectors per request\)/,
    );
    assert.deepEqual(
      others.map(({ kind, text }) => [kind, text]),
      [['stored-sectors', '8x fewer sectors stored to C (C store: 32 → 4 sectors per request)']],
    );
  });

  it('lists shared tiles for shared-tile over coalesced', () => {
    const [first, second] = reasonsOf('cuda', 'coalesced', 'shared-tile');
    assert.match(
      first?.text ?? '',
      /20x fewer sectors loaded from global memory \(A tile load: 1 → 4 sectors per request; threads of a block share a 32 x 32 tile\)/,
    );
    assert.equal(second?.kind, 'shared-memory');
  });

  it('have the same factor in the opposite direction', () => {
    const there = reasonsOf('cuda', 'thread-tile-1d', 'thread-tile-2d');
    const back = reasonsOf('cuda', 'thread-tile-2d', 'thread-tile-1d');
    assert.deepEqual(
      back.map(({ kind, effect, factor }) => [kind, effect === 'better', factor]).sort(),
      there.map(({ kind, effect, factor }) => [kind, effect !== 'better', factor]).sort(),
    );
    assert.ok(there.length > 2);
  });

  it('are empty for a rung compared with itself', () => {
    for (const { algorithm } of LADDER)
      assert.deepEqual(reasonsOf('cuda', algorithm, algorithm), []);
  });

  it('start with those that match the measured direction', () => {
    const reason = (effect: 'better' | 'worse', text: string) => ({
      ...({ kind: 'barriers', effect, factor: 2, text } as const),
    });
    const both = [reason('better', 'less of this'), reason('worse', 'more of that')];
    assert.equal(gainText({ factor: 2 }, both), '2.00x: less of this; offset by more of that');
    assert.equal(gainText({ factor: 0.5 }, both), '0.500x: more of that; despite less of this');
    assert.equal(gainText({ factor: null }, both), 'less of this; offset by more of that');
    assert.equal(gainText({ factor: 1.5 }, []), '1.50x: no derived figure changes');
    assert.equal(gainText({ factor: 0.9 }, both.slice(0, 1)), '0.900x: less of this');
  });
});

describe('a ladder', () => {
  const problem = { m: 100, n: 70, k: 40 };

  it('skips rungs that are not legal, and reports why', () => {
    const holds = fitRungs({ problem, webgpuLimits: { invocations: 256 } }, 'wgsl');
    const runs = new Map<number, Measurement>(
      holds.flatMap(({ ok, number }) => (ok ? [[number, atRate(number)] as const] : [])),
    );
    const steps = stepsOf(holds, runs, 'h200');
    assert.equal(steps.length, holds.length);
    const missing = steps.filter(({ hold }) => !hold.ok);
    assert.ok(missing.length > 0 && missing.length < steps.length);
    for (const step of missing) {
      const report = stepReport(step);
      assert.ok(!report.legal && report.specKey === null && report.gain === null);
      assert.match(report.why, /> (256|16,384)/);
    }
    const after = steps.filter(({ hold, gain }) => hold.ok && gain !== null);
    for (const { hold, gain } of after) {
      assert.ok(gain && gain.over < hold.number && steps[gain.over - 1]?.hold.ok);
      assert.ok(Math.abs((gain.factor ?? 0) - hold.number / gain.over) < 1e-9);
    }
    const summary = summaryOf(steps);
    const legal = steps.filter(({ hold }) => hold.ok).map(({ hold }) => hold.number);
    assert.deepEqual(summary, {
      rungs: steps.length,
      legal: legal.length,
      correct: legal.length,
      fastest: legal.at(-1),
      gflops: legal.at(-1),
      overSlowest: (legal.at(-1) ?? 0) / (legal[0] ?? 1),
    });
  });

  it('has reasons but no factor without a run', () => {
    const steps = stepsOf(fitRungs({ problem }, 'cuda'), new Map(), 'h200');
    assert.equal(stepReport(steps[0]!).why, 'the first rung');
    assert.ok(steps.slice(1).every(({ gain }) => gain?.factor === null && gain.text !== ''));
    assert.equal(summaryOf(steps).fastest, null);
  });
});
