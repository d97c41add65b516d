/** Random `gemv` kernels on the CPU: shuffles and shared memory return correct results. */
import assert from 'node:assert/strict';
import { drawnKernels, replay } from '../../../../scripts/grid/draws';
import { GEMV_SEEDS } from '../../../../scripts/grid/specs';
import { taken } from '../../../../scripts/grid/taken';
import { lanePlanIn } from '../../../../src/core/plan/family';
import { sampleOf } from '../../../helpers/depth';
import { hasCxx, runAll } from '../../../host/cpu/support';

(hasCxx ? describe : describe.skip)('gemv on the CPU (needs g++ or clang++)', function () {
  this.timeout(240_000);

  it('is right for random problems and schedules', async () => {
    const drawn = taken(sampleOf(120), drawnKernels('cuda', GEMV_SEEDS));
    const plans = drawn.flatMap(({ kernel: { plan } }) => lanePlanIn(plan)?.gemv ?? []);
    assert.ok(plans.some(({ lanesK }) => lanesK > 1) && plans.some(({ partials }) => partials > 1));
    const measurements = await runAll(drawn.map(({ kernel }) => kernel));
    for (const [i, { outcome, message }] of measurements.entries()) {
      const { seed, spec } = drawn[i] ?? assert.fail();
      const failures = [`${outcome}: ${message ?? ''}`];
      assert.equal(outcome, 'correct', replay({ seed, spec, failures }));
    }
  });
});
