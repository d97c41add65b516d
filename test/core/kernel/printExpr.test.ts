/** Integer expressions in both languages. */
import assert from 'node:assert/strict';
import { add, int, mul, select, sub, variable } from '../../../src/core/kernel/ir/expr';
import { cuda } from '../../../src/core/kernel/print/cuda';
import { printExpr } from '../../../src/core/kernel/print/printExpr';
import { wgslOf } from '../../../src/core/kernel/print/wgsl';

describe('a selection between two integers', () => {
  const x = variable('x');
  const wrapped = select([{ left: x, right: int(8) }], x, sub(x, int(8)));

  it('is a conditional operator in CUDA and a call in WGSL', () => {
    assert.equal(printExpr(wrapped, cuda), 'x < 8 ? x : x - 8');
    assert.equal(printExpr(wrapped, wgslOf({})), 'select(x - 8, x, x < 8)');
  });

  it('has parentheses as an operand in CUDA', () => {
    assert.equal(printExpr(add(wrapped, int(1)), cuda), '(x < 8 ? x : x - 8) + 1');
    assert.equal(printExpr(mul(int(3), wrapped), cuda), '3 * (x < 8 ? x : x - 8)');
    assert.equal(printExpr(add(wrapped, int(1)), wgslOf({})), 'select(x - 8, x, x < 8) + 1');
  });
});
