/** What editors have to show of a file: hovers, CodeLens, quick fixes. */
import * as vscode from 'vscode';
import type { Place } from './protocol';

const WORD = /"(?:[^"\\\n]|\\.)+"|[\p{ID_Start}_][\p{ID_Continue}]*/gu;
/** Words of one file that are asked for a hover. */
const MOST_WORDS = 12;

/** Kernel names come first: their hover is the card of the kernel. */
function words(document: vscode.TextDocument): readonly vscode.Position[] {
  const text = document.getText().slice(0, 40_000);
  const all = [...text.matchAll(WORD)].map(({ index, 0: word }) => ({ index: index + 1, word }));
  const names = all.filter(({ word }) => /^(hostile_kernel|ma.*rix_|k\d)/.test(word));
  return [...names, ...all].slice(0, MOST_WORDS).map(({ index }) => document.positionAt(index));
}

export async function hoverPlaces(uri: vscode.Uri, most: number): Promise<readonly Place[]> {
  const document = await vscode.workspace.openTextDocument(uri);
  const problems = vscode.languages.getDiagnostics(uri).map(({ range }) => range.start);
  const found: Place[] = [];
  for (const position of [
    ...words(document).slice(0, 2),
    ...problems.slice(0, 4),
    ...words(document),
  ]) {
    if (found.length === most) break;
    const { line, character } = position;
    if (found.some(place => place.line === line && place.character === character)) continue;
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      uri,
      position,
    );
    if (hovers.length > 0 || problems.some(problem => problem.isEqual(position)))
      found.push({ line, character });
  }
  return found;
}

export async function lensCommands(uri: vscode.Uri): Promise<readonly vscode.Command[]> {
  // A command may have closed the last editor of the file, and VS Code asks for lenses of open
  // documents only.
  await vscode.workspace.openTextDocument(uri);
  const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
    'vscode.executeCodeLensProvider',
    uri,
    8,
  );
  const commands = lenses.flatMap(({ command }) => (command === undefined ? [] : [command]));
  return commands.filter(({ command }) => command !== '').slice(0, 4);
}

/** Applies fixes of the file's problems one at a time to the editor's text; nothing is saved. */
export async function applyFixes(uri: vscode.Uri, most: number): Promise<number> {
  let applied = 0;
  for (const { range } of vscode.languages.getDiagnostics(uri).slice(0, most)) {
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      'vscode.executeCodeActionProvider',
      uri,
      range,
      vscode.CodeActionKind.QuickFix.value,
    );
    for (const { edit } of actions.slice(0, 2)) {
      if (edit === undefined || !(await vscode.workspace.applyEdit(edit))) continue;
      applied += 1;
      await vscode.commands.executeCommand('undo');
    }
  }
  return applied;
}
