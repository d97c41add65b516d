/** Change of the algorithm: written tiles are kept while they are legal. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { check } from '../../../src/core/defaults/check';
import { withAlgorithm } from '../../../src/core/defaults/withAlgorithm';
import { PLANNED } from '../../../src/core/plan/fields';
import type { Algorithm, GemmSpec } from '../../../src/core/spec/schema';

const problem = { m: 1024, n: 1024, k: 1024 };
const ALGORITHMS = Object.keys(PLANNED) as Algorithm[];

describe('the change of the algorithm', () => {
  it('keeps the tiles that the new algorithm uses', () => {
    const spec: GemmSpec = {
      problem,
      schedule: {
        algorithm: 'vectorized',
        block: { m: 64, n: 128, k: 8 },
        thread: { m: 8, n: 8 },
        vector: 4,
      },
    };
    assert.deepEqual(withAlgorithm(spec, 'thread-tile-2d'), {
      algorithm: 'thread-tile-2d',
      block: { m: 64, n: 128, k: 8 },
      thread: { m: 8, n: 8 },
    });
  });

  it('leaves out tiles that the new algorithm does not use or that are illegal', () => {
    const wide: GemmSpec = {
      problem,
      schedule: { algorithm: 'thread-tile-2d', block: { m: 128, n: 128, k: 8 } },
    };
    const naive = withAlgorithm(wide, 'naive');
    assert.deepEqual(naive, { algorithm: 'naive' }, '128 x 128 threads are not legal');
    const small: GemmSpec = {
      problem,
      schedule: { algorithm: 'shared-tile', block: { m: 16, n: 16, k: 16 } },
    };
    assert.deepEqual(withAlgorithm(small, 'naive').block, { m: 16, n: 16 }, 'no BK');
  });

  it('never loses a target that the default schedule supports', () => {
    const size = fc.constantFrom(8, 16, 32, 64, 128);
    const tile = fc.record({ m: size, n: size, k: size });
    const one = fc.constantFrom(...ALGORITHMS);
    fc.assert(
      fc.property(one, one, tile, tile, (before, after, block, warp) => {
        const spec: GemmSpec = {
          problem,
          schedule: { algorithm: before, block, warp: { m: warp.m, n: warp.n } },
        };
        const required = check({ problem, schedule: { algorithm: after } }).legal;
        const { legal } = check({ problem, schedule: withAlgorithm(spec, after) });
        assert.deepEqual(legal, required);
      }),
      { numRuns: 40 },
    );
  });
});
