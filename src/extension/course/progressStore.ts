/**
 * Progress of the course: in `.gemm/course.json` of the workspace. Without a writable and trusted
 * folder, it is kept in the profile of VS Code.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import {
  damagedCopyName,
  decodeProgress,
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
const MAX_BYTES = 1_000_000;

export interface ProgressStore {
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
}

export function createProgressStore(files: WorkspaceFiles, profile: vscode.Memento): ProgressStore {
  let changing: Promise<void> = Promise.resolve();

  const ofProfile = (): Progress => {
    const decoded = decodeProgress(profile.get<string>(KEY));
    return decoded.ok ? decoded.progress : NO_PROGRESS;
  };

  const find = async (root: vscode.Uri): Promise<Found> => {
    const text = await textOf(vscode.Uri.joinPath(root, PROGRESS_FOLDER, PROGRESS_FILE));
    const decoded = decodeProgress(text);
    return decoded.ok
      ? { progress: decoded.progress }
      : { progress: NO_PROGRESS, damaged: { text: text ?? '', reason: decoded.reason } };
  };

  const write = async (root: vscode.Uri, change: (known: Progress) => Progress): Promise<void> => {
    const { progress, damaged } = await find(root);
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
      return root === undefined ? ofProfile() : (await find(root)).progress;
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

/** Returns the text of a file; undefined if it does not exist. */
async function textOf(uri: vscode.Uri): Promise<string | undefined> {
  const found = await vscode.workspace.fs.stat(uri).then(
    stat => stat,
    () => undefined,
  );
  if (found === undefined) return undefined;
  // Larger files are reported as damaged.
  if (found.size > MAX_BYTES) return ' '.repeat(MAX_BYTES + 1) + '?';
  return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
}
