/** Hovers, quick fixes and completion as VS Code gets them from the extension. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { emit } from '../../../src/core/kernel/emit';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import { eventually, remove, write } from './files';

const resolved = resolve({
  problem: { m: 256, n: 256, k: 256 },
  schedule: { algorithm: 'thread-tile-2d', block: { m: 64, n: 64, k: 8 }, thread: { m: 4, n: 4 } },
});

function kernel(target: 'cuda' | 'wgsl'): { readonly source: string; readonly entry: string } {
  const planned = plan(resolved, target);
  assert.ok(planned.ok);
  return emit(planned.plan);
}

/** The position after `before` in a document. */
const after = (document: vscode.TextDocument, before: string): vscode.Position =>
  document.positionAt(document.getText().indexOf(before) + before.length);

async function hover(document: vscode.TextDocument, position: vscode.Position): Promise<string> {
  const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
    'vscode.executeHoverProvider',
    document.uri,
    position,
  );
  return hovers
    .flatMap(({ contents }) => contents)
    .map(content => (content instanceof vscode.MarkdownString ? content.value : ''))
    .join('\n');
}

const actions = (uri: vscode.Uri, range: vscode.Range): Thenable<vscode.CodeAction[]> =>
  vscode.commands.executeCommand<vscode.CodeAction[]>(
    'vscode.executeCodeActionProvider',
    uri,
    range,
  );

