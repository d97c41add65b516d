/** Every figure of the five tutorials, asserted by its own declaration. */
import assert from 'node:assert/strict';
import { generatedState } from '../../../src/core/kernel/file/fileHead';
import type { Measurement } from '../../../src/core/measure/measurement';
import { simulateBackend } from '../../../src/core/simulate/backend';
import { sourceOf } from '../../../src/core/text/markdown';
import { compareRow } from '../../../src/core/tutorials/compare';
import { predictedDevice, tutorialNamed } from '../../../src/core/tutorials/list';
import { reportFile, tutorialMarkdown } from '../../../src/core/tutorials/markdown';
import { tutorialReport, type ReportInput } from '../../../src/core/tutorials/report';
import { plannedRuns, tutorialFiles } from '../../../src/core/tutorials/runs';
import {
  TUTORIAL_NAMES,
  type Row,
  type Tutorial,
  type Value,
} from '../../../src/core/tutorials/tutorial';
import { readKernelFile } from '../../../src/core/source/kernelFile';

const WHY = 'No compiler in this test.';

async function simulated(tutorial: Tutorial): Promise<ReportInput> {
  const device = predictedDevice(tutorial);
  const { sizes } = tutorial;
  const runs = new Map<string, Measurement>();
  for (const { key, mode, made } of plannedRuns(tutorial, { backend: 'simulate', device, sizes })) {
    assert.ok(made.ok, key);
    const request = { runnable: made.kernel, mode, seed: 1 };
    const context = { abort: new AbortController().signal, progress: () => undefined };
    runs.set(key, await simulateBackend.run(request, context));
  }
  return { device, sizes, runs, compiled: new Map(), notCompiled: WHY };
}

/** The same figure, but not equal at the precision of the tutorial. */
const mutated = (theirs: Value): Value =>
  typeof theirs === 'number' ? 2 * theirs + 1 : `${theirs}!`;

describe('tutorials', () => {
  const items = new Set<string>();

  for (const [index, name] of TUTORIAL_NAMES.entries()) {
    describe(name, () => {
      const tutorial = tutorialNamed(name);
      let input: ReportInput;
      let rows: readonly Row[];
      before(async () => {
        input = await simulated(tutorial);
        rows = tutorial.rows();
      });

      it('reproduces every figure that must be equal or within its tolerance', () => {
        const report = tutorialReport(tutorial, input);
        const failed = report.rows.filter(({ verdict }) => verdict === 'differs');
        assert.deepEqual(failed, []);
        assert.ok(report.holds);
        const missing = report.rows.filter(({ verdict }) => verdict === 'missing');
        for (const { id, verdictText } of missing) assert.equal(verdictText, WHY, id);
      });

      it('names the item of each figure, once per id, and a reason for each deviation', () => {
        const report = tutorialReport(tutorial, input);
        const ids = report.rows.map(({ id }) => id);
        assert.equal(new Set(ids).size, ids.length);
        for (const { row, id, kind, note, tolerancePercent } of report.rows) {
          assert.match(row, new RegExp(String.raw`^00${index}\.\d+$`), id);
          if (kind !== 'equal') assert.ok(note, id);
          assert.equal(tolerancePercent !== undefined, kind === 'within', id);
          items.add(row);
        }
        for (const { row } of [...report.rates, ...report.listings, ...tutorial.kernels])
          items.add(row);
      });

      it('does not hold if any stated figure is another one', () => {
        const facts = { verified: input.runs, compiled: input.compiled, notCompiled: WHY };
        const others: Row[] = [];
        for (const row of rows) {
          if (row.theirs === null || typeof row.ours(facts) === 'object') continue;
          const other = { ...row, theirs: mutated(row.theirs) };
          const { verdict } = compareRow(other, facts);
          assert.equal(verdict, row.kind === 'reported' ? 'reported' : 'differs', row.id);
          if (verdict === 'differs') others.push(other);
        }
        const [first] = others;
        assert.ok(first !== undefined);
        const one = {
          ...tutorial,
          rows: () => [...rows.filter(({ id }) => id !== first.id), first],
        };
        assert.ok(!tutorialReport(one, input).holds);
      });

      it('does not hold if a kernel has a wrong result or a race', () => {
        for (const mismatches of [0, 3]) {
          const runs = new Map(
            [...input.runs].map(([key, run]) => {
              const verification = { ...run.verification, mismatches };
              return [key, { ...run, outcome: 'incorrect' as const, verification }] as const;
            }),
          );
          const report = tutorialReport(tutorial, { ...input, runs });
          assert.ok(!report.holds);
          const results = report.rows.filter(({ id }) => id.endsWith('Result'));
          assert.equal(results.length, tutorial.kernels.length);
          for (const { verdict } of results) assert.equal(verdict, 'differs');
        }
      });

      it('has a prediction for each rate, on the GPU of the tutorial', () => {
        const { rates } = tutorialReport(tutorial, input);
        const timed = tutorial.kernels.filter(kernel => kernel.rates !== undefined);
        assert.equal(rates.length, timed.length * tutorial.sizes.length);
        for (const { predicted, measured, kind, theirs } of rates) {
          assert.ok(predicted !== null && predicted.gflops > 0);
          assert.equal(predicted.deviationPercent === null, theirs === null);
          assert.deepEqual([measured, kind], [null, 'predicted']);
        }
      });

      it('writes a report that a later one may replace, and kernel files with their spec', () => {
        const report = tutorialReport(tutorial, input);
        const file = reportFile(report);
        assert.ok(file.startsWith(sourceOf(tutorialMarkdown(report))));
        assert.equal(generatedState(file), 'generated');
        assert.equal(generatedState(file.replace('equal', 'similar')), 'edited');
        assert.doesNotMatch(file, /NaN|undefined|Infinity|seed|review/);
        const files = tutorialFiles(tutorial, tutorial.sizes, input.device);
        assert.equal(files.length, tutorial.kernels.length + tutorial.listings.length);
        for (const { name: fileName, text } of files) {
          assert.equal(generatedState(text), 'generated', fileName);
          if (!fileName.endsWith('.py')) assert.ok(readKernelFile(text, fileName).ok, fileName);
        }
      });
    });
  }

  describe('together', () => {
    it('cover the items that figures, kernels and listings can show', () => {
      assert.ok(items.size >= 80, `${items.size}: ${[...items].sort().join(' ')}`);
    });
  });
});
