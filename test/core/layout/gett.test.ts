/** Tensor contractions as a GEMM over nested modes, as docs/concepts.md explains them. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { evaluateLayout } from '../../../src/core/layout/evaluate';
import { offsetOf, size, type Layout, modes } from '../../../src/core/layout/layout';
import { runs } from '../../helpers/depth';

function layout(text: string): Layout {
  const value = evaluateLayout(text);
  assert.ok(value.kind === 'layout');
  return value.layout;
}

/** Multiplies two matrices A(M,K) and B(N,K); loops only over the two top-level modes. */
function gemm(a: readonly number[], ofA: Layout, b: readonly number[], ofB: Layout): number[][] {
  const [rows = 0, depth = 0] = modes(ofA).map(size);
  const [columns = 0] = modes(ofB).map(size);
  return Array.from({ length: rows }, (_, m) =>
    Array.from({ length: columns }, (_, n) => {
      let sum = 0;
      for (let k = 0; k < depth; k++)
        sum += (a[offsetOf(ofA, m + k * rows)] ?? NaN) * (b[offsetOf(ofB, n + k * columns)] ?? NaN);
      return sum;
    }),
  );
}

describe('tensor contractions', () => {
  const value = fc.integer({ min: -9, max: 9 });
  const tensor = (length: number) => fc.array(value, { minLength: length, maxLength: length });

  it('with two remaining modes are a GEMM with a nested M mode', () => {
    fc.assert(
      fc.property(tensor(64), tensor(24), (t, b) => {
        const c = gemm(t, layout('((2,4),8):((1,16),2)'), b, layout('(3,8)'));
        for (let i = 0; i < 2; i++)
          for (let j = 0; j < 4; j++)
            for (let n = 0; n < 3; n++) {
              let sum = 0;
              for (let k = 0; k < 8; k++)
                sum += (t[i + 2 * k + 16 * j] ?? NaN) * (b[n + 3 * k] ?? NaN);
              assert.equal(c[i + 2 * j]?.[n], sum);
            }
      }),
      { ...runs(30) },
    );
  });

  it('over two indices are a GEMM with a nested K mode', () => {
    fc.assert(
      fc.property(tensor(64), tensor(48), (t, b) => {
        const c = gemm(t, layout('(4,(2,8)):(2,(1,8))'), b, layout('(3,(2,8))'));
        for (let m = 0; m < 4; m++)
          for (let n = 0; n < 3; n++) {
            let sum = 0;
            for (let k = 0; k < 2; k++)
              for (let l = 0; l < 8; l++)
                sum += (t[k + 2 * m + 8 * l] ?? NaN) * (b[n + 3 * k + 6 * l] ?? NaN);
            assert.equal(c[m]?.[n], sum);
          }
      }),
      { ...runs(30) },
    );
  });
});
