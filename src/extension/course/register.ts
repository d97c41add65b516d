/** Registers *Learn* and *Check task*. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { TaskCheck } from '../../core/course/outcome';
import { chapterNamed, chapterOfTask } from '../../core/course/chapters/chapters';
import { showProgress, showWarningMessage } from '../display/notify';
import type { History } from '../history/register';
import { COMMANDS } from '../ids';
import type { Runs } from '../runs/register';
import type { Base, Feature } from '../shared/base';
import { commandsOf, uriOf } from '../shared/commands';
import type { Toolchain } from '../toolchain/register';
import { createChapterTexts } from './chapterFile';
import { checkDocument, notify, taskOf } from './checkFile';
import { learn, openChapter, type LearnParts } from './learn';
import { createProgressStore } from './progressStore';
import { registerTaskLens } from './taskLens';

export interface CourseParts extends Base {
  readonly history: History;
  readonly runs: Runs;
  readonly toolchain: Toolchain;
}

export interface Course extends Feature {
  /** Checks a task file without a notification; undefined for other files. */
  readonly check: (
    document: vscode.TextDocument,
    signal: AbortSignal,
  ) => Promise<TaskCheck> | undefined;
}

export function registerCourse(parts: CourseParts): Course {
  const { abilities, context, history, runs, toolchain } = parts;
  const progress = createProgressStore(abilities.files, context.globalState);
  const texts = createChapterTexts();
  const diagnostics = vscode.languages.createDiagnosticCollection('gemm-course');
  const { hostBackend } = toolchain;
  const learnParts: LearnParts = {
    files: abilities.files,
    progress,
    texts,
    measurements: () => history.store.all(),
    current: { chapter: undefined },
  };
  const checkParts = { progress, diagnostics, hostBackend, runParts: runs.runParts };
  const check: Course['check'] = (document, signal) => {
    const task = taskOf(document.uri);
    return task === undefined ? undefined : checkDocument(document, task, checkParts, signal);
  };

  const checkCommand = async (argument: unknown): Promise<void> => {
    const uri = uriOf(argument) ?? vscode.window.activeTextEditor?.document.uri;
    const task = uri === undefined ? undefined : taskOf(uri);
    if (uri === undefined || task === undefined) {
      void showWarningMessage(t('Open a task file of the course to check it.'));
      return;
    }
    const document = await vscode.workspace.openTextDocument(uri);
    const result = await showProgress(
      {
        title: t('Checking {0}', task.title),
        location: vscode.ProgressLocation.Notification,
        cancellable: true,
      },
      async (_, token) => {
        const controller = new AbortController();
        const subscription = token.onCancellationRequested(() => {
          controller.abort();
        });
        try {
          return await checkDocument(document, task, checkParts, controller.signal);
        } finally {
          subscription.dispose();
        }
      },
    );
    const chapter = chapterOfTask(task.id);
    // The command ends before the notification is closed.
    void notify(task, result, () => {
      if (chapter !== undefined) void openChapter(chapter, learnParts).catch(parts.failed);
    });
  };

  const command = commandsOf(parts);
  return {
    check,
    subscriptions: [
      texts,
      diagnostics,
      registerTaskLens(),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0) diagnostics.delete(document.uri);
      }),
      command(COMMANDS.learn, async argument => {
        const chapter = typeof argument === 'string' ? chapterNamed(argument) : undefined;
        await (chapter === undefined ? learn(learnParts) : openChapter(chapter, learnParts));
      }),
      command(COMMANDS.checkTask, checkCommand),
    ],
  };
}
