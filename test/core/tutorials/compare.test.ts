/** Verdicts of single figures, and rates of runs. */
import assert from 'node:assert/strict';
import type { Measurement } from '../../../src/core/measure/measurement';
import { compareRow } from '../../../src/core/tutorials/compare';
import { tutorialNamed } from '../../../src/core/tutorials/list';
import { ratesOf } from '../../../src/core/tutorials/rates';
import { tutorialReport } from '../../../src/core/tutorials/report';
import { plannedRuns, runKey } from '../../../src/core/tutorials/runs';
import { reportTables, summarySentences } from '../../../src/core/tutorials/tables';
import type { Facts, Row, Value } from '../../../src/core/tutorials/tutorial';

const NO_FACTS: Facts = { verified: new Map(), compiled: new Map(), notCompiled: null };

const verdict = (row: Partial<Row>, theirs: Value | null, ours: Value): string =>
  compareRow(
    { row: '000.1', id: 'x', text: 'x', kind: 'equal', theirs, ours: () => ours, ...row },
    NO_FACTS,
  ).verdict;

describe('comparison of a figure', () => {
  it('is equal at the precision of the tutorial, and not beyond it', () => {
    assert.equal(verdict({ decimals: 1 }, 81.3, 81.349), 'equal');
    assert.equal(verdict({ decimals: 1 }, 81.3, 81.351), 'differs');
    assert.equal(verdict({}, '8 x 32', '8 x 32'), 'equal');
    assert.equal(verdict({}, '8 x 32', '8 x 33'), 'differs');
    assert.equal(verdict({}, 0, '0'), 'differs');
    assert.equal(verdict({}, 8, NaN), 'differs');
  });

  it('is within a tolerance up to its limit', () => {
    const within = { kind: 'within', tolerancePercent: 4 } as const;
    assert.equal(verdict(within, 100, 104), 'within');
    assert.equal(verdict(within, 100, 96), 'within');
    assert.equal(verdict(within, 100, 104.6), 'differs');
    assert.equal(verdict(within, 100, NaN), 'differs');
    assert.equal(verdict(within, 'a', 'b'), 'differs');
  });

  it('reports a deviation without a failure, an added figure and a missing one', () => {
    assert.equal(verdict({ kind: 'reported' }, 27, 40), 'reported');
    assert.equal(verdict({}, null, 40), 'added');
    const row: Row = {
      row: '003.3',
      id: 'registers',
      text: 'Registers',
      kind: 'equal',
      theirs: 27,
      ours: () => ({ missing: 'No nvcc.' }),
    };
    const { verdict: found, verdictText, ours } = compareRow(row, NO_FACTS);
    assert.deepEqual([found, verdictText, ours], ['missing', 'No nvcc.', null]);
  });
});

describe('rates of a tutorial', () => {
  const ratios = tutorialNamed('ratios');
  const runnable = plannedRuns(ratios, { backend: 'cuda', device: 'h200', sizes: [1024] })[3];
  assert.ok(runnable?.made.ok);
  const run: Measurement = {
    specKey: runnable.made.kernel.specKey,
    kernelKey: 'x',
    resolved: null,
    backend: 'cuda',
    device: { name: 'NVIDIA GeForce RTX 4090', adapter: '8.9', driver: '1', where: 'cli' },
    outcome: 'correct',
    verification: { reference: 'f64', maxError: 0, bound: 1, mismatches: 0, samples: 9 },
    timing: {
      timer: 'cuda-events',
      quantumNs: 1,
      warmUp: 1,
      samples: 3,
      medianMs: 0.458,
      iqrMs: 0,
      minMs: 0.458,
      gflops: 9380,
      errorPercent: 0,
      cache: 'cold',
      inputs: 'uniform',
    },
    baseline: { name: 'cuBLAS', medianMs: 0.1, gflops: 46_900, ratio: 0.2 },
  };
  const runs = new Map([[runKey('naive', 1024), run]]);

  it('compare a timed run with the tutorial and the library', () => {
    const [naive, blockTiles] = ratesOf(ratios, [1024], 'rtx-4090', { runs });
    assert.equal(naive?.kind, 'measured');
    assert.equal(naive.measured?.deviationPercent?.toFixed(6), (100).toFixed(6));
    assert.deepEqual(naive.measured.library, { name: 'cuBLAS', gflops: 46_900 });
    assert.equal(blockTiles?.kind, 'predicted');
    const input = { device: 'rtx-4090', sizes: [1024], runs, compiled: new Map() } as const;
    const report = tutorialReport(ratios, { ...input, notCompiled: null });
    const table = reportTables(report).at(-1);
    assert.ok(table !== undefined);
    assert.ok(table.head.some(text => text.startsWith('measured')));
    assert.match(table.rows[0]?.join() ?? '', /9\.38 TFLOP\/s, 0\.458 ms \(\+100 %\)/);
    assert.match(table.rows[0]?.join() ?? '', /cuBLAS: 46\.9 TFLOP\/s; the kernel reaches 20\.0 %/);
    assert.ok(summarySentences(report).every(text => !text.startsWith('No rate')));
  });

  it('state that a smaller schedule was measured', () => {
    const adapted = new Map([[runKey('naive', 1024), 'Block tile reduced to 16 x 16.']]);
    const input = { device: 'rtx-4090', sizes: [1024], runs, compiled: new Map() } as const;
    const report = tutorialReport(ratios, { ...input, adapted, notCompiled: null });
    const rows = reportTables(report).at(-1)?.rows ?? [];
    assert.match(rows[0]?.join() ?? '', /0\.458 ms .*\. Block tile reduced to 16 x 16\./);
    assert.doesNotMatch(rows[1]?.join() ?? '', /reduced/);
  });

  it('do not compare the rates of different GPUs', () => {
    const device = { ...run.device, name: 'NVIDIA H200' };
    const other = new Map([[runKey('naive', 1024), { ...run, device }]]);
    const [naive] = ratesOf(ratios, [1024], 'h200', { runs: other });
    assert.equal(naive?.theirs?.gflops, 4690);
    assert.equal(naive.measured?.gflops, 9380);
    assert.deepEqual(
      [naive.measured.deviationPercent, naive.predicted?.deviationPercent],
      [null, null],
    );
  });

  it('have no stated rate at a size that the tutorial did not measure', () => {
    const [naive] = ratesOf(ratios, [512], 'rtx-4090', { runs: new Map() });
    assert.deepEqual([naive?.theirs, naive?.predicted?.deviationPercent], [null, null]);
  });

  it('are timed on cuda and webgpu, and only verified on the other backends', () => {
    const modes = (backend: 'cuda' | 'webgpu' | 'cpu' | 'simulate'): number =>
      plannedRuns(ratios, { backend, device: 'h200', sizes: [1024, 2048] }).filter(
        ({ mode }) => mode === 'time',
      ).length;
    assert.deepEqual(
      [modes('cuda'), modes('webgpu'), modes('cpu'), modes('simulate')],
      [6, 6, 0, 0],
    );
  });

  it('use smaller blocks on adapters with small limits', () => {
    const limits = { invocations: 256, workgroupStorageBytes: 16_384, owner: 'this adapter' };
    const plan = { backend: 'webgpu', device: 'h200', sizes: [64], limits } as const;
    for (const name of ['ratios', 'worklog', 'loops', 'hierarchy', 'cute'] as const)
      for (const { made, key } of plannedRuns(tutorialNamed(name), plan))
        assert.ok(made.ok, `${name} ${key}: ${made.ok ? '' : made.why}`);
  });
});
