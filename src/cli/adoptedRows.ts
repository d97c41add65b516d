/** Reads the dispatch rows that a workspace adopted, for a file in it. */
import { dirname, resolve as resolvePath } from 'node:path';
import type { DispatchRow } from '../core/defaults/dispatch/row';
import { findRowsRoot, readRows, type ReadRows } from '../host/dispatch';
import { invalidInput } from './result';

/** Maximum number of unused lines that are named. */
const MAX_NAMED = 10;

export interface AdoptedRows {
  readonly file: string;
  readonly rows: readonly DispatchRow[];
}

/**
 * Returns the rows of the nearest folder at or above a file, and the file that contains them.
 * Reports lines that are not used. Returns undefined if no folder has rows. Throws if the file is
 * invalid.
 */
export async function adoptedRows(
  path: string,
  note: (line: string) => void = () => undefined,
): Promise<AdoptedRows | undefined> {
  const root = await findRowsRoot(path === '-' ? process.cwd() : dirname(resolvePath(path)));
  if (root === undefined) return undefined;
  return usedRows(await readRows(root), note);
}

/** Returns the rows, and reports lines that are not used. Throws if the file is invalid. */
export function usedRows(
  read: ReadRows,
  note: (line: string) => void = () => undefined,
): AdoptedRows {
  if (!read.ok) throw invalidInput(`The dispatch rows in ${read.file} are invalid:`, read.errors);
  const { file, rows, problems } = read;
  for (const { line, message } of problems.slice(0, MAX_NAMED))
    note(`${file}:${line} is not used: ${message}`);
  if (problems.length > MAX_NAMED)
    note(`${file}: ${problems.length - MAX_NAMED} more lines are not used.`);
  return { file, rows };
}
