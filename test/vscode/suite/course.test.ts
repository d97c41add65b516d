/** Task files of the course in VS Code: CodeLens, diagnostics and the stored progress. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { filledFile, stubOf } from '../../../src/core/course/check';
import { taskNamed } from '../../../src/core/course/tasks/tasks';
import { editAll, eventually, remove, write } from './files';

const FILE = '05-row-and-column.wgsl';
const task = taskNamed('05-row-and-column')!;

const diagnosticsOf = (uri: vscode.Uri): readonly vscode.Diagnostic[] =>
  vscode.languages.getDiagnostics(uri).filter(({ code }) => code === 'task');

const check = (uri: vscode.Uri): Thenable<unknown> =>
  vscode.commands.executeCommand('gemm.checkTask', { uri: uri.toString() });

describe('a task file of the course', () => {
  it('has a CodeLens that checks it, and other files have none', async () => {
    for (const [name, expected] of [
      ['05-row-and-column.cu', true],
      ['05-row-and-columns.cu', false],
    ] as const) {
      const uri = await write(name, stubOf(task, '05-row-and-column.cu'));
      await vscode.workspace.openTextDocument(uri);
      const found = await vscode.commands.executeCommand<vscode.CodeLens[]>(
        'vscode.executeCodeLensProvider',
        uri,
      );
      const isOffered = found.some(({ command }) => command?.command === 'gemm.checkTask');
      assert.equal(isOffered, expected, name);
      await remove(uri);
    }
  });

  it('gets a diagnostic at its first empty hole, which an edit removes', async () => {
    const text = stubOf(task, FILE);
    const uri = await write(FILE, text);
    const document = await vscode.workspace.openTextDocument(uri);
    await check(uri);
    const [found] = diagnosticsOf(uri);
    assert.match(found?.message ?? '', /hole is still empty/);
    assert.equal(
      found?.range.start.line,
      text.split('\n').findIndex(line => line.includes('/* ___ */')),
    );
    await editAll(document, `${text}\n`);
    await eventually(
      () => diagnosticsOf(uri).length,
      count => count === 0,
      'the diagnostic of the old text is removed',
    );
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await remove(uri);
  });

  it('is stored as passed, and a damaged progress file is kept', async () => {
    const damaged = await write('.gemm/course.json', '{"version":');
    const uri = await write('01-loop-order.loops', '');
    const loops = taskNamed('01-loop-order')!;
    const document = await vscode.workspace.openTextDocument(uri);
    await editAll(document, filledFile(loops, '01-loop-order.loops', loops.solution));
    await check(uri);
    const textOf = async (file: vscode.Uri): Promise<string> =>
      new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
    const stored = await eventually(
      () => textOf(damaged),
      text => text.includes('01-loop-order'),
      'the progress is stored',
    );
    assert.deepEqual((JSON.parse(stored) as { tasks: string[] }).tasks, ['01-loop-order']);
    const copy = vscode.Uri.joinPath(damaged, '..', 'course.damaged-1.json');
    assert.equal(await textOf(copy), '{"version":');
    assert.deepEqual(diagnosticsOf(uri), []);
    await document.save();
    for (const file of [damaged, copy, uri]) await remove(file);
  });
});

describe('a progress file of the course that cannot be used', () => {
  it('is reported when the chapters are listed, and left unchanged', async () => {
    const shown: string[] = [];
    const { showWarningMessage } = vscode.window;
    try {
      Object.assign(vscode.window, {
        showWarningMessage: (message: string) => {
          shown.push(message);
          return Promise.resolve(undefined);
        },
      });
      for (const [text, problem] of [
        ['{"version":', /course\.json is damaged: .*Fix: correct the file/],
        [new Uint8Array([0x7b, 0xff]), /course\.json cannot be read: It is not UTF-8 text\. /],
      ] as const) {
        const file = await write('.gemm/course.json', '');
        const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
        await vscode.workspace.fs.writeFile(file, bytes);
        const learning = vscode.commands.executeCommand('gemm.learn');
        await eventually(
          () => shown.some(message => problem.test(message)),
          found => found,
          'the problem is reported when the chapters are listed',
        );
        await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
        await learning;
        assert.deepEqual([...(await vscode.workspace.fs.readFile(file))], [...bytes]);
        await remove(file);
      }
    } finally {
      Object.assign(vscode.window, { showWarningMessage });
    }
  });
});
