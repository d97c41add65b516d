import assert from 'node:assert/strict';
import { resolve } from '../../../src/core/defaults/resolve';
import { scheduleName } from '../../../src/core/plan/specKey';
import type { Schedule } from '../../../src/core/spec/schema';
import { specKey } from '../../../src/core/plan/specKey';

describe('the name of a schedule among those of one problem', () => {
  const nameOf = (schedule: Schedule): string =>
    scheduleName(
      specKey(resolve({ problem: { m: 64, n: 32, k: 7, a: { dtype: 'f16' } }, schedule })),
    );

  it('leaves types, sizes and layouts out', () => {
    assert.equal(
      nameOf({
        algorithm: 'thread-tile-2d',
        block: { m: 64, n: 64, k: 8 },
        thread: { m: 4, n: 4 },
      }),
      'thread-tile-2d 64x64x8-4x4',
    );
    assert.equal(
      nameOf({ algorithm: 'coalesced', variant: 'remap', block: { m: 8, n: 32 } }),
      'coalesced-remap 8x32',
    );
  });

  it('is the whole text where it is no key', () => {
    assert.equal(scheduleName('mine.cu'), 'mine.cu');
  });
});
