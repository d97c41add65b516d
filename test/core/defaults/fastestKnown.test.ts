/** The fastest schedule of the dispatch tables, and the library beside it. */
import assert from 'node:assert/strict';
import { check } from '../../../src/core/defaults/check';
import { fastestKnown } from '../../../src/core/defaults/fastestKnown';
import type { GemmSpec } from '../../../src/core/spec/schema';

const measured: GemmSpec = {
  problem: { m: 4096, n: 4096, k: 4096, a: { dtype: 'bf16' }, b: { layout: 'col' } },
  device: 'h200',
};

describe('fastest known schedule', () => {
  it('is in use by default, and has the library measured at the same shape', () => {
    const small = { ...measured, problem: { ...measured.problem, m: 128, n: 28_672 } };
    const known = fastestKnown(small);
    assert.equal(known?.inUse, true);
    assert.equal(known.rate.from, 'measured');
    assert.match(known.library?.name ?? '', /cuBLAS/);
  });

  it('is predicted at the power limit, and keeps the library measured at the same shape', () => {
    const known = fastestKnown(measured);
    assert.equal(known?.inUse, true);
    assert.equal(known.rate.from, 'derived');
    assert.match(known.library?.name ?? '', /cuBLAS/);
  });

  it('has the same schedule with an epilogue, but no measured rate and no library', () => {
    const plain: GemmSpec = {
      ...measured,
      problem: { ...measured.problem, m: 128, n: 28_672 },
    };
    const fused: GemmSpec = {
      ...plain,
      problem: { ...plain.problem, epilogue: [{ op: 'bias', along: 'n' }, { op: 'gelu' }] },
    };
    const known = fastestKnown(fused);
    assert.deepEqual(known?.schedule, fastestKnown(plain)?.schedule);
    assert.equal(known?.rate.from, 'derived');
    assert.equal(known.library, null);
    assert.match(check(fused).scheduleFrom.text, /The measured kernel has no epilogue\.$/);
    assert.doesNotMatch(check(plain).scheduleFrom.text, /epilogue/);
  });

  it('is not in use beside another schedule', () => {
    const known = fastestKnown({ ...measured, schedule: { algorithm: 'naive' } });
    assert.equal(known?.inUse, false);
    assert.equal(known.schedule.algorithm, 'wgmma');
  });

  it('is absent for a device without measurements', () => {
    assert.equal(fastestKnown({ ...measured, device: 'apple-m4' }), null);
  });
});
