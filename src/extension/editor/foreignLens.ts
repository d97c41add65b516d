/** CodeLens of annotated PTX and Python files, whose kernels run on the cuda backend only. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { foreignPlaces } from '../../core/source/foreignPlaces';
import type { KernelArgument } from '../../hostValues';
import { isTooLong } from '../documents/selectors';
import { nameOf } from '../documents/kernelDocument';
import { COMMANDS, FOREIGN_GLOB } from '../ids';
import { settings } from '../shared/settings';

export const registerForeignLens = (): vscode.Disposable =>
  vscode.languages.registerCodeLensProvider(
    { pattern: FOREIGN_GLOB },
    {
      provideCodeLenses: document =>
        settings.codeLensEnabled() && !isTooLong(document) ? lensesOf(document) : [],
    },
  );

function lensesOf(document: vscode.TextDocument): vscode.CodeLens[] {
  return foreignPlaces(document.getText(), nameOf(document)).flatMap(({ line, entry }) => {
    const argument: KernelArgument = {
      uri: document.uri.toString(),
      ...(entry === undefined ? {} : { entry }),
    };
    const lens = (title: string, tooltip: string, command: string): vscode.CodeLens =>
      new vscode.CodeLens(new vscode.Range(line, 0, line, 0), {
        title,
        tooltip,
        command,
        arguments: [argument],
      });
    return [
      lens(t('Benchmark'), t('Verify this kernel, then time it'), COMMANDS.benchmark),
      lens(t('Verify'), t('Run this kernel and verify its result'), COMMANDS.runAndVerify),
    ];
  });
}
