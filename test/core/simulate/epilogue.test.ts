/** Kernels with an epilogue compute it, in every algorithm and both languages. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { emit } from '../../../src/core/kernel/emit';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import { simulateBackend } from '../../../src/core/simulate/backend';
import { CONTEXT } from '../../helpers/context';
import { isEnough, runs } from '../../helpers/depth';
import { epilogueSpecs, warpGroupEpilogueSpecs } from '../../helpers/epilogues';

describe('epilogues on the simulator', () => {
  it('are right in 2,000 drawn specs of every algorithm', async function () {
    this.timeout(1_800_000);
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(epilogueSpecs, epilogueSpecs, warpGroupEpilogueSpecs),
        fc.integer(),
        async (spec, seed) => {
          const resolved = resolve(spec);
          for (const target of resolved.targets) {
            const planned = plan(resolved, target);
            if (!planned.ok) continue;
            const runnable = emit(planned.plan);
            const { outcome, message, verification } = await simulateBackend.run(
              { runnable, mode: 'verify', seed },
              CONTEXT,
            );
            assert.equal(outcome, 'correct', `${message ?? ''}${JSON.stringify(verification)}`);
            const kind = `${target} ${planned.plan.algorithm}`;
            seen.set(kind, (seen.get(kind) ?? 0) + 1);
          }
        },
      ),
      runs(6000, 60),
    );
    if (process.env['SHOW']) console.log([...seen]);
    const total = [...seen.values()].reduce((sum, count) => sum + count, 0);
    assert.ok(isEnough(total, 2000), JSON.stringify([...seen]));
  });
});
