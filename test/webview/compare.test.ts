import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Measurement } from '../../src/core/measure/measurement';
import { sourceHashOf } from '../../src/core/text/hash';
import type { Schedule } from '../../src/core/spec/schema';
import {
  comparedRates,
  notesOnlyOf,
  parameters,
  quantities,
  type Group,
} from '../../webview/compare';
import { derive, isKernel, type Derived } from '../../webview/derive';
import { pairedLines, difference } from '../../src/core/text/hunks';
import { timed } from '../helpers/measurements';
import { lineDiff } from '../../src/core/text/lineDiff';
import { initialState } from '../../webview/state';

const sides = (schedule: Schedule, runs: readonly Measurement[] = []): Derived =>
  derive({
    ...initialState(),
    runs,
    view: { ...initialState().view, target: 'cuda' },
    spec: { problem: { m: 1024, n: 1024, k: 1024 }, schedule },
  });
const small = {
  algorithm: 'thread-tile-2d',
  block: { m: 64, n: 64, k: 8 },
  thread: { m: 4, n: 4 },
} as const;
const large = { algorithm: 'thread-tile-2d' } as const;

const legal = (side: Derived) => {
  assert.ok(side.shown.ok);
  return { analysis: side.shown.analysis, runs: side.runs };
};
const rowOf = (groups: readonly Group[], name: string) =>
  groups.flatMap(({ rows }) => rows).find(row => row.name === name);

describe('explorer: two configurations', () => {
  it('list the changed quantities with size and direction of the change', () => {
    const [a, b] = [sides(small), sides(large)];
    assert.deepEqual(
      parameters(a, b).rows.map(({ name, a: now, b: then, change }) => [
        name,
        then?.text,
        now?.text,
        change,
      ]),
      [
        ['BM', '128', '64', '−50 %'],
        ['BN', '128', '64', '−50 %'],
        ['TM', '8', '4', '−50 %'],
        ['TN', '8', '4', '−50 %'],
      ],
    );
    const groups = quantities(legal(a), legal(b));
    assert.equal(rowOf(groups, 'threads per block')?.change, '=');
    const registers = rowOf(groups, 'registers per thread');
    assert.deepEqual(
      [registers?.b?.text, registers?.a?.text, registers?.a?.from],
      ['104', '48', 'derived'],
    );
    assert.match(registers?.change ?? '', /^−53\.8 %$/);
    assert.match(rowOf(groups, 'tiles of C')?.change ?? '', /^\+300 %$/);
  });

  it('list fields that only one algorithm has', () => {
    const [a, b] = [sides({ algorithm: 'naive' }), sides(large)];
    const groups = [parameters(a, b), ...quantities(legal(a), legal(b))];
    assert.deepEqual([rowOf(groups, 'BK')?.a, rowOf(groups, 'BK')?.change], [null, 'only pinned']);
    assert.equal(rowOf(groups, 'As store')?.change, 'only pinned');
    assert.equal(rowOf(groups, 'algorithm')?.change, '≠');
  });

  it('compare measured rates on one machine, and otherwise predicted rates', () => {
    const runOf = (side: Derived, gflops: number, name: string): Measurement => {
      const kernel = side.kernels.cuda;
      assert.ok(isKernel(kernel));
      return timed({
        gflops,
        name,
        resolved: side.report.resolved,
        specKey: side.report.specKey,
        sourceHash: sourceHashOf(kernel),
      });
    };
    const rated = (side: Derived, runs: readonly Measurement[]) => ({
      ...legal(side),
      specKey: side.report.specKey,
      runs,
    });
    const [a, b] = [sides(small), sides(large)];
    const measured = comparedRates(
      rated(a, [runOf(a, 2000, 'one'), runOf(a, 5000, 'two')]),
      rated(b, [runOf(b, 1000, 'one')]),
    );
    assert.equal(measured?.title, 'Measured on one, extension host');
    assert.deepEqual(
      measured.rates.map(({ name, rate }) => [name.split(':')[0], rate.value]),
      [
        ['pinned', 1000],
        ['current', 2000],
      ],
    );
    const apart = comparedRates(rated(a, [runOf(a, 2000, 'one')]), rated(b, []));
    assert.equal(apart?.title, 'Predicted');
    assert.ok(apart.rates.every(({ rate }) => rate.value > 0 && rate.interval === undefined));
  });

  it('have no differing row if they are equal', () => {
    const groups = [
      parameters(sides(large), sides(large)),
      ...quantities(legal(sides(large)), legal(sides(large))),
    ];
    assert.deepEqual(
      groups.flatMap(({ rows }) => rows).filter(({ change }) => change !== '='),
      [],
    );
    assert.deepEqual(notesOnlyOf(legal(sides(large)).analysis, legal(sides(large)).analysis), []);
  });

  it('show times per machine, and never compare two machines', () => {
    const timed = (schedule: Schedule, name: string, gflops: number): Measurement => {
      const kernel = sides(schedule).kernels.cuda;
      assert.ok(isKernel(kernel));
      return {
        specKey: 'x',
        kernelKey: 'y',
        sourceHash: sourceHashOf(kernel),
        resolved: null,
        backend: 'cuda',
        outcome: 'correct',
        device: { name, adapter: 'a', driver: '1', where: 'cli' },
        verification: { reference: 'f64', maxError: 0, bound: 1, mismatches: 0, samples: 1 },
        timing: {
          timer: 'cuda-events',
          quantumNs: 32,
          warmUp: 1,
          samples: 1,
          medianMs: 1,
          iqrMs: 0,
          minMs: 1,
          gflops,
          errorPercent: 0,
          cache: 'cold',
          inputs: 'x',
        },
      };
    };
    const runs = [timed(small, 'one', 100), timed(large, 'one', 50), timed(large, 'two', 10)];
    const groups = quantities(legal(sides(small, runs)), legal(sides(large, runs)));
    const rows = groups.find(({ title }) => title === 'Measured')?.rows ?? [];
    assert.deepEqual(
      rows.map(({ name, a, b, change }) => [name, b?.text, a?.text, change]),
      [
        ['one, cli', '50 GFLOP/s (interval unknown)', '100 GFLOP/s (interval unknown)', '+100 %'],
        ['two, cli', '10 GFLOP/s (interval unknown)', undefined, 'only pinned'],
      ],
    );
  });
});

describe('explorer: a source diff', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 })
    .map(lines => lines.join('\n'));
  it('contains every line once, and folds only unchanged lines', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { parts } = difference(before, after);
        const count = parts.reduce(
          (sum, part) => sum + (part.kind === 'folded' ? part.lines : part.lines.length),
          0,
        );
        assert.equal(count, lineDiff(before, after).length);
        for (const [index, part] of parts.entries())
          assert.notEqual(part.kind, parts[index + 1]?.kind);
      }),
    );
  });
  it('pairs added lines with removed lines', () => {
    const pairs = pairedLines(lineDiff('a\nb\nc\nd', 'a\nx\nd'));
    assert.deepEqual(
      pairs.map(([left, right]) => [left?.text, right?.text]),
      [
        ['a', 'a'],
        ['b', 'x'],
        ['c', undefined],
        ['d', 'd'],
      ],
    );
  });
});
