/** Loop nests of the tutorials: results, faulty indices, and properties of their loops. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { nestOf } from '../../../src/core/nests/text';
import { iterationAt, differing, parallelLoops } from '../../../src/core/tutorials/nest';

const PROBLEM = { m: 8, n: 6, k: 4, dtype: 's32' } as const;

const nests = fc
  .tuple(fc.constantFrom('2', '4', '8'), fc.constantFrom('2', '3', '6'), fc.constantFrom('2', '4'))
  .chain(([i, j, k]) =>
    fc.shuffledSubarray([`i:${i}`, 'i', `j:${j}`, 'j', `k:${k}`, 'k'], { minLength: 6 }),
  )
  .map(loops => loops.join(' '));

describe('loop nests of the tutorials', () => {
  it('have equal results in any order and with any split', () => {
    fc.assert(
      fc.property(nests, nest => {
        assert.equal(differing(nestOf(nest), PROBLEM), 0);
      }),
      { numRuns: 50 },
    );
  });

  it('have wrong results if an index lacks a loop', () => {
    const nest = nestOf('i:4 i j:3 j k');
    const lacking = ({
      i,
      ...rest
    }: {
      readonly i: number;
      readonly j: number;
      readonly k: number;
    }) => ({
      ...rest,
      i: i - (i % 4),
    });
    assert.ok(differing(nest, PROBLEM, lacking) > 0);
  });

  it('may run i and j in parallel, and never k', () => {
    assert.deepEqual(parallelLoops(nestOf('i:4 j:3 k:2 i j k'), PROBLEM), ['i', 'j', 'i0', 'j0']);
  });

  it('count the iterations of a loop within the loop around it', () => {
    const nest = nestOf('i:4 i:2 i j k');
    const at = (position: number, i: number): number => {
      const loop = nest[position];
      assert.ok(loop !== undefined);
      return iterationAt(nest, loop, { i, j: 0, k: 0 });
    };
    assert.deepEqual([at(0, 7), at(1, 7), at(2, 7)], [1, 1, 1]);
    assert.deepEqual([at(0, 5), at(1, 5), at(2, 5)], [1, 0, 1]);
  });

  it('must be valid text', () => {
    assert.throws(() => nestOf('x'), /not an axis/);
  });
});
