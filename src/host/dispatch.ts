/**
 * Reads and updates the dispatch rows of a workspace, `.gemm/dispatch.json`. A writer holds a lock
 * file next to the file and replaces the file atomically. If the file has changed since it was
 * read, it is read again. An invalid file is left unchanged.
 */
import * as fs from 'node:fs/promises';
import path from 'node:path';
import {
  MAX_ROWS_BYTES,
  parseRows,
  ROWS_PATH,
  rowsText,
  MAX_ROWS,
  withRow,
  type DispatchRow,
} from '../core/defaults/dispatch/row';
import type { SpecError } from '../core/spec/decode';
import { takeFileLock } from './fileLock';
import { explainWrite, makeFolder, replaceFile } from './files';
import { codeOf, messageOf } from './text';
import { readRegular } from './userFile';

export type ReadRows =
  | { readonly ok: true; readonly file: string; readonly rows: readonly DispatchRow[] }
  /** `errors` contain JSON paths of the file. */
  | { readonly ok: false; readonly file: string; readonly errors: readonly SpecError[] };

export const rowsFileOf = (root: string): string => path.resolve(root, ...ROWS_PATH);

/** Reads the dispatch rows. A missing file has no rows. */
export async function readRows(file: string): Promise<ReadRows> {
  const unread = (message: string): ReadRows => {
    return { ok: false, file, errors: [{ path: '', message }] };
  };
  try {
    const text = await readRegular(file, MAX_ROWS_BYTES);
    return { file, ...parseRows(text.toString('utf8')) };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { ok: true, file, rows: [] };
    return unread(`The file cannot be read: ${messageOf(error)}.`);
  }
}

/**
 * Returns the path of the dispatch rows in this folder, or in the nearest parent folder that has
 * them. Returns undefined if there is no such file.
 */
export async function findRowsFile(folder: string): Promise<string | undefined> {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    const file = rowsFileOf(at);
    const found = await fs.stat(file).catch(() => undefined);
    if (found !== undefined) return file;
    if (at === path.dirname(at)) return undefined;
  }
}

export type Adopted = { readonly written: string } | { readonly failed: string };

export interface AdoptOptions {
  readonly signal?: AbortSignal;
  readonly waitMs?: number;
}

/**
 * Adds a row, and removes rows for the same device, target, types, layouts and shape. Returns the
 * path of the file, or the reason of a failure.
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
      return await add(file, row);
    } finally {
      await fs.rm(lock, { force: true });
    }
  } catch (error) {
    return { failed: explainWrite(file, error) };
  }
}

const MAX_ATTEMPTS = 20;

async function add(file: string, row: DispatchRow): Promise<Adopted> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const before = await stateOf(file);
    const read = await readRows(file);
    if (!read.ok) {
      const [first] = read.errors;
      const where = first === undefined || first.path === '' ? '' : `${first.path}: `;
      const why = `'${file}' is invalid: ${where}${first?.message ?? ''} The file was left unchanged. Fix: correct or move the file.`;
      return { failed: why };
    }
    const rows = withRow(read.rows, row);
    if (rows.length > MAX_ROWS) {
      const why = `'${file}' has ${read.rows.length} rows, which is the maximum. Fix: remove some rows, then adopt again.`;
      return { failed: why };
    }
    const text = rowsText(rows);
    if ((await stateOf(file)) !== before) continue;
    await replaceFile(file, text);
    return { written: file };
  }
  return { failed: `Another process changes '${file}' repeatedly. Fix: try again.` };
}

/** Returns a value that changes when the file is replaced or modified. */
async function stateOf(file: string): Promise<string> {
  const found = await fs.stat(file, { bigint: true }).catch(() => undefined);
  return found === undefined ? '' : [found.ino, found.size, found.mtimeNs].join(' ');
}
