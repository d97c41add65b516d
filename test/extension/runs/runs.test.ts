/** The Runs view's logic: groups, filter, limit, words, tables and comparisons. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { failed, kept, measured, timing } from './stored';
import { sourceOf } from '../../../src/core/text/markdown';
import { OUTCOMES, type Measurement } from '../../../src/core/measure/measurement';
import {
  branchesOf,
  filterRuns,
  foldBranches,
  GROUPS,
  groupRuns,
  shownRuns,
  type Branch,
} from '../../../src/extension/runs/groups';
import { comparison, runsTable } from '../../../src/extension/runs/markdown';
import { runNames } from '../../../src/extension/runs/runNames';
import {
  kernelOfRun,
  occupancyOfRun,
  rooflineFraction,
} from '../../../src/extension/runs/runFacts';
import {
  descriptionOf,
  factsOf,
  isEdited,
  kernelName,
  OUTCOME_ICONS,
  outcomeText,
  runLabel,
  shareText,
  tooltipOf,
  whereText,
} from '../../../src/extension/runs/runText';

describe('groups of runs', () => {
  const other = { ...measured(16).device, name: 'NVIDIA A10' };
  const runs = kept(
    measured(8),
    measured(16),
    measured(16, {}, 512),
    measured(32, { device: other }),
  );

  it('are sorted by problem or machine, newest first', () => {
    assert.deepEqual(
      groupRuns(runs, 'problem').map(group => [group.name, group.runs.length]),
      [
        ['1024 x 1024 x 1024 f32', 3],
        ['512 x 512 x 512 f32', 1],
      ],
    );
    assert.deepEqual(
      groupRuns(runs, 'machine').map(group => [group.name, group.runs.length]),
      [
        ['NVIDIA A10', 1],
        ['NVIDIA H200', 3],
      ],
    );
    assert.equal(groupRuns(runs, 'problem')[0]?.runs[0], runs[3]);
  });

  it('contain every run once', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(3)), fc.constantFrom(...GROUPS), (picks, by) => {
        const some = picks.map(index => ({ ...runs[index]! }));
        const grouped = groupRuns(some, by).flatMap(group => group.runs);
        assert.deepEqual(new Set(grouped), new Set(some));
        assert.equal(grouped.length, some.length);
      }),
    );
  });

  const series = { kind: 'ladder', id: 'one' } as const;
  const rate = (gflops: number, rest: Partial<Measurement> = {}) =>
    measured(16, { timing: timing(gflops), ...rest });
  type Kept = ReturnType<typeof kept>[number];
  const text = (row: Branch<Kept>): string =>
    'run' in row
      ? runLabel(row.run.measurement)
      : `${row.fold.kind}: ${foldBranches(row.fold).map(text).join(', ')}`;

  it('show the fastest run first, and a ladder and the failed runs as one row each', () => {
    const group = kept(
      rate(5),
      failed(16),
      rate(7, { series }),
      failed(8, { series }),
      rate(9, { series }),
      failed(8),
      rate(8),
    );
    assert.deepEqual(branchesOf(group).map(text), [
      'ladder: 9 GFLOP/s  shared-tile-2d, 7 GFLOP/s  shared-tile-2d, wrong result  shared-tile-2d',
      '8 GFLOP/s  shared-tile-2d',
      '5 GFLOP/s  shared-tile-2d',
      'failed: wrong result  shared-tile-2d, wrong result  shared-tile-2d',
    ]);
  });

  it('compare rates only within a problem', () => {
    const group = kept(measured(16, { timing: timing(1) }, 512), rate(9), rate(3));
    assert.deepEqual(
      branchesOf(group).map(row => ('run' in row ? row.run.measurement.timing?.gflops : 0)),
      [1, 9, 3],
    );
  });

  it('show every run in exactly one row, with distinct folds', () => {
    const kinds = [rate(1), rate(2, { series }), failed(8), failed(8, { series }), failed(16)];
    fc.assert(
      fc.property(fc.array(fc.nat(kinds.length - 1)), fc.nat(2), (picks, sizes) => {
        const some = picks.map((pick, index) => ({
          measurement: {
            ...kinds[pick]!,
            ...(index % 3 < sizes ? { resolved: measured(16, {}, 512).resolved } : {}),
          },
        }));
        const folds: string[] = [];
        const all = (row: Branch<Kept>): readonly Kept[] => {
          if ('run' in row) return [row.run];
          folds.push(`${row.fold.kind} ${row.fold.id}`);
          return foldBranches(row.fold).flatMap(all);
        };
        const shown = branchesOf(some).flatMap(all);
        assert.equal(shown.length, some.length);
        assert.deepEqual(new Set(shown), new Set(some));
        assert.equal(new Set(folds).size, folds.length);
      }),
    );
  });

  it('filter by every word, and show the newest up to the limit', () => {
    const keys = (text: string) => filterRuns(runs, text).length;
    assert.deepEqual(
      [keys(''), keys('  '), keys('a10'), keys('H200 512'), keys('cuda correct')],
      [4, 4, 1, 1, 4],
    );
    assert.deepEqual([keys('wrong'), keys('8x8x8')], [0, 1]);
    assert.deepEqual(shownRuns(runs, '', 4).runs, runs);
    assert.deepEqual(shownRuns(runs, '', 3), { runs: runs.slice(1), matching: 4 });
  });
});

describe('a run in words', () => {
  it('lists the GPU state and every library', () => {
    const library = { medianMs: 1, gflops: 12_000, ratio: 0.5, errorPercent: 0.1 };
    const run = measured(16, {
      timing: {
        ...timing(6000),
        clocks: { smMHz: 1970.4, smMinMHz: 1950, smMaxMHz: 1980 },
        powerW: { mean: 612.3, limit: 700 },
        temperatureC: { mean: 50.2 },
      },
      baseline: { ...library, name: 'cuBLAS' },
      baselines: [
        { ...library, name: 'cuBLAS' },
        { ...library, name: 'cuBLASLt' },
      ],
    });
    const facts = factsOf(run, []);
    const meanwhile = facts.find(([name]) => name === 'GPU state');
    assert.equal(meanwhile?.[1], '1970 MHz (1950-1980), 612 W, 50 °C');
    assert.equal(facts.filter(([name]) => name === 'library').length, 2);
    assert.ok(!factsOf(measured(16), []).some(([name]) => name === 'GPU state'));
    assert.equal(
      facts.find(([name]) => name === 'largest error')?.[1],
      '1.0e-6; bound 1.0e-5 at the element nearest to its bound',
    );
  });

  it('names its kernel and marks edited ones', () => {
    const run = measured(16);
    assert.equal(kernelName(run), 'shared-tile-2d 16x16x16');
    assert.equal(kernelOfRun(run)?.specKey, run.specKey);
    const edited = measured(16, { sourceHash: 'f'.repeat(64) });
    assert.deepEqual([isEdited(run), isEdited(edited)], [false, true]);
    assert.match(descriptionOf(edited, false), /edited source/);
    const own = measured(16, { resolved: null, specKey: 'mine' });
    assert.deepEqual(
      [kernelName(own), isEdited(own), rooflineFraction(own)],
      ['mine', false, undefined],
    );
  });

  it('shows its rate with the 95 % interval, and its share of library or roofline', () => {
    const run = measured(16);
    assert.match(
      descriptionOf(run, false),
      /^16x16x16 · [\d.]+ % of roofline · CUDA · NVIDIA H200/,
    );
    const described = (intervalMs: [number, number]) =>
      descriptionOf(measured(16, { timing: { ...timing(6000), intervalMs } }), false);
    assert.match(described([1.92, 2.08]), /^5\.77 to 6\.25 · 16x16x16 · [\d.]+ % of roof/);
    assert.match(described([1.5, 3]), /^4 to 8 · uncertainty ±33\.3 % · /);
    const baseline = { name: 'cuBLAS', medianMs: 1, gflops: 12000, ratio: 0.5 };
    assert.equal(shareText(measured(16, { baseline })), '50 % of cuBLAS');
    // 6 of the 67 TFLOP/s of the datasheet.
    assert.ok(
      Math.abs((rooflineFraction(run) ?? 0) - 6 / 67) < 0.005,
      String(rooflineFraction(run)),
    );
    assert.equal(occupancyOfRun({ ...run, backend: 'simulate' }), null);
    assert.ok(occupancyOfRun(run));
  });

  it('starts its label with the rate, or else with the outcome', () => {
    assert.equal(runLabel(measured(16)), '6 TFLOP/s  shared-tile-2d');
    assert.equal(runLabel(measured(16, { timing: timing(1.22) })), '1.22 GFLOP/s  shared-tile-2d');
    assert.equal(runLabel(failed(16)), 'wrong result  shared-tile-2d');
    assert.equal(runLabel(measured(16, { resolved: null, specKey: 'my k' })), '6 TFLOP/s  my k');
  });

  it('has a distinct icon and label for every outcome', () => {
    assert.equal(new Set(OUTCOMES.map(outcome => OUTCOME_ICONS[outcome])).size, OUTCOMES.length);
    assert.equal(new Set(OUTCOMES.map(outcomeText)).size, OUTCOMES.length);
  });

  it('names the machine of a CPU run', () => {
    const at = (where: string) =>
      whereText({ ...measured(16, { device: { ...measured(16).device, where } }), backend: 'cpu' });
    assert.equal(at('extension host, ssh-remote'), 'CPU of remote machine ssh-remote');
    assert.equal(at('extension host'), 'CPU of the computer that runs VS Code');
  });

  it('names the machine of a GPU run', () => {
    const at = (where: string) =>
      whereText(measured(16, { device: { ...measured(16).device, where } }));
    assert.equal(at('extension host, ssh-remote'), 'GPU of remote machine ssh-remote');
    assert.equal(at('webview'), 'GPU of the computer that shows the window');
    assert.equal(new Set(['extension host', 'webview', 'cli'].map(at)).size, 3);
  });

  it('stays one table row with escaped text', () => {
    fc.assert(
      fc.property(fc.string(), message => {
        const run = measured(16, { message: `x${message}`, specKey: `k|${message}` });
        const rows = sourceOf(runsTable([run]))
          .trimEnd()
          .split('\n');
        assert.equal(rows.length, 3);
        assert.match(sourceOf(tooltipOf(run, ['f.jsonl'])), /f\\\.jsonl/);
      }),
    );
  });
});

describe('comparison of runs', () => {
  const compared = (all: readonly Measurement[], sources?: readonly [string, string]): string =>
    sourceOf(comparison(all, { theme: 'light', ...(sources === undefined ? {} : { sources }) }));

  it('names the runs by their schedules, and equal schedules by what differs', () => {
    assert.deepEqual(runNames([measured(8), measured(16)]), [
      'shared-tile-2d 8x8x8',
      'shared-tile-2d 16x16x16',
    ]);
    assert.deepEqual(runNames([measured(8), measured(8, {}, 512), measured(16)]), [
      'shared-tile-2d 8x8x8, 1024 x 1024 x 1024 f32',
      'shared-tile-2d 8x8x8, 512 x 512 x 512 f32',
      'shared-tile-2d 16x16x16',
    ]);
    assert.deepEqual(runNames([measured(8), measured(8)]), [
      'shared-tile-2d 8x8x8 #1',
      'shared-tile-2d 8x8x8 #2',
    ]);
  });

  it('has a chart with the rate, interval and ratio of each run', () => {
    const known = (gflops: number, medianMs: number, low: number, high: number) => ({
      timing: { ...timing(gflops), medianMs, intervalMs: [low, high] as [number, number] },
    });
    const text = compared([
      measured(8, known(6000, 1, 0.9, 1.2)),
      measured(16, known(3000, 2, 1.8, 2.2)),
    ]);
    const [, data = ''] = /\(data:image\/svg\+xml;charset=utf-8,([^)]*)\)/.exec(text) ?? [];
    const svg = decodeURIComponent(data);
    for (const name of ['shared-tile-2d 8x8x8', 'shared-tile-2d 16x16x16'])
      assert.ok(svg.includes(name), name);
    assert.match(svg, />6 \(5 to 6\.67\), 2x \(1\.\d+ to 2\.\d+\)</);
    assert.match(svg, />3 \(2\.73 to 3\.33\)</, 'the slowest run is the reference');
  });

  it('contains the changed lines of two sources', () => {
    const text = compared([measured(8), measured(16)], ['a\nb\nc', 'a\nx\nc']);
    assert.match(text, /```diff\n@@ -1,3 \+1,3 @@\n a\n-b\n\+x\n c\n```/);
    assert.doesNotMatch(compared([measured(8), measured(16)], ['a', 'a']), /## Source/);
  });

  it('lists differences first, each parameter once', () => {
    const text = compared([measured(8), measured(16, { timing: timing(3000) })]);
    const [differs = '', same = ''] = text.split('## Same in all runs');
    assert.match(differs, /\| block\\\.m \| 8 \| 16 \|/);
    assert.match(
      differs,
      /\| rate \\\(measured\\\) \| 6 TFLOP\/s \\\(interval unknown\\\) \| 3 TFLOP\/s \\\(interval unknown\\\) \|/,
    );
    assert.match(same, /\| algorithm \| shared\\-tile \|/);
    assert.match(
      text,
      /shared\\-tile\\-2d 8x8x8 is \d+x \\\(interval unknown\\\) as fast as shared\\-tile\\-2d 16x16x16\./,
    );
    const known = (gflops: number, medianMs: number, low: number, high: number) => ({
      timing: { ...timing(gflops), medianMs, intervalMs: [low, high] as [number, number] },
    });
    const sure = compared([
      measured(8, known(6000, 1, 0.9, 1.2)),
      measured(16, known(3000, 2, 1.8, 2.2)),
    ]);
    assert.match(sure, /8x8x8 is 2x \\\(1\.\d+ to 2\.\d+\\\) as fast as .*16x16x16\./);
  });

  it('groups the digits of bytes as the page does', () => {
    const text = compared([measured(8), measured(16)]);
    assert.match(text, /\| shared memory \| 512 B \| 2,048 B \|/);
  });

  it('never compares rates of two machines, of two problems, or within their uncertainty', () => {
    const fast = { timing: timing(12000) };
    const unsure = (gflops: number) => ({
      timing: { ...timing(gflops), intervalMs: [1.9, 2.1] as [number, number] },
    });
    const device = { ...measured(8).device, name: 'NVIDIA A10' };
    for (const [other, why] of [
      [measured(8, { ...fast, device }), /different machines/],
      [measured(8, fast, 512), /different problems/],
      [measured(8, unsure(6100)), /do not differ significantly/],
      [measured(8, { outcome: 'timeout', timing: undefined } as never), /Fewer than two/],
    ] as const) {
      const text = compared([measured(8, unsure(6000)), other]);
      assert.match(text, why);
      assert.doesNotMatch(text, /as fast as/);
    }
  });
});
