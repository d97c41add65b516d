/** Arguments of commands, which any extension may pass. */
import assert from 'node:assert/strict';
import { anything, assert as check, property } from 'fast-check';
import { decodeKernelArgument } from '../../../src/hostValues';

describe('command arguments', () => {
  it('takes what a CodeLens or a menu passes', () => {
    const uri = 'file:///a%20b/k.cu';
    assert.deepEqual(decodeKernelArgument({ uri, entry: 'gemm' }), { uri, entry: 'gemm' });
    assert.deepEqual(decodeKernelArgument({ uri }), { uri });
    const field = 'schedule.block.m';
    assert.deepEqual(decodeKernelArgument({ uri, field }), { uri, field });
    assert.equal(decodeKernelArgument({ uri, field: 'a"]b' }), undefined);
    const menu = { scheme: 'file', path: '/a b/k.cu', toString: () => uri };
    assert.deepEqual(decodeKernelArgument(menu), { uri });
  });

  it('takes nothing else', () => {
    const bad = [undefined, null, 'file:///x', {}, { uri: 7 }, { uri: 'no scheme' }, []];
    for (const value of bad) assert.equal(decodeKernelArgument(value), undefined);
    const long = { uri: `file:///${'x'.repeat(5000)}` };
    assert.equal(decodeKernelArgument(long), undefined);
    assert.equal(decodeKernelArgument({ uri: 'file:///x', entry: 'a; b' }), undefined);
  });

  it('never throws', () => {
    check(
      property(anything({ withNullPrototype: true }), value => {
        decodeKernelArgument(value);
      }),
    );
  });
});
