/** The views of BLAS and CuTe on the same matrices, as in the tables of the CuTe tutorial. */
import assert from 'node:assert/strict';
import { tupleText } from '../../../src/core/layout/intTuple';
import { textOf } from '../../../src/core/layout/layout';
import { blasView } from '../../../src/core/spec/operandViews';
import { resolve } from '../../../src/core/defaults/resolve';
import type { Layout } from '../../../src/core/spec/schema';

const view = (a: Layout, b: Layout, c: Layout, dtype: 'f32' | 'f64' | 'f16' = 'f32') =>
  blasView(
    resolve({
      problem: {
        m: 5120,
        n: 640,
        k: 4096,
        a: { dtype, layout: a },
        b: { dtype, layout: b },
        c: { dtype, layout: c },
      },
    }).problem,
  );

describe('views of BLAS and CuTe', () => {
  const cases: readonly (readonly [Layout, Layout, string, string, string, string])[] = [
    ['col', 'row', 'NT', 'M', 'N', 'MN-major'],
    ['row', 'col', 'TN', 'K', 'K', 'K-major'],
    ['col', 'col', 'NN', 'M', 'K', 'mixed'],
    ['row', 'row', 'TT', 'K', 'N', 'mixed'],
  ];
  for (const [a, b, letters, majorA, majorB, arrangement] of cases) {
    it(`name the arrangement ${letters}`, () => {
      const found = view(a, b, 'col');
      assert.equal(found.letters, letters);
      assert.equal(found.order, 'column-major');
      assert.deepEqual(
        found.operands.map(({ major }) => major),
        [majorA, majorB, 'M'],
      );
      assert.equal(found.arrangement, arrangement);
    });
  }

  it('give the rows of the table for NT', () => {
    const rows = view('col', 'row', 'col').operands.map(operand => [
      operand.isTransposed,
      `${operand.stored.rows} x ${operand.stored.columns}`,
      tupleText(operand.stored.strides),
      operand.modes.join(','),
      textOf(operand.layout),
    ]);
    assert.deepEqual(rows, [
      [false, '5120 x 4096', '(1,5120)', 'M,K', '(5120,4096):(1,5120)'],
      // B is stored as N x K, so that both views have the same shape and strides.
      [true, '640 x 4096', '(1,640)', 'N,K', '(640,4096):(1,640)'],
      [false, '5120 x 640', '(1,5120)', 'M,N', '(5120,640):(1,5120)'],
    ]);
  });

  it('use the storage order of C, as a BLAS call has one order', () => {
    const found = view('row', 'row', 'row');
    assert.equal(found.order, 'row-major');
    assert.equal(found.letters, 'NN');
    assert.deepEqual(
      found.operands.slice(0, 2).map(({ stored }) => stored),
      [
        { rows: 5120, columns: 4096, strides: [4096, 1] },
        { rows: 4096, columns: 640, strides: [640, 1] },
      ],
    );
    assert.deepEqual(
      found.operands.slice(0, 2).map(({ layout }) => textOf(layout)),
      ['(5120,4096):(4096,1)', '(640,4096):(1,640)'],
    );
  });

  it('name the routine of an element type that BLAS has', () => {
    assert.equal(view('col', 'row', 'col').routine, 'SGEMM');
    assert.equal(view('col', 'row', 'col', 'f64').routine, 'DGEMM');
    assert.equal(view('col', 'row', 'col', 'f16').routine, null);
  });
});
