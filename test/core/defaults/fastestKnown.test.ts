/** The fastest schedule of the dispatch tables, and the library beside it. */
import assert from 'node:assert/strict';
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

  it('is not in use beside another schedule', () => {
    const known = fastestKnown({ ...measured, schedule: { algorithm: 'naive' } });
    assert.equal(known?.inUse, false);
    assert.equal(known.schedule.algorithm, 'wgmma');
  });

  it('is absent for a device without measurements', () => {
    assert.equal(fastestKnown({ ...measured, device: 'apple-m4' }), null);
  });
});
