/**
 * Completion of tile parameters in `*.gemm.json` with the legal values at the cursor. Field names
 * come from the JSON Schema.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { SPECS } from '../documents/selectors';
import { completionAt } from './specCompletion';

const MAX_CHARACTERS = 20_000;

export const registerCompletion = (): vscode.Disposable =>
  vscode.languages.registerCompletionItemProvider(
    SPECS,
    {
      provideCompletionItems: (document, position, token) =>
        token.isCancellationRequested ? [] : items(document, position),
    },
    ':',
    ' ',
  );

function items(document: vscode.TextDocument, position: vscode.Position): vscode.CompletionItem[] {
  const text = document.getText();
  if (text.length > MAX_CHARACTERS) return [];
  const offset = document.offsetAt(position);
  const completion = completionAt(text, offset);
  if (completion === undefined) return [];
  const { place, values } = completion;
  const range = new vscode.Range(document.positionAt(place.start), document.positionAt(place.end));
  // Insert a space if the value directly follows the colon.
  const lead = text[offset - 1] === ':' ? ' ' : '';
  return values.map(({ value, detail }, index) => {
    const item = new vscode.CompletionItem(
      { label: String(value), description: detail },
      vscode.CompletionItemKind.Value,
    );
    item.range = range;
    item.insertText = `${lead}${value}`;
    item.filterText = `${lead}${value}`;
    item.sortText = String(index).padStart(3, '0');
    item.documentation = t('Legal with this device and the other fields: {0}.', detail);
    return item;
  });
}
