/** Kernels with an epilogue compute it, in every algorithm and both languages. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { emit } from '../../../src/core/kernel/emit';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import { simulateBackend } from '../../../src/core/simulate/backend';
import { CONTEXT } from '../../helpers/context';
import { isEnough, runs, SAMPLE_SEED } from '../../helpers/depth';
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
    const total = [...seen.values()].reduce((sum, count) => sum + count, 0);
    assert.ok(isEnough(total, 2000), JSON.stringify([...seen]));
  });
});

describe('epilogues of warp group kernels', () => {
  it('load pairs only at even columns', () => {
    let pairs = 0;
    for (const spec of fc.sample(warpGroupEpilogueSpecs, { numRuns: 300, seed: SAMPLE_SEED })) {
      const planned = plan(resolve(spec), 'cuda');
      if (!planned.ok) continue;
      const [, text = ''] =
        /void applyEpilogue\(([\s\S]*?)\n}\n/.exec(emit(planned.plan).source) ?? [];
      for (const [line] of text.matchAll(/^.*= \*reinterpret_cast.*$/gm)) {
        // `n` ends at the last column, which can be odd.
        assert.match(line, /\beven\)?;$/, line);
        pairs++;
      }
    }
    assert.ok(pairs > 20, `${pairs} pairs`);
  });
});
