/** What nvcc says of a kernel: messages on their line in Problems, and registers in the CodeLens. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { emit } from '../../../src/core/emit/emit';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/spec/resolve';
import { findNvcc } from '../../../src/host/toolchain';
import { eventually, remove, write } from './files';

function source(): string {
  const planned = plan(
    resolve({ problem: { m: 64, n: 64, k: 64 }, schedule: { algorithm: 'naive' } }),
    'cuda',
  );
  assert.ok(planned.ok);
  return emit(planned.plan).source;
}

async function saved(name: string, text: string): Promise<vscode.Uri> {
  const uri = await write(name, '');
  const document = await vscode.workspace.openTextDocument(uri);
  const edit = new vscode.WorkspaceEdit();
  edit.insert(uri, new vscode.Position(0, 0), text);
  assert.ok(await vscode.workspace.applyEdit(edit));
  assert.ok(await document.save());
  return uri;
}

describe('nvcc in VS Code (needs nvcc)', function () {
  this.timeout(60_000);
  before(async function () {
    if (!(await findNvcc()).ok) this.skip();
  });

  it('puts its errors on their line when a kernel is saved, and takes them back', async () => {
    const broken = source().replace('float acc = 0.0f;', 'float acc = 0.0f + nothing;');
    const uri = await saved('broken.cu', broken);
    const diagnostics = () => vscode.languages.getDiagnostics(uri);
    const [problem] = await eventually(
      diagnostics,
      found => found.length > 0,
      'no message of nvcc',
    );
    const line = broken.split('\n').findIndex(text => text.includes('nothing'));
    assert.equal(problem?.range.start.line, line);
    assert.match(problem.message, /nothing.*undefined/);
    assert.equal(problem.severity, vscode.DiagnosticSeverity.Error);

    const document = await vscode.workspace.openTextDocument(uri);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(uri, document.lineAt(line).range, '  float acc = 0.0f;');
    assert.ok(await vscode.workspace.applyEdit(edit));
    assert.ok(await document.save());
    await eventually(diagnostics, found => found.length === 0, 'the message stays');
    await remove(uri);
  });

  it('replaces the estimate of registers in the CodeLens', async () => {
    const uri = await saved('compiled.cu', source());
    const tooltip = async () => {
      const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
        'vscode.executeCodeLensProvider',
        uri,
        10,
      );
      return lenses.find(({ command }) => command?.title.startsWith('occupancy'))?.command?.tooltip;
    };
    const compiled = (text: string | undefined) => /^By nvcc \d+\.\d+/.test(text ?? '');
    assert.ok(compiled(await eventually(tooltip, compiled, 'the estimate stays')));
    await remove(uri);
  });
});
