/** Verdicts, ranking and totals of an audit, and how its time is divided. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { AUDIT_SAMPLES, BATCH_MS, createBudget, raceTimes } from '../../../src/core/audit/budget';
import { isPlanned, planShape, type PlannedShape } from '../../../src/core/audit/planned';
import { EQUAL_PERCENT, resultOf, type ShapeResult } from '../../../src/core/audit/result';
import { uniqueShapes } from '../../../src/core/audit/shapes';
import { readShapes } from '../../../src/core/audit/shapes/read';
import { ranked, summaryOf, type AuditSummary } from '../../../src/core/audit/summary';
import type { Measurement } from '../../../src/core/measure/measurement';
import { timed } from '../../helpers/measurements';

function plannedOf(line: string): PlannedShape {
  const read = readShapes(`m,n,k,dtype,layoutB,count\n${line}\n`);
  assert.ok(read.ok);
  const [shape] = uniqueShapes(read.list.entries, read.list.format);
  assert.ok(shape !== undefined);
  const planned = planShape(shape, { device: 'h200' });
  assert.ok(isPlanned(planned), JSON.stringify(planned));
  return planned;
}

const planned = plannedOf('512,512,512,f32,row,10');

/** A run that takes `oursMs` beside libraries that take `libraryMs`. */
function runOf(
  oursMs: number,
  libraryMs: readonly number[],
  intervalMs?: (median: number) => [number, number],
): Measurement {
  const base = timed({ gflops: 1000, specKey: planned.kernel.specKey });
  assert.ok(base.timing !== undefined);
  const intervalOf = (median: number) =>
    intervalMs === undefined ? {} : { intervalMs: intervalMs(median) };
  return {
    ...base,
    timing: { ...base.timing, medianMs: oursMs, ...intervalOf(oursMs) },
    baselines: libraryMs.map((medianMs, i) => ({
      name: `library ${i}`,
      medianMs,
      gflops: 1,
      ratio: medianMs / oursMs,
      ...intervalOf(medianMs),
    })),
  };
}

const result = (...run: Parameters<typeof runOf>): ShapeResult => resultOf(planned, runOf(...run));

const summarize = (results: readonly ShapeResult[]): AuditSummary =>
  summaryOf({
    place: {
      file: 'shapes.csv',
      format: 'csv',
      gpus: ['NVIDIA H200'],
      driver: null,
      compiler: null,
      journal: null,
    },
    ended: 'done',
    entries: results.length,
    results,
    issues: [],
    notes: [],
    seconds: 1,
    nextOf: () => null,
  });

describe('the verdict on a shape', () => {
  it('compares with the fastest library, and weights the difference', () => {
    const { library, ratio, savedMs, verdict } = result(1, [3, 2, 4]);
    assert.deepEqual([library?.name, ratio, savedMs, verdict], ['library 1', 2, 10, 'replace']);
  });

  it('keeps a faster library, which saves a negative time', () => {
    const { savedMs, verdict } = result(2, [1]);
    assert.deepEqual([savedMs, verdict], [-10, 'keep']);
  });

  it(`counts times as equal up to ${EQUAL_PERCENT} %`, () => {
    assert.equal(result(1, [1.0099]).verdict, 'equal');
    assert.equal(result(1, [1.0101]).verdict, 'replace');
    assert.equal(result(1, [0.9901]).verdict, 'equal');
    assert.equal(result(1, [0.9899]).verdict, 'keep');
  });

  it('counts times as equal if the interval of their ratio includes 1', () => {
    const wide = (median: number): [number, number] => [0.9 * median, 1.1 * median];
    assert.equal(result(1, [1.05], wide).verdict, 'equal');
    assert.equal(result(1, [1.5], wide).verdict, 'replace');
  });

  it('has no time of a kernel that is incorrect, and no ratio without a library', () => {
    const { timing, ...untimed } = runOf(1, [2]);
    assert.ok(timing !== undefined);
    const wrong = resultOf(planned, { ...untimed, outcome: 'incorrect', message: '1 wrong' });
    assert.deepEqual(
      [wrong.verdict, wrong.oursMs, wrong.ratio, wrong.why],
      ['failed', null, null, 'incorrect: 1 wrong'],
    );
    const alone = result(1, []);
    assert.deepEqual([alone.verdict, alone.oursMs, alone.savedMs], ['no-library', 1, null]);
  });
});

