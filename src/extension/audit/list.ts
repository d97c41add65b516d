/** The list of an audit: prompts for its file and reads it. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { uniqueShapes, type Shape } from '../../core/audit/shapes';
import { readShapes, type ShapeList } from '../../core/audit/shapes/read';
import { grouped } from '../../core/text/numbers';
import { showErrorMessage } from '../display/notify';

export interface ReadList {
  readonly uri: vscode.Uri;
  /** File name of the list. */
  readonly name: string;
  readonly list: ShapeList;
  readonly shapes: readonly Shape[];
}

/** Maximum size of a list in bytes. */
const MAX_BYTES = 64_000_000;

/** Prompts for the file of a list; undefined if the dialog is dismissed. */
export async function promptList(): Promise<vscode.Uri | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    title: t('GEMM: list of shapes'),
    openLabel: t('Audit'),
    filters: {
      [t('TunableOp, CUTLASS profiler, nvbench or own list')]: ['csv', 'json', 'txt'],
    },
  });
  return chosen?.[0];
}

/** Reads a list. Shows the reason and returns undefined if it has no shape. */
export async function readList(uri: vscode.Uri): Promise<ReadList | undefined> {
  const name = uri.path.slice(uri.path.lastIndexOf('/') + 1);
  const { size, type } = await vscode.workspace.fs.stat(uri);
  if ((type & vscode.FileType.File) === 0 || size > MAX_BYTES) {
    void showErrorMessage(
      t(
        '{0} is not a file of at most {1} bytes. Fix: choose a list of shapes.',
        name,
        grouped(MAX_BYTES),
      ),
    );
    return undefined;
  }
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  const read = readShapes(text);
  if (!read.ok) {
    void showErrorMessage(t('{0}: {1}', name, read.message));
    return undefined;
  }
  const { list } = read;
  const [first] = list.issues;
  if (list.entries.length === 0) {
    const why = first === undefined ? t('The list is empty.') : `${first.place}: ${first.message}`;
    void showErrorMessage(t('{0} has no shape that can be measured. {1}', name, why));
    return undefined;
  }
  return { uri, name, list, shapes: uniqueShapes(list.entries, list.format) };
}
