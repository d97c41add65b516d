/** CodeLens of task files: check the task, and open its chapter. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { chapterOfTask } from '../../core/course/chapters/chapters';
import { plainText } from '../../core/text/plainText';
import { COMMANDS } from '../ids';
import { settings } from '../shared/settings';
import { TASK_GLOB, taskOf } from './checkFile';

export const registerTaskLens = (): vscode.Disposable =>
  vscode.languages.registerCodeLensProvider(
    { pattern: TASK_GLOB },
    { provideCodeLenses: document => (settings.codeLensEnabled() ? lensesOf(document) : []) },
  );

function lensesOf({ uri }: vscode.TextDocument): vscode.CodeLens[] {
  const task = taskOf(uri);
  if (task === undefined) return [];
  const range = new vscode.Range(0, 0, 0, 0);
  const chapter = chapterOfTask(task.id);
  return [
    new vscode.CodeLens(range, {
      title: t('Check task'),
      tooltip: plainText(task.title),
      command: COMMANDS.checkTask,
      arguments: [{ uri: uri.toString() }],
    }),
    ...(chapter === undefined
      ? []
      : [
          new vscode.CodeLens(range, {
            title: plainText(t('Chapter: {0}', chapter.title)),
            tooltip: t('Open the chapter of this task'),
            command: COMMANDS.learn,
            arguments: [chapter.id],
          }),
        ]),
  ];
}
