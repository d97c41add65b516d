/**
 * A workspace's own dispatch rows: specs without a schedule go by them, and a file that cannot be
 * used is said.
 */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { rowsText, type DispatchRow } from '../../../src/core/defaults/dispatch/row';
import { COMMANDS } from '../../../src/extension/ids';
import { workspaceFiles } from '../../../src/extension/workspace/workspaceFiles';
import { eventually, remove, write } from './files';

const row: DispatchRow = {
  device: 'h200',
  target: 'cuda',
  layouts: 'rrr',
  gflops: 60_000,
  types: { a: 'f32', b: 'f32', c: 'f32', accumulator: 'f32' },
  shape: { m: 3072, n: 3072, k: 3072, batch: 1 },
  schedule: {
    algorithm: 'thread-tile-2d',
    block: { m: 32, n: 64, k: 16 },
    thread: { m: 4, n: 4 },
  },
  source: { record: 'a test' },
};
const SPEC = '{"problem":{"m":3072,"n":3072,"k":3072},"targets":["cuda"]}';

describe("a workspace's own dispatch rows", () => {
  it('give specs without a schedule theirs, from when they are adopted until they are gone', async () => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder);
    const spec = await write('adopted.gemm.json', SPEC);
    const written = new Map<string, vscode.Uri>();
    const generated = async (): Promise<string> => {
      await vscode.commands.executeCommand(COMMANDS.generate, { uri: spec.toString() });
      const document = vscode.window.activeTextEditor?.document;
      assert.match(document?.uri.path ?? '', /\/adopted(-2)?\.cu$/);
      assert.ok(document);
      written.set(document.uri.path, document.uri);
      return document.getText();
    };
    const ofRow = (text: string): boolean => /Spec key: .*-32x64x16-4x4/.test(text);
    const adopted = await workspaceFiles.adoptRow(folder.uri, row);
    assert.ok('written' in adopted, JSON.stringify(adopted));
    await eventually(generated, ofRow, 'a kernel of the adopted schedule');
    await remove(adopted.written);
    await eventually(generated, text => !ofRow(text), 'a kernel of the shipped schedule');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    for (const uri of written.values()) await remove(uri);
    await remove(spec);
  });

  it('that cannot be used are said with their path', async () => {
    const said: string[] = [];
    const { showWarningMessage } = vscode.window;
    try {
      Object.assign(vscode.window, {
        showWarningMessage: (message: string) => Promise.resolve(said.push(message)),
      });
      const text = rowsText([row]).replace('60000', '-1');
      const file = await write('.gemm/dispatch.json', text);
      await eventually(
        () => said,
        found =>
          found.some(message => message.includes('dispatch.json is not used: rows.0.gflops: ')),
        'what is wrong with the file',
      );
      await remove(file);
    } finally {
      Object.assign(vscode.window, { showWarningMessage });
    }
  });
});
