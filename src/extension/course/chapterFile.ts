/** Writes the files of a chapter into the workspace, and shows its Markdown. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Chapter } from '../../core/course/chapter';
import { chapterFileName, chapterMarkdown } from '../../core/course/chapterMarkdown';
import { chapterFiles, COURSE_FOLDER } from '../../core/course/files';
import type { Measurement } from '../../core/measure/measurement';
import type { WorkspaceFiles } from '../abilities';
import { showErrorMessage } from '../display/notify';
import { COURSE_SCHEME } from '../ids';
import { courseRoot, type ProgressStore } from './progressStore';

export interface ChapterParts {
  readonly files: WorkspaceFiles;
  readonly progress: ProgressStore;
  readonly measurements: () => readonly Measurement[];
  readonly texts: ChapterTexts;
}

/** Documents of chapters that are not written to files. */
export interface ChapterTexts extends vscode.Disposable {
  readonly uriOf: (name: string, text: string) => vscode.Uri;
}

export function createChapterTexts(): ChapterTexts {
  const texts = new Map<string, string>();
  const changed = new vscode.EventEmitter<vscode.Uri>();
  const provider = vscode.workspace.registerTextDocumentContentProvider(COURSE_SCHEME, {
    onDidChange: changed.event,
    provideTextDocumentContent: ({ path }) =>
      texts.get(path) ?? t('This chapter is not loaded. Fix: run GEMM: Learn.'),
  });
  return {
    uriOf: (name, text) => {
      const uri = vscode.Uri.from({ scheme: COURSE_SCHEME, path: `/${name}` });
      texts.set(uri.path, text);
      changed.fire(uri);
      return uri;
    },
    dispose: () => {
      provider.dispose();
      changed.dispose();
    },
  };
}

/**
 * Writes the files of a chapter; edited files are kept. Returns the folder of the files, or
 * undefined if no file was written.
 */
export async function writeChapter(
  chapter: Chapter,
  { files, progress, measurements }: ChapterParts,
): Promise<vscode.Uri | undefined> {
  const root = courseRoot();
  if (root === undefined) return undefined;
  const view = { progress: await progress.read(), measurements: measurements() };
  for (const file of chapterFiles(chapter, view)) {
    const result = await files.writeGenerated({ root, folder: COURSE_FOLDER, ...file });
    if ('failed' in result) {
      void showErrorMessage(result.failed);
      return undefined;
    }
  }
  return vscode.Uri.joinPath(root, COURSE_FOLDER);
}

/** Updates the document of a chapter and returns its URI. */
export async function refreshChapter(chapter: Chapter, parts: ChapterParts): Promise<vscode.Uri> {
  const folder = await writeChapter(chapter, parts);
  const name = chapterFileName(chapter);
  if (folder !== undefined) return vscode.Uri.joinPath(folder, name);
  const view = { progress: await parts.progress.read(), measurements: parts.measurements() };
  return parts.texts.uriOf(name, chapterMarkdown(chapter, view));
}

/** Shows a chapter as a Markdown preview, or as text if no preview is available. */
export async function showChapter(chapter: Chapter, parts: ChapterParts): Promise<void> {
  const uri = await refreshChapter(chapter, parts);
  // Chapters are on the left, and task files beside them.
  await vscode.commands.executeCommand('workbench.action.focusFirstEditorGroup');
  await vscode.commands.executeCommand('markdown.showPreview', uri).then(undefined, async () => {
    // The built-in Markdown extension may be disabled.
    await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Beside });
  });
}

/** States why a chapter has no task files. */
export const whyNotWritten = (): string =>
  vscode.workspace.isTrusted
    ? t('No task file was written, because no writable folder is open. Fix: open a folder.')
    : t('No task file was written, because Restricted Mode does not write files.');
