/**
 * Files of megabytes and folders of thousands of kernels: limits are said, and the extension host
 * goes on answering.
 */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { emit } from '../../../src/core/kernel/emit';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import { eventually } from './files';

/** What a user takes for frozen. */
const FROZEN_MS = 2000;
const KERNELS = 3000;

function kernel(): string {
  const planned = plan(
    resolve({ problem: { m: 32, n: 32, k: 32 }, schedule: { algorithm: 'naive' } }),
    'cuda',
  );
  assert.ok(planned.ok);
  return emit(planned.plan).source;
}

/** How long nothing else was answered while `act` ran. */
async function longestPause(act: () => Promise<unknown>): Promise<number> {
  let last = performance.now();
  let longest = 0;
  const look = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(look, 10);
  try {
    await act();
    // Work that was put off counts too.
    await new Promise(done => setTimeout(done, 1000));
  } finally {
    clearInterval(timer);
  }
  look();
  return longest;
}

const lensTitles = async (uri: vscode.Uri): Promise<readonly string[]> =>
  (
    await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      uri,
      20,
    )
  ).map(({ command }) => command?.title ?? '');

describe('what is large in VS Code', function () {
  this.timeout(120_000);
  let folder: vscode.Uri;
  const inFolder = (...path: string[]): vscode.Uri => vscode.Uri.joinPath(folder, ...path);
  before(() => {
    const [root] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(root);
    folder = vscode.Uri.joinPath(root.uri, 'large');
  });
  after(async () => {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.workspace.fs.delete(folder, { recursive: true });
  });

  it('a .cu of 5 MB: the limit is said over it, everything else answers', async () => {
    const one = kernel();
    mkdirSync(folder.fsPath, { recursive: true });
    writeFileSync(inFolder('big.cu').fsPath, one.repeat(Math.ceil(5_000_000 / one.length)));
    const uri = inFolder('big.cu');
    const pause = await longestPause(async () => {
      await vscode.window.showTextDocument(uri);
      const [title = ''] = await eventually(
        () => lensTitles(uri),
        titles => titles.some(text => text.includes('characters')),
        'the limit',
      );
      assert.match(
        title,
        /only files of up to .* are searched for kernels; this file has 5,\d{3},\d{3}/,
      );
      await vscode.commands.executeCommand('gemm.showRoofline', { uri: uri.toString() });
      // Not through the editor of before: a panel beside may have given the text another one.
      const edit = new vscode.WorkspaceEdit();
      edit.insert(uri, new vscode.Position(0, 0), '// edited\n');
      assert.ok(await vscode.workspace.applyEdit(edit));
      const column = { viewColumn: vscode.ViewColumn.One };
      const editor = await vscode.window.showTextDocument(uri, column);
      editor.selection = new vscode.Selection(40, 0, 40, 0);
    });
    assert.ok(pause < FROZEN_MS, `nothing was answered for ${Math.round(pause)} ms`);
  });

  it('3,000 kernels: tasks are offered for 100 files, everything else answers while the tests are listed', async () => {
    const text = kernel();
    for (let index = 0; index < KERNELS; index++) {
      const name = `kernel${index}.cu`;
      const below = join(folder.fsPath, `${index % 30}`);
      if (index < 30) mkdirSync(below, { recursive: true });
      writeFileSync(join(below, name), `${text}// ${name}\n`);
    }
    const pause = await longestPause(async () => {
      await vscode.commands.executeCommand('workbench.view.testing.focus');
      await vscode.commands.executeCommand('testing.refreshTests');
      const tasks = await vscode.tasks.fetchTasks({ type: 'gemm' });
      const files = new Set(tasks.map(({ definition }) => String(definition['file'])));
      assert.equal(files.size, 100);
      const document = await vscode.workspace.openTextDocument(inFolder('7', 'kernel7.cu'));
      await vscode.window.showTextDocument(document);
      const titles = await lensTitles(document.uri);
      assert.ok(titles.includes('Verify'), titles.join());
    });
    assert.ok(pause < FROZEN_MS, `nothing was answered for ${Math.round(pause)} ms`);
  });
});
