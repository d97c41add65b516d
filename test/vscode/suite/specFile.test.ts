/** Writing the explorer's spec into its file: failures, and text edits at the same time. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { shownOf } from '../../../src/extension/documents/shown';
import { ShownSpec } from '../../../src/extension/explorer/shownSpec';
import { SpecWriter } from '../../../src/extension/specs/specFile';
import { editAll, eventually, remove, write } from './files';

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
      const onWritten = () => assert.fail('nothing was written');
      await writer.write(gone, { latest: () => spec, mayReplace: () => true, onWritten }, log);
      assert.equal(writer.isBusy(), false);
    } finally {
      Object.assign(vscode.window, { showErrorMessage });
      log.dispose();
    }
    assert.equal(said.length, 1);
    assert.match(
      said[0] ?? '',
      /^Not written: .*use "Write to file" to retry\. \(.*gone\.gemm\.json\)$/s,
    );
  });
});

const specOf = (m: number, n: number): GemmSpec => ({ problem: { m, n, k: 8 } });
const textOf = (m: number, n: number): string => JSON.stringify(specOf(m, n));

describe('an edit of the explorer page', () => {
  const { applyEdit } = vscode.workspace;
  let log: vscode.LogOutputChannel;
  let uri: vscode.Uri;
  let document: vscode.TextDocument;
  let spec: ShownSpec;
  let listener: vscode.Disposable;
  /** Each test has its own file, because VS Code keeps the text of a removed file for a while. */
  let files = 0;

  beforeEach(async () => {
    log = vscode.window.createOutputChannel('shown spec', { log: true });
    uri = await write(`shown${++files}.gemm.json`, textOf(8, 8));
    document = await vscode.workspace.openTextDocument(uri);
    spec = new ShownSpec({ log, onOtherDocument: () => undefined, onChanged: () => undefined });
    const read = shownOf(document);
    assert.ok(read.ok);
    spec.become(read.shown);
    listener = vscode.workspace.onDidChangeTextDocument(({ document: changed }) => {
      if (changed === document) spec.documentChanged(document);
    });
  });

  afterEach(async () => {
    Object.assign(vscode.workspace, { applyEdit });
    listener.dispose();
    await document.save();
    await remove(uri);
    log.dispose();
  });

  /**
   * Applies a text edit after the first edit of the page, before VS Code reports its result. `then`
   * follows the text edit.
   */
  const typeDuringWrite = (text: string, then?: () => void): void => {
    const edited = async (edit: vscode.WorkspaceEdit): Promise<boolean> => {
      Object.assign(vscode.workspace, { applyEdit });
      const applied = await applyEdit(edit);
      await editAll(document, text);
      then?.();
      return applied;
    };
    Object.assign(vscode.workspace, { applyEdit: edited });
  };
  const shown = (): unknown => spec.current()?.spec;
  const isUnwritten = (): Promise<boolean> =>
    eventually(
      () => spec.tellUnwritten(),
      unwritten => unwritten,
      'the page reports that its edit is not in the file',
    );

  it('keeps text that is not a spec until the user writes the file', async () => {
    await editAll(document, '{ "problem": ');
    assert.ok(spec.change(specOf(16, 8)));
    await isUnwritten();
    assert.equal(document.getText(), '{ "problem": ');
    await spec.write();
    assert.deepEqual(JSON.parse(document.getText()), specOf(16, 8));
    assert.equal(spec.tellUnwritten(), false);
  });

  it('is kept while it is not in the file, when the file is saved without a change', async () => {
    await editAll(document, '{ "problem": ');
    assert.ok(spec.change(specOf(16, 8)));
    await isUnwritten();
    await editAll(document, textOf(8, 8));
    assert.ok(await document.save());
    spec.documentChanged(document);
    assert.deepEqual(shown(), specOf(16, 8));
    assert.ok(spec.tellUnwritten());
  });

  it('keeps a text edit between two edits of the page', async () => {
    typeDuringWrite(textOf(16, 64), () => spec.change(specOf(32, 8)));
    assert.ok(spec.change(specOf(16, 8)));
    await isUnwritten();
    assert.equal(document.getText(), textOf(16, 64));
    assert.deepEqual(shown(), specOf(32, 8));
  });

  it('is followed by a text edit that arrived before the result of the write', async () => {
    typeDuringWrite(textOf(16, 64));
    assert.ok(spec.change(specOf(16, 8)));
    await eventually(
      shown,
      seen => JSON.stringify(seen) === textOf(16, 64),
      'the page shows the text edit',
    );
    assert.equal(spec.tellUnwritten(), false);
  });
});
