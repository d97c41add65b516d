/** Removal of a statement from a kernel. */
import assert from 'node:assert/strict';
import type { Statement } from '../../../../src/core/kernel/ir/ir';
import { allStatements, withoutStatement } from '../../../../src/core/kernel/ir/statements';

const barrier = (): Statement => ({ op: 'barrier' });
const zero = { op: 'int', value: 0 } as const;
const [first, inLoop, inBranch, inElse] = [barrier(), barrier(), barrier(), barrier()];
const branch: Statement = { op: 'if', condition: [], body: [inBranch], otherwise: [inElse] };
const loop: Statement = {
  op: 'for',
  index: 'k',
  from: zero,
  to: zero,
  step: zero,
  unroll: false,
  body: [inLoop, branch],
};
const body: readonly Statement[] = [first, loop];

describe('statements of a kernel', () => {
  for (const [name, gone] of Object.entries({ first, inLoop, inBranch, inElse }))
    it(`are all kept except for the removed one: ${name}`, () => {
      const left = [...allStatements(withoutStatement(body, gone))];
      const barriers = left.filter(({ op }) => op === 'barrier');
      assert.equal(barriers.length, 3);
      assert.ok(!barriers.includes(gone));
    });

  it('stay the same objects if the statement is not among them', () => {
    assert.equal(withoutStatement(body, barrier()), body);
  });
});
