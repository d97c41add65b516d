import assert from 'node:assert/strict';
import { emit } from '../../../src/core/emit/emit';
import { PLANNED } from '../../../src/core/plan/fields';
import { plan } from '../../../src/core/plan/planner';
import { LADDER_WEBGPU_LIMITS, ladderOf } from '../../../src/core/spec/ladder';
import { resolve } from '../../../src/core/spec/resolve';
import { TARGETS } from '../../../src/core/spec/schema';

describe('the ladder', () => {
  for (const target of TARGETS) {
    it(`has every algorithm in ${target}, each rung legal and a text of its own`, () => {
      const rungs = ladderOf(target);
      const texts = rungs.map(({ schedule, change }) => {
        const problem = { m: 4096, n: 4096, k: 4096 };
        const spec = { problem, schedule, webgpuLimits: LADDER_WEBGPU_LIMITS };
        const planned = plan(resolve(spec), target);
        assert.ok(planned.ok, `${change}: ${JSON.stringify(planned)}`);
        return emit(planned.plan).source;
      });
      assert.equal(new Set(texts).size, texts.length);
      // What leaves memory to the caches is no step on the way to what stages it, nor is what few adapters have.
      const others = ['register-tile', 'mma'];
      const climbed = Object.keys(PLANNED).filter(name => !others.includes(name));
      assert.deepEqual(new Set(rungs.map(({ algorithm }) => algorithm)), new Set(climbed));
    });
  }
});
