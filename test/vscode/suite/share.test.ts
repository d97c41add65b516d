/** *Share result*, links to a spec, and what they never write or run. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { openLink } from '../../../src/extension/share/openLink';
import { linkTo, specOfLink } from '../../../src/specLink';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { remove, write } from './files';

const SPEC: GemmSpec = {
  problem: { m: 96, n: 64, k: 32 },
  schedule: { algorithm: 'thread-tile-2d' },
};

interface Asked {
  readonly message: string;
  readonly detail: string;
}

/** Replaces dialogs while `act` runs. Returns the messages and the questions that it showed. */
async function answering(
  answer: string | undefined,
  saveAs: vscode.Uri | undefined,
  act: () => Promise<unknown>,
): Promise<{ readonly errors: readonly string[]; readonly asked: readonly Asked[] }> {
  const { showInformationMessage, showErrorMessage, showSaveDialog } = vscode.window;
  const errors: string[] = [];
  const asked: Asked[] = [];
  try {
    Object.assign(vscode.window, {
      showErrorMessage: (message: string) => Promise.resolve(void errors.push(message)),
      showSaveDialog: () => Promise.resolve(saveAs),
      showInformationMessage: (message: string, options: unknown) => {
        const { modal, detail = '' } = Object(options) as vscode.MessageOptions;
        if (modal !== true) return Promise.resolve(undefined);
        asked.push({ message, detail });
        return Promise.resolve(answer);
      },
    });
    await act();
    return { errors, asked };
  } finally {
    Object.assign(vscode.window, { showInformationMessage, showErrorMessage, showSaveDialog });
  }
}

const exists = (uri: vscode.Uri): Promise<boolean> =>
  Promise.resolve(vscode.workspace.fs.stat(uri)).then(
    () => true,
    () => false,
  );

describe('sharing a result in VS Code', () => {
  it('states the content of the file and writes it only after an answer', async () => {
    const uri = await write('shared.gemm.json', JSON.stringify(SPEC));
    const target = vscode.Uri.joinPath(uri, '..', 'shared.html');
    const share = () => vscode.commands.executeCommand('gemm.shareResult', { uri: uri.toString() });
    try {
      const { asked, errors } = await answering(undefined, target, async () => share());
      assert.deepEqual(errors, []);
      assert.match(asked[0]?.message ?? '', /Save an HTML file of \d+ kB/);
      assert.match(asked[0]?.detail ?? '', /spec and analysis: GEMM 96 x 64 x 32 f32/);
      assert.match(asked[0]?.detail ?? '', /source code: CUDA, WGSL/);
      assert.equal(await exists(target), false);

      assert.deepEqual((await answering('Save', target, async () => share())).errors, []);
      const html = new TextDecoder().decode(await vscode.workspace.fs.readFile(target));
      assert.match(html, /^<!DOCTYPE html>/);
      assert.match(html, /download="shared\.gemm\.json"/);
      assert.ok(!html.includes(vscode.Uri.joinPath(uri, '..').fsPath), 'no path of the workspace');
    } finally {
      await remove(uri);
      if (await exists(target)) await remove(target);
    }
  });

  it('copies a link that carries the spec', async () => {
    const uri = await write('linked.gemm.json', JSON.stringify(SPEC));
    try {
      await vscode.commands.executeCommand('gemm.copyLink', { uri: uri.toString() });
      const link = vscode.Uri.parse(await vscode.env.clipboard.readText(), true);
      assert.equal(link.scheme, vscode.env.uriScheme);
      assert.deepEqual(await specOfLink(link.path, link.query), { ok: true, spec: SPEC });
    } finally {
      await remove(uri);
    }
  });
});

describe('a link to a spec in VS Code', () => {
  const opened: unknown[] = [];
  const explorer = { open: (shown: unknown): void => void opened.push(shown) };
  const uriOf = async (spec: GemmSpec) =>
    vscode.Uri.parse((await linkTo(spec)) ?? assert.fail(), true);
  const documents = (): number =>
    vscode.workspace.textDocuments.filter(({ uri }) => uri.scheme === 'untitled').length;
  beforeEach(() => {
    opened.length = 0;
  });

  it('asks first, and opens nothing if the question is dismissed', async () => {
    const before = documents();
    const uri = await uriOf(SPEC);
    const { asked, errors } = await answering(undefined, undefined, () => openLink(uri, explorer));
    assert.deepEqual(errors, []);
    assert.equal(asked.length, 1);
    for (const part of [/96 x 64 x 32/, /thread-tile-2d/, /author is unknown/, /runs nothing/])
      assert.match(asked[0]?.detail ?? '', part);
    assert.deepEqual([documents(), opened], [before, []]);
  });

  it('opens the explorer, or a new document without a file', async () => {
    const uri = await uriOf(SPEC);
    await answering('Open in explorer', undefined, () => openLink(uri, explorer));
    assert.equal(opened.length, 1);
    for (const count of [1, 2]) {
      await answering('Open as text', undefined, () => openLink(uri, explorer));
      const { document } = vscode.window.activeTextEditor ?? assert.fail();
      assert.equal(document.uri.scheme, 'untitled');
      assert.deepEqual(JSON.parse(document.getText()), SPEC, `document ${count}`);
    }
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('that is hostile opens nothing and is refused with a reason', async () => {
    const before = documents();
    for (const text of [
      'vscode://gemm-explorer.gemm-explorer/spec',
      'vscode://gemm-explorer.gemm-explorer/run?d=AAAA',
      'vscode://gemm-explorer.gemm-explorer/spec?d=%00%2e%2e%2f',
      `vscode://gemm-explorer.gemm-explorer/spec?d=${'A'.repeat(100_000)}`,
    ]) {
      const uri = vscode.Uri.parse(text);
      const answered = await answering('Open as text', undefined, () => openLink(uri, explorer));
      assert.match(answered.errors[0] ?? '', /^Nothing was opened\. .+ Fix: /);
      assert.deepEqual(answered.asked, []);
    }
    assert.deepEqual([documents(), opened], [before, []]);
  });
});
