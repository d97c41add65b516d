/** Matrices as bytes: every type comes back as it was, in as many bytes as its elements have. */
import assert from 'node:assert/strict';
import { resolve } from '../../../src/core/defaults/resolve';
import { DTYPE_BYTES, DTYPES } from '../../../src/core/types/dtype';
import { roundTo } from '../../../src/core/types/rounding';
import { fillMatrix } from '../../../src/core/verify/inputs';
import { bytesOf, elementsOf } from '../../../src/core/verify/matrixBytes';

describe('matrices as bytes', () => {
  for (const dtype of DTYPES) {
    it(`${dtype}: inputs are numbers of the type, and come back from their bytes`, () => {
      const { problem } = resolve({ problem: { m: 30, n: 8, k: 40, a: { dtype } } });
      const data = fillMatrix(problem, 'a', 3);
      assert.ok(new Set(data).size > 7);
      for (const value of data) assert.ok(Object.is(roundTo(dtype, value), value), `${value}`);
      const bytes = bytesOf(dtype, data);
      assert.equal(bytes.length, 1200 * DTYPE_BYTES[dtype]);
      assert.deepEqual(elementsOf(dtype, Uint8Array.from(bytes).buffer, 1200), data);
    });
  }
});
