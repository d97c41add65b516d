/**
 * Reads and appends the dispatch rows of a workspace, `.gemm/dispatch.jsonl`. A writer holds a lock
 * file next to the file. The file of older versions, `.gemm/dispatch.json`, is read too, and the
 * first write copies its rows. It is never changed.
 */
import * as fs from 'node:fs/promises';
import path from 'node:path';
import { MAX_ROWS_BYTES, ROWS_PATH, type DispatchRow } from '../core/defaults/dispatch/row';
import {
  LINES_PATH,
  linesToAdopt,
  parseAdopted,
  whyFull,
  type Adopted as AdoptedRows,
  type LineProblem,
} from '../core/defaults/dispatch/rowLines';
import type { SpecError } from '../core/spec/decode';
import { appendText, isMissing, writeAttributes } from './appendText';
import { takeFileLock } from './fileLock';
import { explainWrite, makeFolder } from './files';
import { codeOf, messageOf } from './text';
import { readRegular } from './userFile';

export type ReadRows =
  | {
      readonly ok: true;
      readonly file: string;
      readonly rows: readonly DispatchRow[];
      /** Lines of `file` that are not used. */
      readonly problems: readonly LineProblem[];
    }
  /** `errors` contain JSON paths of the file. */
  | { readonly ok: false; readonly file: string; readonly errors: readonly SpecError[] };

export const rowsFileOf = (root: string): string => path.resolve(root, ...LINES_PATH);

const oldFileOf = (root: string): string => path.resolve(root, ...ROWS_PATH);

/** Reads the dispatch rows of a folder. Missing files have no rows. */
export async function readRows(root: string): Promise<ReadRows> {
  const texts = await textsOf(root);
  return 'errors' in texts ? { ok: false, ...texts } : rowsOfTexts(texts);
}

interface ReadBoth {
  /** File with the rows: the old file as long as there is no other. */
  readonly file: string;
  readonly adopted: AdoptedRows;
}

interface Unread {
  readonly file: string;
  readonly errors: readonly SpecError[];
}

async function readBoth(root: string): Promise<ReadBoth | Unread> {
  const texts = await textsOf(root);
  return 'errors' in texts ? texts : bothOf(texts);
}

async function textsOf(root: string): Promise<Texts | Unread> {
  const [file, oldFile] = [rowsFileOf(root), oldFileOf(root)];
  const texts: (string | undefined)[] = [];
  for (const name of [file, oldFile]) {
    try {
      texts.push((await readRegular(name, MAX_ROWS_BYTES)).toString('utf8'));
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') {
        const message = `The file cannot be read: ${messageOf(error)}.`;
        return { file: name, errors: [{ path: '', message }] };
      }
      texts.push(undefined);
    }
  }
  const [lines, old] = texts;
  return { file, oldFile, lines, old };
}

interface Texts {
  readonly file: string;
  readonly oldFile: string;
  readonly lines: string | undefined;
  readonly old: string | undefined;
}

/** Parses the contents of both files; undefined for a missing file. */
export function rowsOfTexts(texts: Texts): ReadRows {
  const read = bothOf(texts);
  if ('errors' in read) return { ok: false, ...read };
  const { rows, problems } = read.adopted;
  return { ok: true, file: read.file, rows, problems };
}

function bothOf({ file, oldFile, lines, old }: Texts): ReadBoth | Unread {
  const adopted = parseAdopted({ lines, old });
  if (adopted.unread !== undefined)
    return { file, errors: [{ path: '', message: adopted.unread }] };
  if (adopted.oldErrors.length > 0) return { file: oldFile, errors: adopted.oldErrors };
  return { file: lines === undefined && old !== undefined ? oldFile : file, adopted };
}

/**
 * Returns this folder, or the nearest parent folder that has dispatch rows. Returns undefined if
 * there is no such folder.
 */
export async function findRowsRoot(folder: string): Promise<string | undefined> {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    for (const file of [rowsFileOf(at), oldFileOf(at)]) {
      if ((await fs.stat(file).catch(() => undefined)) !== undefined) return at;
    }
    if (at === path.dirname(at)) return undefined;
  }
}

export type Adopted = { readonly written: string } | { readonly failed: string };

export interface AdoptOptions {
  readonly signal?: AbortSignal;
  readonly waitMs?: number;
}

/**
 * Adopts a row, which replaces the row for the same device, target, types, layouts and shape.
 * Returns the path of the file, or the reason of a failure.
 */
export async function adoptRow(
  root: string,
  row: DispatchRow,
  options: AdoptOptions = {},
): Promise<Adopted> {
  const file = rowsFileOf(root);
  try {
    const outside = await makeFolder(root, path.dirname(file));
    if (outside !== undefined) return { failed: outside };
    const lock = `${file}.lock`;
    const refused = await takeFileLock(lock, options);
    if (refused !== undefined) return { failed: refused };
    try {
      return await add(root, row);
    } finally {
      await fs.rm(lock, { force: true });
    }
  } catch (error) {
    return { failed: explainWrite(file, error) };
  }
}

/** Appends the row. If git replaces the file meanwhile, the row is appended to the new file. */
async function add(root: string, row: DispatchRow): Promise<Adopted> {
  const read = await readBoth(root);
  if ('errors' in read) {
    const [first] = read.errors;
    const where = first === undefined || first.path === '' ? '' : `${first.path}: `;
    const why = `'${read.file}' is invalid: ${where}${first?.message ?? ''} The file was left unchanged. Fix: correct or move the file.`;
    return { failed: why };
  }
  const file = rowsFileOf(root);
  const lines = linesToAdopt(read.adopted, row);
  const full = lines.length === 0 ? undefined : whyFull(read.adopted, row, lines.length);
  if (full !== undefined) return { failed: `'${file}': ${full}` };
  if (await isMissing(file)) await writeAttributes(path.dirname(file));
  if (lines.length > 0) await appendText(file, lines);
  return { written: file };
}
