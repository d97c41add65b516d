/** The items of the tutorials: each has a row of `seed` or a test that shows it, or a reason. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { itemsOf, type Item } from '../../../scripts/tutorials/items';
import { tutorialsPage } from '../../../scripts/tutorials/page';
import type { Measurement } from '../../../src/core/measure/measurement';
import { simulateBackend } from '../../../src/core/simulate/backend';
import { contractReport, type ContractReport } from '../../../src/core/tutorials/contract';
import { executeRuns } from '../../../src/core/tutorials/execute';
import { predictedDevice, tutorialNamed } from '../../../src/core/tutorials/list';
import { tutorialReport } from '../../../src/core/tutorials/report';
import { plannedRuns } from '../../../src/core/tutorials/runs';
import { TUTORIAL_NAMES, type TutorialName } from '../../../src/core/tutorials/tutorial';

const ITEMS: readonly Item[] = TUTORIAL_NAMES.flatMap(itemsOf);
const LEAST_SUPPORTED = 110;

/** Returns the JSON of `seed NAME` without a compiler. */
async function reportOf(name: TutorialName): Promise<ContractReport> {
  const tutorial = tutorialNamed(name);
  const [device, { sizes }] = [predictedDevice(tutorial), tutorial];
  const planned = plannedRuns(tutorial, { backend: 'simulate', device, sizes });
  const runs: ReadonlyMap<string, Measurement> = await executeRuns(planned, simulateBackend, {
    abort: new AbortController().signal,
    onRun: () => undefined,
  });
  const without = { compiled: new Map(), notCompiled: 'No compiler in this test.' };
  return contractReport(tutorialReport(tutorial, { device, sizes, runs, ...without }));
}

describe('the items of the tutorials', () => {
  it('are 114, and at least 110 are supported', () => {
    assert.deepEqual(
      TUTORIAL_NAMES.map(name => itemsOf(name).length),
      [16, 39, 15, 32, 12],
    );
    assert.equal(new Set(ITEMS.map(({ title, row }) => `${row.slice(0, 3)} ${title}`)).size, 114);
    const supported = ITEMS.filter(({ shown }) => !('why' in shown));
    assert.ok(supported.length >= LEAST_SUPPORTED, `${supported.length}`);
    for (const { row, shown } of ITEMS)
      if ('why' in shown) assert.match(shown.why, /^[A-Z].{20,}\.$/, row);
  });

  for (const name of TUTORIAL_NAMES)
    it(`are in the report of ${name} without a deviation that fails, unless a test shows them`, async () => {
      const { rows, added, rates, listings } = await reportOf(name);
      const numberOf = (id: string): string => id.split(' ')[0] ?? '';
      for (const { row, shown } of ITEMS) {
        if (!('seed' in shown) || shown.seed !== name) continue;
        const own = rows.filter(({ id }) => numberOf(id) === shown.row);
        const failed = own.filter(({ required, verdict }) => required && verdict === 'differs');
        assert.deepEqual(failed, [], row);
        const valid = [
          ...own.filter(({ verdict }) => verdict === 'equal' || verdict === 'within'),
          ...added.filter(({ id, ours }) => numberOf(id) === shown.row && ours !== null),
          ...rates.filter(rate => rate.row === shown.row && rate.predicted !== null),
          ...listings.filter(listing => listing.row === shown.row),
        ];
        assert.ok(valid.length > 0, `${row}: no figure of ${shown.row}`);
      }
    });

  it('have the tests that they name', () => {
    for (const { row, shown } of ITEMS) {
      if (!('test' in shown)) continue;
      assert.ok(existsSync(shown.test), `${row}: ${shown.test}`);
      const text = readFileSync(shown.test, 'utf8');
      assert.ok(text.includes(`  it('${shown.name}', `), `${row}: ${shown.name}`);
    }
  });

  it('are listed in docs/tutorials.md', async () => {
    assert.equal(readFileSync('docs/tutorials.md', 'utf8'), await tutorialsPage());
  });
});
