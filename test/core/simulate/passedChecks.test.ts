/** What Simulate states about accesses is what it checks. */
import assert from 'node:assert/strict';
import { emit } from '../../../src/core/kernel/emit';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import { simulateBackend } from '../../../src/core/simulate/backend';
import { passedChecks } from '../../../src/core/simulate/passedChecks';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { CONTEXT } from '../../helpers/context';

const size = { m: 64, n: 64, k: 64 };
const simulated = (spec: GemmSpec) => {
  const planned = plan(resolve({ device: 'h200', ...spec }), 'cuda');
  assert.ok(planned.ok, JSON.stringify(planned));
  return simulateBackend.run({ runnable: emit(planned.plan), mode: 'verify', seed: 1 }, CONTEXT);
};

describe('checks of accesses', () => {
  it('are stated for a correct run', async () => {
    const run = await simulated({ problem: size, schedule: { algorithm: 'shared-tile' } });
    assert.match(passedChecks(run) ?? '', /^no races, out-of-bounds or misaligned accesses/);
    assert.equal(passedChecks({ ...run, outcome: 'incorrect' }), undefined);
    assert.equal(passedChecks({ ...run, backend: 'cuda' }), undefined);
  });

  it('exclude races and bounds for wgmma', async () => {
    const problem = { ...size, a: { dtype: 'bf16' } } as const;
    const run = await simulated({ problem, schedule: { algorithm: 'wgmma' } });
    assert.match(passedChecks(run) ?? '', /races and bounds were not checked$/);
  });
});
