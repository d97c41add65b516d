/** Writing the explorer's spec into its file, where that fails. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { SpecWriter } from '../../../src/extension/specs/specFile';

describe('a spec that cannot be written', () => {
  it('is told with its file, and kept in the log', async () => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder);
    const said: string[] = [];
    const { showErrorMessage } = vscode.window;
    const log = vscode.window.createOutputChannel('spec writer', { log: true });
    const spec = { problem: { m: 8, n: 8, k: 8 } };
    try {
      Object.assign(vscode.window, {
        showErrorMessage: (message: string) => Promise.resolve(said.push(message)),
      });
      const gone = vscode.Uri.joinPath(folder.uri, 'gone.gemm.json');
      const writer = new SpecWriter();
      await writer.write(
        gone,
        () => spec,
        () => assert.fail('nothing was written'),
        log,
      );
      assert.equal(writer.isBusy(), false);
    } finally {
      Object.assign(vscode.window, { showErrorMessage });
      log.dispose();
    }
    assert.equal(said.length, 1);
    assert.match(
      said[0] ?? '',
      /^gone\.gemm\.json was not changed: .*use "Write to file" to retry\.$/s,
    );
  });
});
