/** CUDA text with an epilogue, compiled and executed on this machine's CPU. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { emit } from '../../../src/core/kernel/emit';
import type { Kernel } from '../../../src/core/kernel/kernel';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import { IS_WHOLE, SAMPLE_SEED } from '../../helpers/depth';
import { epilogueSpecs } from '../../helpers/epilogues';
import { hasCxx, runAll } from './support';

const COUNT = IS_WHOLE ? 2000 : 40;
/** Kernels per executable. */
const TOGETHER = 40;

describe('epilogues on the cpu backend', () => {
  it(`are right in ${COUNT} drawn kernels`, async function () {
    if (!hasCxx) {
      this.test!.title += ' (skipped: no C++ compiler on Linux)';
      this.skip();
    }
    this.timeout(3_600_000);
    const seed = IS_WHOLE ? {} : { seed: SAMPLE_SEED };
    const kernels = fc
      .sample(epilogueSpecs, { numRuns: 4 * COUNT, ...seed })
      .flatMap((spec): readonly Kernel[] => {
        const planned = plan(resolve(spec), 'cuda');
        return planned.ok ? [emit(planned.plan)] : [];
      })
      .slice(0, COUNT);
    assert.equal(kernels.length, COUNT);
    for (let first = 0; first < COUNT; first += TOGETHER) {
      const some = kernels.slice(first, first + TOGETHER);
      const measurements = await runAll(some);
      for (const [i, { outcome, message }] of measurements.entries())
        assert.equal(outcome, 'correct', `${some[i]?.specKey ?? ''}: ${message ?? ''}`);
    }
  });
});
