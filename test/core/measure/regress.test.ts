/** Runs of two commits: which are compared, what counts as slower, and the order of the rows. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Measurement, RunOrigin, Timing } from '../../../src/core/measure/measurement';
import { regress, type RecordedRun, type RegressInput } from '../../../src/core/measure/regress';
import { regressMarkdown, regressSummary } from '../../../src/core/measure/regressText';
import { sourceOf } from '../../../src/core/text/markdown';
import { measurement } from '../../helpers/history';

const BEFORE = 'a'.repeat(40);
const AFTER = 'b'.repeat(40);

interface Over extends Partial<Omit<Measurement, 'device'>> {
  readonly device?: string;
  readonly origin?: RunOrigin;
}

const timing = (medianMs: number, spread = 0.01): Timing => ({
  timer: 'cuda-events',
  quantumNs: 1,
  warmUp: 1,
  samples: 20,
  medianMs,
  iqrMs: medianMs * spread,
  minMs: medianMs,
  intervalMs: [medianMs * (1 - spread), medianMs * (1 + spread)],
  gflops: 1 / medianMs,
  errorPercent: 0,
  cache: 'warm',
  inputs: 'uniform',
});

let count = 0;
const run = (key: string, ms: number | undefined, { device = 'H200', ...over }: Over = {}) => {
  const made = measurement(key);
  const named: Measurement = {
    ...made,
    device: { ...made.device, name: device },
    ...(ms === undefined ? {} : { timing: timing(ms) }),
    ...over,
  };
  return { id: `r${count++}`, measurement: named };
};

const report = (
  before: readonly RecordedRun[],
  added: readonly RecordedRun[],
  over: Partial<RegressInput> = {},
) =>
  regress({
    commits: { before: BEFORE, after: AFTER },
    specs: [],
    before,
    after: [...before, ...added],
    maxSlowdownPercent: 3,
    ...over,
  });

describe('a regression report', () => {
  it('calls a kernel slower if the interval excludes 1 and the allowance is exceeded', () => {
    const verdictOf = (ms: number, maxSlowdownPercent = 3) =>
      report([run('k', 1)], [run('k', ms)], { maxSlowdownPercent }).rows[0]?.verdict;
    assert.equal(verdictOf(1.2), 'slower');
    assert.equal(verdictOf(1.2, 25), 'same');
    assert.equal(verdictOf(1.005, 0), 'same', 'within the interval');
    assert.equal(verdictOf(1.02, 0), 'slower');
    assert.equal(verdictOf(1.02, 3), 'same', 'within the allowance');
    assert.equal(verdictOf(0.9), 'faster');
  });

  it('never compares times of different devices or backends', () => {
    const { rows, compared } = report(
      [run('k', 1), run('k', 5, { device: 'H100' })],
      [run('k', 9, { device: 'L4' }), run('k', 9, { backend: 'webgpu' })],
    );
    assert.equal(compared, 0);
    assert.ok(rows.every(({ verdict, why }) => verdict === 'not-compared' && why !== undefined));
    assert.equal(rows.length, 4);
  });

  it('prefers an earlier run of the same machine, and marks two machines', () => {
    const on = (machine: string) => ({ origin: { machine } });
    const both = [run('k', 1, on('m1')), run('k', 2, on('m2'))];
    const same = report(both, [run('k', 1, on('m1'))]).rows[0];
    assert.deepEqual([same?.ratio, same?.otherMachine], [1, undefined]);
    const other = report(both, [run('k', 2, on('m3'))]).rows[0];
    assert.deepEqual([other?.ratio, other?.otherMachine], [1, true]);
  });

  it('pairs the kernels of a spec whose schedule changed', () => {
    const specs = [{ name: 'a.gemm.json', before: 'old', after: 'new' }];
    const { rows } = report([run('old', 1)], [run('new', 2)], { specs });
    assert.deepEqual(
      rows.map(({ name, verdict, ratio }) => [name, verdict, ratio]),
      [['a.gemm.json', 'slower', 2]],
    );
    const known = report([run('old', 1), run('new', 2)], [], { specs }).rows;
    assert.deepEqual(
      known.map(({ verdict }) => verdict),
      ['slower'],
      'the new schedule was measured before',
    );
    const absent = report([run('old', 1)], [], { specs }).rows;
    assert.match(absent[0]?.why ?? '', /no new run/);
  });

  it('counts a run at the clean first commit as its run, also if it was committed later', () => {
    const clean = { origin: { commit: BEFORE, dirty: false } };
    const { rows } = report([], [run('k', 1, clean), run('k', 2)]);
    assert.deepEqual([rows[0]?.verdict, rows[0]?.ratio], ['slower', 2]);
    const dirty = { origin: { commit: BEFORE, dirty: true } };
    assert.equal(report([], [run('k', 1, dirty), run('k', 2)]).compared, 0);
  });

  it('uses the newest run by its order, whatever the clock of its machine showed', () => {
    const later = { at: '2001-01-01T00:00:00.000Z', origin: { order: 2e12 } };
    const earlier = { at: '2026-01-01T00:00:00.000Z' };
    for (const added of [
      [run('k', 2, later), run('k', 1, earlier)],
      [run('k', 1, earlier), run('k', 2, later)],
    ]) {
      assert.equal(report([run('k', 1)], added).rows[0]?.ratio, 2);
    }
  });

  it('lists a kernel that is no longer correct first, and one that never was as not compared', () => {
    const wrong = { outcome: 'incorrect', message: 'C[0][0] is wrong' } as const;
    const { rows, counts } = report(
      [run('a', 1), run('b', 1), run('c', undefined, wrong)],
      [run('a', undefined, wrong), run('b', 2), run('c', undefined, wrong)],
    );
    assert.deepEqual(
      rows.map(({ name, verdict }) => [name, verdict]),
      [
        ['a', 'failed'],
        ['b', 'slower'],
        ['c', 'not-compared'],
      ],
    );
    assert.deepEqual(counts, { failed: 1, slower: 1, 'not-compared': 1, same: 0, faster: 0 });
  });

  it('uses the error of both medians where a run has no interval', () => {
    const old = (ms: number, iqrMs: number) => {
      const made = { ...timing(ms), iqrMs };
      delete made.intervalMs;
      return run('k', ms, { timing: made });
    };
    const verdictOf = (iqrMs: number) =>
      report([old(1, iqrMs)], [old(1.2, iqrMs)]).rows[0]?.verdict;
    assert.equal(verdictOf(0.01), 'slower');
    assert.equal(verdictOf(0.2), 'same');
  });

  it('has the same rows for any order of the runs', () => {
    const some = fc.array(
      fc
        .record({
          key: fc.constantFrom('a', 'b'),
          ms: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
          device: fc.constantFrom('H200', 'L4'),
          order: fc.integer({ min: 0, max: 99 }),
        })
        .map(({ key, ms, device, order }) => ({ key, ms, device, order })),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(some, some, (before, added) => {
        const made = (list: typeof before, from: number) =>
          list.map(({ key, ms, device, order }, i) =>
            run(key, ms, { device, origin: { order: 1000 * i + order + from } }),
          );
        const [old, later] = [made(before, 0), made(added, 50_000)];
        const forward = report(old, later);
        const backward = report(old.toReversed(), later.toReversed());
        assert.deepEqual(backward.rows, forward.rows);
        assert.equal(forward.compared, forward.rows.filter(row => row.ratio !== undefined).length);
      }),
    );
  });

  it('escapes hostile names in Markdown, and states what is compared', () => {
    const name = 'x|y`](http://example.org)<img src=x>.gemm.json';
    const specs = [{ name, before: 'k', after: 'k' }];
    const made = report([run('k', 1, { device: 'G|PU' })], [run('k', 2, { device: 'G|PU' })], {
      specs,
    });
    const text = sourceOf(regressMarkdown(made));
    assert.doesNotMatch(text, /(?<!\\)<img|\]\(http/);
    const row = text.split('\n').find(line => line.includes('**slower**')) ?? '';
    assert.equal(row.replaceAll('\\|', '').split('|').length, 9);
    assert.match(text, /Only runs of the same device and backend are compared/);
    assert.match(regressSummary(made), /^Regression: 0 failed, 1 slower by more than 3 %/);
    assert.match(regressSummary(report([], [])), /^Nothing compared: /);
  });
});
