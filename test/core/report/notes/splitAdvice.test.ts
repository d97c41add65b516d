/** Split-K as advice: where the time model predicts that it gains. */
import assert from 'node:assert/strict';
import { analyze } from '../../../../src/core/report/analyze';
import { deviceOf } from '../../../../src/core/hardware/devices';
import { emit } from '../../../../src/core/kernel/emit';
import { plan } from '../../../../src/core/plan/planner';
import { waveEdits } from '../../../../src/core/search/rank/waveEdits';
import { resolve } from '../../../../src/core/defaults/resolve';

describe('split-K', () => {
  it('is advised with its predicted gain where few blocks leave SMs idle', () => {
    const schedule = { algorithm: 'warp-tile' } as const;
    const problem = { m: 256, n: 256, k: 16_384 };
    const planned = plan(resolve({ problem, schedule }), 'cuda');
    assert.ok(planned.ok, JSON.stringify(planned));
    const kernel = emit(planned.plan);
    const { waves } = analyze(kernel, { device: 'h200' });
    const [best] = waveEdits(kernel.plan, deviceOf('h200'), waves);
    assert.ok(best !== undefined);
    assert.ok(best.changes.some(({ path, to }) => path === 'schedule.splitK' && to > 1));
    assert.ok(best.tflops.after > best.tflops.before);
  });
});
