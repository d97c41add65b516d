/** *Export to project*: its prompts, its files, and edited files in the folder. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { remove, write } from './files';

const FOLDER = 'gemm/gemm_f32_rrr-npm';
const text = async (uri: vscode.Uri): Promise<string> =>
  new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));

type Window = Record<'showQuickPick' | 'showWarningMessage' | 'showInformationMessage', unknown>;

/** Runs the command, and answers its prompts. Returns the messages that it showed. */
async function exported(
  uri: vscode.Uri,
  { target, replace }: { readonly target: string; readonly replace: boolean },
): Promise<readonly string[]> {
  const { showQuickPick, showWarningMessage, showInformationMessage } = vscode.window;
  const said: string[] = [];
  const window: Window = {
    showQuickPick: (items: readonly vscode.QuickPickItem[]) =>
      Promise.resolve(items.find(({ label }) => label === target) ?? items[0]),
    showWarningMessage: (message: string, ...rest: readonly unknown[]) => {
      said.push(message);
      return Promise.resolve(replace ? rest.at(-1) : undefined);
    },
    showInformationMessage: (message: string) => {
      said.push(message);
      return Promise.resolve(undefined);
    },
  };
  try {
    Object.assign(vscode.window, window);
    await vscode.commands.executeCommand('gemm.exportProject', { uri: uri.toString() });
    return said;
  } finally {
    Object.assign(vscode.window, { showQuickPick, showWarningMessage, showInformationMessage });
  }
}

describe('export to a project in VS Code', () => {
  it('writes the project of a spec file, and keeps edited files without an answer', async () => {
    const spec = { version: 1, problem: { m: 96, n: 64, k: 32 }, targets: ['cuda', 'wgsl'] };
    const uri = await write('exported.gemm.json', JSON.stringify(spec));
    const root = vscode.Uri.joinPath(uri, '..', FOLDER);
    const readme = vscode.Uri.joinPath(root, 'README.md');
    try {
      const options = { target: 'npm', replace: false };
      const [wrote] = await exported(uri, options);
      assert.match(wrote ?? '', /Wrote 9 files to gemm\/gemm_f32_rrr-npm\./);
      const original = await text(readme);
      assert.match(await text(vscode.Uri.joinPath(root, 'kernels.js')), /export const kernels/);

      assert.match((await exported(uri, options))[0] ?? '', /Wrote 9 files/);

      await vscode.workspace.fs.writeFile(readme, new TextEncoder().encode('mine\n'));
      await remove(vscode.Uri.joinPath(root, 'LICENSE'));
      const asked = await exported(uri, options);
      assert.equal(asked.length, 1, 'nothing was written');
      assert.match(asked[0] ?? '', /were edited, or are not part of an earlier export/);
      assert.equal(await text(readme), 'mine\n');
      await assert.rejects(text(vscode.Uri.joinPath(root, 'LICENSE')));

      const replaced = await exported(uri, { ...options, replace: true });
      assert.match(replaced.at(-1) ?? '', /Wrote 9 files/);
      assert.equal(await text(readme), original);
    } finally {
      await remove(uri);
      await vscode.workspace.fs.delete(root, { recursive: true });
    }
  });

  it('reports why a spec is not legal for the target', async () => {
    const problem = { m: 64, n: 64, k: 64, a: { dtype: 'f64' }, b: { dtype: 'f64' } };
    const uri = await write('double.gemm.json', JSON.stringify({ problem }));
    const { showErrorMessage } = vscode.window;
    const said: string[] = [];
    try {
      const show = (message: string) => Promise.resolve(said.push(message));
      Object.assign(vscode.window, { showErrorMessage: show });
      await exported(uri, { target: 'npm', replace: false });
      assert.match(said.join('\n'), /problem\.a\.dtype: /);
    } finally {
      Object.assign(vscode.window, { showErrorMessage });
      await remove(uri);
    }
  });
});