describe('the summary of an audit', () => {
  const slow = { ...result(4, [3]), key: 'slow' };
  const fast = { ...result(1, [3]), key: 'fast' };
  const equal = { ...result(1, [1.005]), key: 'equal' };
  const none = { ...resultOf(planned, null), key: 'none' };

  it('ranks by saved time, and shapes without a comparison last', () => {
    const keys = ranked([none, slow, equal, fast]).map(({ key }) => key);
    assert.deepEqual(keys, ['fast', 'equal', 'slow', 'none']);
  });

  it('adds up the times of all calls', () => {
    const { totals, meanRatio, counts } = summarize([slow, fast]);
    assert.deepEqual(totals, { libraryMs: 60, oursMs: 50, fastestMs: 40, savedMs: 20 });
    assert.ok(Math.abs((meanRatio ?? NaN) - Math.sqrt(3 * 0.75)) < 1e-12);
    assert.deepEqual([counts.replace, counts.keep], [1, 1]);
  });

  it('has shares that add up to 1, whatever was measured', () => {
    const times = fc.record({
      ours: fc.double({ min: 1e-3, max: 1e3, noNaN: true }),
      library: fc.option(fc.double({ min: 1e-3, max: 1e3, noNaN: true })),
    });
    fc.assert(
      fc.property(fc.array(times, { minLength: 1, maxLength: 8 }), drawn => {
        const results = drawn.map(({ ours, library }, i) => ({
          ...result(ours, library === null ? [] : [library]),
          key: String(i),
        }));
        const { ranking, totals } = summarize(results);
        const sum = ranking.reduce((all, { share }) => all + (share ?? NaN), 0);
        assert.ok(Math.abs(sum - 1) < 1e-9);
        assert.equal(ranking.length, results.length);
        assert.ok(totals.fastestMs <= totals.oursMs && totals.fastestMs <= totals.libraryMs);
      }),
    );
  });

  it('has no mean and no saved time without a comparison', () => {
    const { meanRatio, totals, ranking } = summarize([none]);
    assert.equal(meanRatio, null);
    assert.equal(totals.savedMs, 0);
    assert.ok((ranking[0]?.share ?? 0) > 0, 'the share is predicted');
  });
});

describe('the time of an audit', () => {
  it('is divided among the shapes that are left', () => {
    const budget = createBudget(1);
    const few = budget.batchFor(60_000, 10) ?? 0;
    const many = budget.batchFor(60_000, 25) ?? 0;
    assert.ok(few === BATCH_MS.most && many < few && many >= BATCH_MS.least, `${few} ${many}`);
    assert.ok((createBudget(2).batchFor(60_000, 25) ?? 0) > many, 'two GPUs');
  });

  it('ends if no shape fits', () => {
    assert.equal(createBudget(1).batchFor(500, 1), undefined);
    assert.equal(createBudget(1).batchFor(-1, 5), undefined);
  });

  it('follows the measured duration of a shape', () => {
    const [quick, slow] = [createBudget(1), createBudget(1)];
    quick.add(1000, 50);
    slow.add(5000, 50);
    assert.ok((quick.batchFor(30_000, 10) ?? 0) > (slow.batchFor(30_000, 10) ?? 0));
  });

  it('has the same number of samples for every batch', () => {
    for (const batchMs of [BATCH_MS.least, 100, BATCH_MS.most]) {
      const { samples, settleMs, warmUpMs, budgetMs } = raceTimes(batchMs);
      assert.equal(samples, AUDIT_SAMPLES);
      assert.ok(warmUpMs <= settleMs && budgetMs >= 2 * samples * batchMs);
    }
  });
});
