/** The judge on the cpu backend: names known ways to cheat, and accuses no generated kernel. */
import assert from 'node:assert/strict';
import { JUDGE_IDS, rejects } from '../../../src/core/verify/judge/ids';
import { drawnKernels } from '../../../scripts/grid/draws';
import { runManyOnCpu } from '../../../scripts/grid/cpuRuns';
import { taken } from '../../../scripts/grid/taken';
import { sampleOf } from '../../helpers/depth';
import { hasCxx, runOne } from '../cpu/support';
import { cheats } from './cheats';

describe('the judge on the cpu backend', function () {
  before(function () {
    if (!hasCxx) this.skip();
  });

  it('knows at least 24 ways to cheat, and observes at least 20 of them on a CPU', () => {
    assert.ok(cheats.length >= 24, String(cheats.length));
    assert.ok(cheats.filter(({ findings }) => findings.cpu !== 'none').length >= 20);
  });

  for (const { name, runnable, findings } of cheats.filter(one => one.findings.cpu !== 'none')) {
    it(`names the cheat of ${name}: ${findings.cpu}`, async () => {
      const run = await runOne(runnable, { judges: true });
      const found = run.findings?.find(({ id }) => id === findings.cpu);
      assert.ok(found, JSON.stringify([run.outcome, run.message, run.findings]));
      if (!rejects(found)) {
        assert.equal(run.outcome, 'correct', run.message);
        return;
      }
      assert.notEqual(run.outcome, 'correct');
      assert.ok(run.message?.includes(found.message));
      if (JUDGE_IDS.some(id => id === found.id)) assert.match(found.message, /Fix: /);
    });
  }
});

describe('the judge and generated kernels', function () {
  before(function () {
    if (!hasCxx) this.skip();
  });

  it('rejects none of 500 random generated kernels, a sample in the short tiers', async function () {
    this.timeout(1_200_000);
    const kernels = taken(sampleOf(500), drawnKernels('cuda', 5000)).map(({ kernel }) => kernel);
    const measured = await runManyOnCpu(kernels, undefined, true);
    const accused = measured.filter(
      ({ outcome, findings = [] }) => outcome !== 'correct' || findings.length > 0,
    );
    const list = accused.map(({ specKey, message }) => `${specKey}: ${message ?? ''}`);
    assert.equal(accused.length, 0, list.join('\n'));
    assert.equal(measured.length, kernels.length);
  });
});
