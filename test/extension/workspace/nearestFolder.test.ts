import assert from 'node:assert/strict';
import { nearestFolder } from '../../../src/extension/workspace/nearestFolder';

describe('the nearest folder above an address', () => {
  it('is the innermost that holds it, and no folder whose name only begins alike', () => {
    const folders = ['file:///w', 'file:///w/a', 'file:///w/a/b', 'file:///w/ab'];
    const of = (address: string) => nearestFolder(folders, address);
    assert.equal(of('file:///w/x.gemm.json'), 'file:///w');
    assert.equal(of('file:///w/a/x.gemm.json'), 'file:///w/a');
    assert.equal(of('file:///w/a/b/c/x.gemm.json'), 'file:///w/a/b');
    assert.equal(of('file:///w/abc/x.gemm.json'), 'file:///w');
    assert.equal(of('file:///other/x.gemm.json'), undefined);
    assert.equal(
      nearestFolder(['vscode-vfs://github/'], 'vscode-vfs://github/x'),
      'vscode-vfs://github/',
    );
    assert.equal(nearestFolder([], 'file:///w/x'), undefined);
  });
});
