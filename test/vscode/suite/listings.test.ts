/**
 * A kernel beside its PTX, line by line; PTX of two specs compared; a report of Nsight Compute
 * beside the analysis.
 */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { emit } from '../../../src/core/kernel/emit';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import { findNvcc } from '../../../src/host/toolchain';
import { page } from '../../core/profile/ncu/page';
import { editAll, eventually, remove, write } from './files';

const spec = (algorithm: 'naive' | 'coalesced') =>
  ({ problem: { m: 64, n: 64, k: 64 }, schedule: { algorithm }, device: 'h200' }) as const;

function kernel() {
  const planned = plan(resolve(spec('naive')), 'cuda');
  assert.ok(planned.ok);
  return emit(planned.plan);
}

const listing = () =>
  vscode.window.visibleTextEditors.find(({ document }) => document.uri.scheme === 'gemm-ptx');
const lineOf = ({ document }: vscode.TextEditor, part: RegExp): number =>
  document
    .getText()
    .split('\n')
    .findIndex(line => part.test(line));
const sees = (editor: vscode.TextEditor | undefined, line: number): boolean =>
  editor?.visibleRanges.some(range => range.contains(new vscode.Position(line, 0))) === true;
const closeAll = () => vscode.commands.executeCommand('workbench.action.closeAllEditors');

describe('Listings in VS Code (needs nvcc)', function () {
  this.timeout(60_000);
  before(async function () {
    if (!(await findNvcc()).ok) this.skip();
  });
  afterEach(closeAll);

  it('show the PTX of the selected line, and the line of the selected PTX', async () => {
    const uri = await write('linked.cu', `${kernel().source}${'\n'.repeat(300)}`);
    const source = await vscode.window.showTextDocument(uri);
    await vscode.commands.executeCommand('gemm.showPtx');
    const ptx = listing();
    assert.ok(ptx);
    const store = lineOf(source, /^\s*C\[/);
    const stored = lineOf(ptx, /st\.global/);
    assert.ok(store > 0 && stored > 0);
    source.selection = new vscode.Selection(store, 0, store, 0);
    await eventually(
      () => sees(ptx, stored),
      seen => seen,
      'the store is not shown',
    );
    source.revealRange(new vscode.Range(299, 0, 299, 0), vscode.TextEditorRevealType.AtTop);
    await eventually(
      () => sees(source, store),
      seen => !seen,
      'the source does not scroll',
    );
    ptx.selection = new vscode.Selection(stored, 0, stored, 0);
    await eventually(
      () => sees(source, store),
      seen => seen,
      'the line of C is not shown',
    );
    await remove(uri);
  });

  it('mark nothing of a text that has changed since', async () => {
    const uri = await write('stale.cu', kernel().source);
    const source = await vscode.window.showTextDocument(uri);
    await vscode.commands.executeCommand('gemm.showPtx');
    const ptx = listing();
    assert.ok(ptx);
    const stored = lineOf(ptx, /st\.global/);
    await editAll(source.document, `\n\n${kernel().source}${'\n'.repeat(300)}`);
    const store = lineOf(source, /^\s*C\[/);
    source.revealRange(new vscode.Range(299, 0, 299, 0), vscode.TextEditorRevealType.AtTop);
    await eventually(
      () => sees(source, store),
      seen => !seen,
      'the source does not scroll',
    );
    ptx.selection = new vscode.Selection(stored, 0, stored, 0);
    await new Promise(done => setTimeout(done, 500));
    assert.ok(!sees(source, store));
    await source.document.save();
    await remove(uri);
  });

  it('are compared without what only renumbers', async () => {
    const one = await write('one.gemm.json', JSON.stringify(spec('naive')));
    const other = await write('other.gemm.json', JSON.stringify(spec('coalesced')));
    await vscode.commands.executeCommand('gemm.comparePtx', one, [one, other]);
    const tab = await eventually(
      () => vscode.window.tabGroups.activeTabGroup.activeTab?.input,
      input => input instanceof vscode.TabInputTextDiff,
      'no difference editor',
    );
    assert.ok(tab instanceof vscode.TabInputTextDiff);
    const texts = await Promise.all(
      [tab.original, tab.modified].map(async at =>
        (await vscode.workspace.openTextDocument(at)).getText(),
      ),
    );
    for (const text of texts) {
      assert.match(text, /fma\.rn\.f32 \t%f, %f, %f, %f;/);
      assert.doesNotMatch(text, /%r\d/);
    }
    await remove(one);
    await remove(other);
  });

  it('a report stands beside the analysis, and what is none is refused', async () => {
    const { source, entry } = kernel();
    const uri = await write('profiled.cu', source);
    await vscode.window.showTextDocument(uri);
    const launched = {
      name: `${entry}(int)`,
      block: '(16, 16, 1)',
      grid: '(4, 4, 1)',
      capability: '9.0',
    };
    const csv = await write(
      'report.csv',
      page({ 'dram__bytes_read.sum': ['byte', '32768'] }, launched),
    );
    await vscode.commands.executeCommand('gemm.importNcu', csv);
    const labels = (): readonly string[] =>
      vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ label }) => label));
    await eventually(
      labels,
      all => all.some(label => label.includes('nsight-compute')),
      'no preview of the report',
    );
    const text = (
      await vscode.workspace.openTextDocument(
        vscode.Uri.from({ scheme: 'gemm-ptx', path: '/profiled.nsight-compute.md' }),
      )
    ).getText();
    assert.match(text, /and Nsight Compute/);
    assert.match(text, /lacks dram/);
    await remove(uri);
    await remove(csv);
  });
});
