/**
 * Show PTX*: a read-only document beside the kernel, made by nvcc and made again when asked again.
 */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { emit } from '../../../src/core/kernel/emit';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import { findNvcc } from '../../../src/host/toolchain';
import { editAll, eventually, remove, write } from './files';

const spec = {
  problem: { m: 64, n: 64, k: 64 },
  schedule: { algorithm: 'naive' },
  device: 'a100-sxm-80gb',
} as const;

function source(): string {
  const planned = plan(resolve(spec), 'cuda');
  assert.ok(planned.ok);
  return emit(planned.plan).source;
}

const shown = () =>
  vscode.window.visibleTextEditors.find(({ document }) => document.uri.scheme === 'gemm-ptx');
const textOf = () => shown()?.document.getText() ?? '';
const closeAll = () => vscode.commands.executeCommand('workbench.action.closeAllEditors');

describe('PTX in VS Code (needs nvcc)', function () {
  this.timeout(60_000);
  before(async function () {
    if (!(await findNvcc()).ok) this.skip();
  });
  afterEach(closeAll);

  it('stands beside the active kernel, for the device of its spec, and is read-only', async () => {
    const uri = await write('shown.cu', source());
    await vscode.window.showTextDocument(uri);
    await vscode.commands.executeCommand('gemm.showPtx');
    const text = textOf();
    assert.match(text, /^\/\/ nvcc \d+\.\d+/);
    assert.match(text, /^\/\/ Source SHA-256 [0-9a-f]{64}$/m);
    assert.match(text, /^\/\/ ptxas sm_80, \w+: \d+ registers/m);
    assert.match(text, /^\.target sm_80/m);
    const editor = shown();
    assert.ok(editor);
    assert.match(editor.document.uri.path, /\/shown\.ptx$/);
    const seen = await eventually(
      () => editor.visibleRanges,
      ([range]) => (range?.start.line ?? 0) > 0,
      'the first line is shown',
    );
    const visible = seen.map(range => editor.document.getText(range)).join('\n');
    assert.match(visible, /fma\.rn\.f32/, 'the main loop is shown');
    assert.equal(vscode.workspace.fs.isWritableFileSystem('gemm-ptx') ?? false, false);
    await remove(uri);
  });

  it('is made again, in its place, when it is asked for again', async () => {
    const uri = await write('changed.cu', source());
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.commands.executeCommand('gemm.showPtx', uri);
    const before = textOf();
    await editAll(document, source().replace('acc = 0.0f', 'acc = 3.5f'));
    await vscode.commands.executeCommand('gemm.showPtx', uri);
    const after = await eventually(textOf, text => text !== before, 'the old PTX stays');
    assert.match(after, /0f40600000/, '3.5 as a constant');
    const open = vscode.workspace.textDocuments.filter(({ uri: at }) => at.path === '/changed.ptx');
    assert.equal(open.length, 1);
    await document.save();
    await remove(uri);
  });

  it('is that of a spec file too', async () => {
    const uri = await write('ptx.gemm.json', JSON.stringify(spec));
    await vscode.commands.executeCommand('gemm.showPtx', uri);
    assert.match(textOf(), /^\.target sm_80/m);
    await remove(uri);
  });

  it('opens nothing for a kernel with an error, which goes to Problems, nor for WGSL', async () => {
    const broken = await write('broken-ptx.cu', source().replace('acc = 0.0f', 'acc = nothing'));
    void vscode.commands.executeCommand('gemm.showPtx', broken);
    const [problem] = await eventually(
      () => vscode.languages.getDiagnostics(broken),
      found => found.length > 0,
      'no message of nvcc',
    );
    assert.match(problem?.message ?? '', /nothing/);
    const wgsl = await write('some.wgsl', '@compute @workgroup_size(1) fn f() {}');
    await vscode.commands.executeCommand('gemm.showPtx', wgsl);
    assert.equal(shown(), undefined);
    await remove(broken);
    await remove(wgsl);
  });
});
