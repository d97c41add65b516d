/** Indices into arrays of vectors keep every operand that is not a constant. */
import assert from 'node:assert/strict';
import { add, constant, int, mul, variable, xor } from '../../../src/core/kernel/ir/expr';
import { valueOf } from '../../../src/core/kernel/ir/writeOut';
import { inVectors } from '../../../src/core/kernel/print/vectorIndex';

const CONSTANTS = new Map([['VEC', 4]]);
const value = (expr: Parameters<typeof valueOf>[0]): number => valueOf(expr, CONSTANTS);

describe('indices into arrays of vectors', () => {
  it('keep the operand of an exclusive or', () => {
    const swizzled = xor(variable('row'), constant('VEC'));
    assert.ok(Number.isNaN(value(swizzled)));
    assert.deepEqual(inVectors(swizzled, 4, value), {
      op: '/',
      left: swizzled,
      right: int(4),
    });
  });

  it('divide known multiples of the width separately', () => {
    const index = add(variable('row'), mul(int(2), constant('VEC')));
    assert.deepEqual(inVectors(index, 4, value), {
      op: '+',
      left: { op: '/', left: variable('row'), right: int(4) },
      right: int(2),
    });
  });
});
