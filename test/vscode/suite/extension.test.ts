import assert from 'node:assert/strict';
import * as vscode from 'vscode';

describe('the extension in VS Code', () => {
  it('is there and activates', async () => {
    const extension = vscode.extensions.getExtension('gemm-explorer.gemm-explorer');
    assert.ok(extension, 'gemm-explorer.gemm-explorer is not among the extensions');
    await extension.activate();
    assert.equal(extension.isActive, true);
  });

  it('runs in a version it supports', () => {
    const [major = 0, minor = 0] = vscode.version.split('.').map(Number);
    assert.ok(major > 1 || minor >= 101, `VS Code ${vscode.version}`);
  });
});
