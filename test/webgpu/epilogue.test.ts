/** WGSL text with an epilogue, executed through Dawn on whatever adapter this machine has. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { emit } from '../../src/core/kernel/emit';
import type { Kernel } from '../../src/core/kernel/kernel';
import { plan } from '../../src/core/plan/planner';
import { resolve } from '../../src/core/defaults/resolve';
import { dawnBackend } from '../../src/host/dawn/backend';
import { CONTEXT } from '../helpers/context';
import { IS_WHOLE, SAMPLE_SEED } from '../helpers/depth';
import { epilogueSpecs } from '../helpers/epilogues';

const options = { worker: path.resolve('dist/dawnWorker.js'), where: 'cli' };
const COUNT = IS_WHOLE ? 300 : 20;

describe('epilogues through Dawn', () => {
  it(`are right in ${COUNT} drawn kernels`, async function () {
    this.timeout(1_800_000);
    const backend = dawnBackend(options);
    const answer = await backend.probe();
    if (!existsSync(options.worker) || !answer.available) {
      this.test!.title += ` (skipped: ${answer.available ? 'no worker' : answer.why})`;
      this.skip();
    }
    const seed = IS_WHOLE ? {} : { seed: SAMPLE_SEED };
    const kernels = fc
      .sample(epilogueSpecs, { numRuns: 12 * COUNT, ...seed })
      .flatMap((spec): readonly Kernel[] => {
        const planned = plan(resolve({ ...spec, targets: ['wgsl'] }), 'wgsl');
        const isF32 = planned.ok && Object.values(planned.plan.dtypes).every(of => of === 'f32');
        return isF32 && planned.plan.family === 'simt' ? [emit(planned.plan)] : [];
      })
      .slice(0, COUNT);
    assert.equal(kernels.length, COUNT);
    let ran = 0;
    for (const runnable of kernels) {
      const { outcome, message } = await backend.run(
        { runnable, mode: 'verify', seed: 5 },
        CONTEXT,
      );
      // Some adapters allow fewer invocations or bindings than a drawn kernel needs.
      if (outcome === 'constraint') continue;
      ran++;
      assert.equal(outcome, 'correct', `${runnable.specKey}: ${message ?? ''}`);
    }
    assert.ok(ran > COUNT / 2, `${ran} of ${COUNT} kernels ran`);
  });
});