describe('hovers in VS Code', () => {
  for (const [ending, target] of [
    ['cu', 'cuda'],
    ['wgsl', 'wgsl'],
  ] as const) {
    it(`explain a tile of a .${ending} kernel, and show the kernel’s card`, async () => {
      const { source, entry } = kernel(target);
      const uri = await write(`hover.${ending}`, source);
      const document = await vscode.workspace.openTextDocument(uri);
      const tile = await hover(document, document.positionAt(/\bBM\b/.exec(source)!.index + 1));
      assert.match(tile, /\*\*BM\*\*/);
      assert.match(tile, /In this kernel: \*\*each thread block computes 64 rows of C\*\*/);
      for (const name of ['ThreadblockShape::kM', 'BLOCK_SIZE_M', 'MWG', 'siboehm'])
        assert.ok(tile.includes(name), name);
      const barrier = target === 'cuda' ? '__syncthreads' : 'workgroupBarrier';
      const explained = await hover(document, document.positionAt(source.indexOf(barrier) + 1));
      assert.match(explained, /\*\*barrier\*\*: Synchronization point of a block/);
      const at = source.lastIndexOf(`${entry}(`);
      const card = await hover(document, document.positionAt(at + 2));
      assert.match(card, /occupancy \| \d+ % \\\(/);
      assert.match(card, /attainable.*TFLOP\/s/);
      assert.match(card, /No timed run of this kernel source yet/);
      assert.match(card, /!\[.*\]\(data:image\/svg\+xml,/);
      await remove(uri);
    });
  }

  it('explain the keys of a spec', async () => {
    const text =
      '{"problem": {"m": 64, "n": 64, "k": 64}, "schedule": {"algorithm": "naive", "block": {"m": 8, "n": 8}}}';
    const uri = await write('hover.gemm.json', text);
    const document = await vscode.workspace.openTextDocument(uri);
    assert.match(await hover(document, after(document, '"block": {"m')), /\*\*BM\*\*/);
    await remove(uri);
  });

  it('show which thread stands where over a thread layout of a spec', async () => {
    const text = '{"schedule": {"algorithm": "layout", "threadLayout": {"a": "(4,2):(1,8)"}}}';
    const uri = await write('layout.gemm.json', text);
    const document = await vscode.workspace.openTextDocument(uri);
    assert.match(await hover(document, after(document, '"(4,2')), /size 8, cosize 12/);
    await remove(uri);
  });
});

describe('quick fixes in VS Code', () => {
  it('describe a hand-written kernel, and rename what a comment is about', async () => {
    const text = '__global__ void own(float* c) {}\n';
    const uri = await write('fix.cu', text);
    await vscode.workspace.openTextDocument(uri);
    const [add] = await actions(uri, new vscode.Range(0, 0, 0, 0));
    assert.equal(add?.title, 'Analyze this kernel');
    assert.equal(add.command?.command, 'gemm.describeKernel');
    await remove(uri);

    const complete =
      '__global__ void mul(const float *A, const float *B, float *C, int N) {}\nint main() {\n  int N = 64;\n  dim3 block(16, 16);\n  mul<<<dim3(4, 4), block>>>(a, b, c, N);\n}\n';
    const whole = await write('infer.cu', complete);
    const document = await vscode.workspace.openTextDocument(whole);
    const [inferred] = await actions(whole, new vscode.Range(0, 0, 0, 0));
    assert.equal(inferred?.title, 'Add // @gemm: 64 x 64 x 64 f32, block 16 x 16');
    assert.ok(inferred.edit);
    await vscode.workspace.applyEdit(inferred.edit);
    assert.match(document.lineAt(0).text, /^\/\/ @gemm \{"problem":\{"m":64,.*"block":\[16,16\]/);
    await remove(whole);

    const wrong =
      '// @gemm {"entry":"gone","problem":{"m":8,"n":8,"k":8},"grid":[1],"block":[64],"args":["c"]}\n';
    const other = await write('rename.cu', wrong + text);
    await vscode.workspace.openTextDocument(other);
    const [problem] = await eventually(
      () => vscode.languages.getDiagnostics(other).filter(({ source }) => source === 'GEMM'),
      found => found.length > 0,
      'no problem of the comment',
    );
    assert.match(problem!.message, /no kernel gone/);
    const fixes = await actions(other, problem!.range);
    const rename = fixes.find(({ title }) => title === 'Use this annotation for own');
    assert.ok(rename?.edit);
    assert.ok(await vscode.workspace.applyEdit(rename.edit));
    await eventually(
      () => vscode.languages.getDiagnostics(other).filter(({ source }) => source === 'GEMM'),
      found => found.length === 0,
      'the problem stays',
    );
    await vscode.window.showTextDocument(other);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await remove(other);
  });

  it('take the nearest legal value of a spec', async () => {
    const text =
      '{"problem": {"m": 64, "n": 64, "k": 64}, "schedule": {"algorithm": "naive", "block": {"m": 4096, "n": 16}}, "targets": ["cuda"]}';
    const uri = await write('nearest.gemm.json', text);
    const document = await vscode.workspace.openTextDocument(uri);
    const position = document.positionAt(text.indexOf('4096') + 1);
    const [fix] = (await actions(uri, new vscode.Range(position, position))).filter(
      ({ edit }) => edit !== undefined,
    );
    assert.match(fix?.title ?? '', /^Change schedule\.block\.m to \d+$/);
    await remove(uri);
  });
});

describe('completion in VS Code', () => {
  it('offers legal tiles with their occupancy', async () => {
    const text =
      '{"problem": {"m": 64, "n": 64, "k": 64}, "schedule": {"algorithm": "naive", "block": {"m": , "n": 16}}}';
    const uri = await write('complete.gemm.json', text);
    const document = await vscode.workspace.openTextDocument(uri);
    const list = await vscode.commands.executeCommand<vscode.CompletionList>(
      'vscode.executeCompletionItemProvider',
      uri,
      after(document, '"block": {"m": '),
    );
    const tiles = list.items.filter(
      ({ label }) => typeof label !== 'string' && (label.description ?? '').includes('threads'),
    );
    assert.ok(tiles.length >= 5, JSON.stringify(list.items.map(({ label }) => label)));
    await remove(uri);
  });
});

describe('WGSL in VS Code', () => {
  it('is checked while it is typed, on the word that is wrong', async function () {
    const { source } = kernel('wgsl');
    const line = source.split('\n').findIndex(text => text.includes('workgroupBarrier'));
    const uri = await write('typed.wgsl', source);
    const document = await vscode.workspace.openTextDocument(uri);
    const start = document.positionAt(source.indexOf('workgroupBarrier'));
    const typed = new vscode.WorkspaceEdit();
    typed.replace(uri, new vscode.Range(start, start.translate(0, 16)), 'workgroupBarier');
    assert.ok(await vscode.workspace.applyEdit(typed));
    const [problem] = await eventually(
      () => vscode.languages.getDiagnostics(uri).filter(found => found.source === 'WGSL'),
      found => found.length > 0,
      'no message of the WGSL compiler',
    );
    assert.equal(problem?.range.start.line, line);
    assert.match(problem.message, /workgroupBarier/);
    await remove(uri);
  });
});
