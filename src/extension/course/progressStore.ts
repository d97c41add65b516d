/**
 * Progress of the course: in `.gemm/course.json` of the workspace. Without a writable and trusted
 * folder, it is kept in the profile of VS Code.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import {
  DAMAGED_COPIES,
  damagedCopyName,
  decodeProgress,
  MAX_PROGRESS_BYTES,
  NO_PROGRESS,
  PROGRESS_FILE,
  PROGRESS_FOLDER,
  progressText,
  type Progress,
} from '../../core/course/progress';
import type { WorkspaceFiles } from '../abilities';
import { showErrorMessage, showWarningMessage } from '../display/notify';
import { writableFolder } from '../workspace/writableFolder';

const KEY = 'gemm.course';

export interface ProgressStore {
  /** Returns the stored progress. Reports a file that cannot be used, once per problem. */
  readonly read: () => Promise<Progress>;
  /** Changes the stored progress. Shows a message if it cannot be written. */
  readonly change: (change: (progress: Progress) => Progress) => Promise<void>;
}

/** Returns the folder whose files may be written; undefined in Restricted Mode. */
export const courseRoot = (): vscode.Uri | undefined =>
  vscode.workspace.isTrusted ? writableFolder()?.uri : undefined;

interface Found {
  readonly progress: Progress;
  /** Text and reason of a damaged file. */
  readonly damaged?: { readonly text: string; readonly reason: string };
  /** Reason of a file that exists but cannot be read, so that it must not be replaced. */
  readonly unreadable?: string;
}

const fileIn = (root: vscode.Uri): vscode.Uri =>
  vscode.Uri.joinPath(root, PROGRESS_FOLDER, PROGRESS_FILE);

export function createProgressStore(files: WorkspaceFiles, profile: vscode.Memento): ProgressStore {
  let changing: Promise<void> = Promise.resolve();
  let reported: string | undefined;

  const ofProfile = (): Progress => {
    const decoded = decodeProgress(profile.get<string>(KEY));
    return decoded.ok ? decoded.progress : NO_PROGRESS;
  };

  const find = async (root: vscode.Uri): Promise<Found> => {
    const { text, unreadable } = await textOf(fileIn(root));
    if (unreadable !== undefined) return { progress: NO_PROGRESS, unreadable };
    const decoded = decodeProgress(text);
    return decoded.ok
      ? { progress: decoded.progress }
      : { progress: NO_PROGRESS, damaged: { text: text ?? '', reason: decoded.reason } };
  };

  const report = (root: vscode.Uri, found: Found): void => {
    const problem = problemText(fileIn(root), found);
    if (problem !== undefined && problem !== reported) void showProblem(problem, fileIn(root));
    reported = problem;
  };

  const write = async (root: vscode.Uri, change: (known: Progress) => Progress): Promise<void> => {
    const { progress, damaged, unreadable } = await find(root);
    if (unreadable !== undefined) {
      void showErrorMessage(t('The progress of the course was not saved: {0}', unreadable));
      return;
    }
    const changed = change(progress);
    if (changed === progress) return;
    const store = (name: string, text: string, replace: boolean) =>
      files.writeGenerated({ root, folder: PROGRESS_FOLDER, name, text, replace });
    if (damaged !== undefined) {
      const entries = await vscode.workspace.fs.readDirectory(
        vscode.Uri.joinPath(root, PROGRESS_FOLDER),
      );
      const copy = damagedCopyName(name => entries.some(([taken]) => taken === name));
      const copied = await store(copy, damaged.text, false);
      if (!('written' in copied)) {
        void showErrorMessage(
          t(
            'The progress of the course was not saved: {0}',
            'failed' in copied ? copied.failed : '',
          ),
        );
        return;
      }
      void showWarningMessage(
        t(
          '{0} was damaged ({1}) Its content is kept in {2}.',
          `${PROGRESS_FOLDER}/${PROGRESS_FILE}`,
          damaged.reason,
          `${PROGRESS_FOLDER}/${copy}`,
        ),
      );
    }
    const written = await store(PROGRESS_FILE, progressText(changed), true);
    if ('failed' in written)
      void showErrorMessage(t('The progress of the course was not saved: {0}', written.failed));
  };

  return {
    read: async () => {
      const root = courseRoot();
      if (root === undefined) return ofProfile();
      const found = await find(root);
      report(root, found);
      return found.progress;
    },
    change: change => {
      changing = changing.then(async () => {
        const root = courseRoot();
        if (root !== undefined) await write(root, change);
        else await profile.update(KEY, progressText(change(ofProfile())));
      });
      const done = changing;
      changing = changing.catch(() => undefined);
      return done;
    },
  };
}

function problemText(file: vscode.Uri, { damaged, unreadable }: Found): string | undefined {
  const name = file.fsPath;
  if (unreadable !== undefined)
    return t(
      '{0} cannot be read: {1} The course starts without progress, and does not save it. Fix: move the file, or replace it.',
      name,
      unreadable,
    );
  if (damaged === undefined) return undefined;
  return t(
    '{0} is damaged: {1} The course starts without progress. Fix: correct the file. Otherwise the next saved progress replaces it, and keeps its content in {2}.',
    name,
    damaged.reason,
    DAMAGED_COPIES,
  );
}

async function showProblem(problem: string, file: vscode.Uri): Promise<void> {
  const open = t('Open file');
  if ((await showWarningMessage(problem, open)) !== open) return;
  await vscode.commands.executeCommand('vscode.open', file);
}

/** Fails for other bytes, because a copy of the text would differ from the file. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

interface ReadText {
  /** Absent if the file does not exist. */
  readonly text?: string;
  /** Sentence with the reason. */
  readonly unreadable?: string;
}

async function textOf(uri: vscode.Uri): Promise<ReadText> {
  const found = await vscode.workspace.fs.stat(uri).then(
    stat => stat,
    () => undefined,
  );
  if (found === undefined) return {};
  if ((found.type & vscode.FileType.File) === 0) return { unreadable: t('It is not a file.') };
  if (found.size > MAX_PROGRESS_BYTES)
    return { unreadable: t('It exceeds {0} bytes.', MAX_PROGRESS_BYTES) };
  const bytes = await vscode.workspace.fs.readFile(uri).then(
    read => read,
    () => undefined,
  );
  if (bytes === undefined) return { unreadable: t('Reading it failed.') };
  try {
    return { text: UTF8.decode(bytes) };
  } catch {
    return { unreadable: t('It is not UTF-8 text.') };
  }
}
