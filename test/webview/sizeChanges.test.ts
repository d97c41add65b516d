/** Setting a size from the size sweep keeps the schedule and updates explicit strides. */
import assert from 'node:assert/strict';
import { plan as planOf } from '../../src/core/plan/planner';
import { resolve } from '../../src/core/defaults/resolve';
import type { GemmSpec } from '../../src/core/spec/schema';
import { applyChanges } from '../../webview/edit';
import { sizeChanges } from '../../webview/sizeChanges';

function changed(
  spec: GemmSpec,
  sizes: { readonly m: number; readonly n: number; readonly k: number },
) {
  const planned = planOf(resolve(spec), 'cuda');
  assert.ok(planned.ok);
  const changes = sizeChanges(spec, planned.plan, sizes);
  const decoded = applyChanges(spec, planned.plan.spec, changes);
  assert.ok(decoded.ok);
  const after = resolve(decoded.spec);
  assert.deepEqual(after.schedule, planned.plan.spec.schedule);
  return { changes, after };
}

describe('setting a size', () => {
  const schedule = {
    algorithm: 'thread-tile-2d',
    block: { m: 64, n: 64, k: 8 },
    thread: { m: 8, n: 8 },
  } as const;

  it('changes only the size of an explicit schedule', () => {
    const spec: GemmSpec = { problem: { m: 512, n: 512, k: 512 }, schedule };
    assert.deepEqual(changed(spec, { m: 640, n: 512, k: 512 }).changes, { 'problem.m': 640 });
  });

  it('writes the schedule only if its defaults depend on the size', () => {
    const spec: GemmSpec = { problem: { m: 4096, n: 4096, k: 4096 } };
    const near = changed(spec, { m: 4224, n: 4096, k: 4096 });
    assert.deepEqual(Object.keys(near.changes), ['problem.m']);
    const far = changed(spec, { m: 64, n: 64, k: 64 });
    assert.ok('schedule' in far.changes);
  });

  it('keeps the padding of an explicit residual, and a packed residual packed', () => {
    const epilogue = [
      { op: 'residual', ld: 520 },
      { op: 'residual', layout: 'col' },
    ] as const;
    const spec: GemmSpec = { problem: { m: 512, n: 512, k: 512, epilogue }, schedule };
    const { changes, after } = changed(spec, { m: 640, n: 576, k: 512 });
    assert.equal(changes['problem.epilogue.0.ld'], 584);
    const lds = after.problem.epilogue?.map(op => (op.op === 'residual' ? op.ld : null));
    assert.deepEqual(lds, [584, 640]);
  });

  it('updates explicit leading dimensions and strides', () => {
    const spec: GemmSpec = {
      problem: {
        m: 64,
        n: 64,
        k: 64,
        batch: 2,
        a: { ld: 72 },
        b: { batchStride: 5000 },
      },
      schedule,
    };
    const { after } = changed(spec, { m: 64, n: 128, k: 80 });
    assert.equal(after.problem.a.ld, 88);
    assert.equal(after.problem.b.batchStride, 80 * 128 + (5000 - 64 * 64));
    assert.equal(after.problem.c.ld, 128);
  });
});
