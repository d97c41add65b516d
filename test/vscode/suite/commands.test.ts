/** What the manifest promises is there. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';

interface Manifest {
  readonly contributes: { readonly commands: readonly { readonly command: string }[] };
}

describe('commands in VS Code', () => {
  it('are registered exactly as the manifest lists them', async () => {
    const extension = vscode.extensions.getExtension('gemm-explorer.gemm-explorer');
    assert.ok(extension);
    await extension.activate();
    const { contributes } = extension.packageJSON as Manifest;
    const registered = await vscode.commands.getCommands(true);
    /** What VS Code adds to every view. */
    const ofView = /^gemm\.runs\.(focus|removeView|resetViewLocation|toggleVisibility)$/;
    assert.deepEqual(
      registered.filter(id => id.startsWith('gemm.') && !ofView.test(id)).sort(),
      contributes.commands.map(({ command }) => command).sort(),
    );
  });

  it('take whatever argument they are called with', async () => {
    for (const argument of [null, 7, 'x', {}, { uri: 'no uri' }, { uri: 'file:///none.cu' }]) {
      await vscode.commands.executeCommand('gemm.showRoofline', argument);
    }
  });
});
