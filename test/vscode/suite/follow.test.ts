/**
 * The explorer follows a kernel that is typed in, unless it was told since then to show something
 * else.
 */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { editAll, eventually, remove, write } from './files';

const kernel = (body: string): string =>
  `// @gemm ${JSON.stringify({
    problem: { m: 64, n: 64, k: 64 },
    grid: [4, 4],
    block: [16, 16],
    args: ['m', 'n', 'k', 'a', 'b', 'c'],
  })}
__global__ void mine(int m, int n, int k, const float* a, const float* b, float* c) { ${body} }
`;

/** Longer than a pause in typing. */
const SETTLED_MS = 600;

const shownName = (): string | undefined =>
  vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .map(({ label }) => label)
    .find(label => label.startsWith('Explorer: '));

describe('what the explorer is told to show', () => {
  it('is not taken back by a text that was edited before', async () => {
    const typed = await write('typed.cu', kernel(''));
    const spec = await write('asked.gemm.json', '{ "problem": { "m": 64, "n": 64, "k": 64 } }');
    const document = await vscode.workspace.openTextDocument(typed);
    // Read already, so that it is shown before the typing is over.
    await vscode.workspace.openTextDocument(spec);
    await vscode.window.showTextDocument(document, vscode.ViewColumn.One);
    await vscode.commands.executeCommand('gemm.showRoofline', { uri: typed.toString() });
    await eventually(shownName, name => name === 'Explorer: typed.cu', 'the kernel is followed');
    await editAll(document, kernel('c[0] = a[0];'));
    await vscode.commands.executeCommand('gemm.showRoofline', { uri: spec.toString() });
    await eventually(shownName, name => name === 'Explorer: asked.gemm.json', 'the spec is shown');
    await new Promise(resolve => setTimeout(resolve, SETTLED_MS));
    assert.equal(shownName(), 'Explorer: asked.gemm.json');
    assert.ok(await document.save());
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await Promise.all([remove(typed), remove(spec)]);
  });
});
