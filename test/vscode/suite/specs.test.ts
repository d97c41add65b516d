/** Problems of spec files, where they belong, and gone when they are mended. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { editAll, eventually, remove, write } from './files';

const problemsOf = (uri: vscode.Uri): readonly vscode.Diagnostic[] =>
  vscode.languages.getDiagnostics(uri).filter(({ source }) => source === 'GEMM');

const problem = '"problem": { "m": 64, "n": 64, "k": 64 }';
const schedule = (block: string): string =>
  `"schedule": {\n  "algorithm": "thread-tile-2d",\n  "block": ${block},\n  "thread": { "m": 4, "n": 4 }\n}`;

interface Case {
  readonly text: string;
  /** From 0. */
  readonly line: number;
  readonly says: RegExp;
  readonly under?: string;
}

const CASES: Readonly<Record<string, Case>> = {
  'a torn object': {
    text: '{\n  "problem": { "m": 64,\n  }\n}\n',
    line: 2,
    says: /Not JSON/,
    under: '}',
  },
  'a word that is none': { text: '{\n\n  "problem": nope\n}\n', line: 2, says: /Not JSON/ },
  'an end that is missing': { text: `{\n${problem},\n`, line: 1, says: /Not JSON/ },
  'an unknown field': {
    text: `{\n${problem},\n"shedule": {}\n}`,
    line: 2,
    says: /Unknown field/,
    under: '"shedule"',
  },
  'a missing field': {
    text: '{\n"problem": { "m": 64, "n": 64 }\n}',
    line: 1,
    says: /problem\.k|required/,
  },
  'a size of zero': {
    text: `{\n"problem": {\n"m": 0,\n"n": 64, "k": 64 }\n}`,
    line: 2,
    says: /1|positive/,
    under: '0',
  },
  'a fraction': {
    text: `{\n"problem": {\n"m": 1.5,\n"n": 64, "k": 64 }\n}`,
    line: 2,
    says: /integer/,
    under: '1.5',
  },
  'an illegal tile': {
    text: `{\n${problem},\n${schedule('{\n"m": 4096,\n"n": 32, "k": 8 }')}\n}`,
    line: 5,
    says: /4096 x 32 \/ \(4 x 4\) = 8,192 threads per block > 1,024.*512/,
    under: '4096',
  },
};

/** VS Code's own JSON support: with it, what its schema says is not said twice. */
const validateJson = (enable: boolean | undefined): Thenable<void> =>
  vscode.workspace
    .getConfiguration('json')
    .update('validate.enable', enable, vscode.ConfigurationTarget.Global);

describe('Problems of a spec in VS Code that are said once', () => {
  afterEach(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

  for (const [name, text] of [
    ['a size of zero', `{"problem": { "m": 0, "n": 64, "k": 64 }}`],
    ['an unknown field', `{${problem}, "shedule": 1}`],
    ['an unknown device', `{${problem}, "device": "none"}`],
    ['a field given twice', `{${problem}, "version": 1, "version": 1}`],
  ] as const) {
    it(`are ${name}`, async () => {
      const uri = await write('once.gemm.json', text);
      await vscode.window.showTextDocument(uri);
      const all = () => vscode.languages.getDiagnostics(uri);
      await eventually(all, found => found.length > 0, 'a problem');
      // Whoever speaks later has spoken by then.
      await new Promise(resolve => setTimeout(resolve, 1500));
      // VS Code underlines both of two equal names.
      const said = new Set(all().map(({ source, message }) => `${source ?? ''}: ${message}`));
      assert.equal(said.size, 1, [...said].join(' | '));
      await remove(uri);
    });
  }
});

describe('Problems of a spec in VS Code', () => {
  before(() => validateJson(false));
  after(() => validateJson(undefined));
  afterEach(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

  for (const [index, name] of Object.keys(CASES).entries()) {
    const { text, line, says, under } = CASES[name]!;
    it(`shows ${name} on its line`, async () => {
      const uri = await write(`case${index}.gemm.json`, text);
      const document = await vscode.workspace.openTextDocument(uri);
      const [first] = await eventually(
        () => problemsOf(uri),
        found => found.length > 0,
        'a problem',
      );
      assert.ok(first);
      assert.match(first.message, says);
      assert.equal(first.range.start.line, line, first.message);
      if (under !== undefined) assert.equal(document.getText(first.range), under);
      await vscode.window.showTextDocument(document);
      await editAll(document, `{${problem}}`);
      await eventually(
        () => problemsOf(uri),
        found => found.length === 0,
        'no problem any more',
      );
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
      await remove(uri);
    });
  }
});
