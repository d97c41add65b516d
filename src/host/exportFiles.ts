/**
 * Writes the files of an export into a folder. Files that a user edited are only replaced after
 * confirmation; the manifest of the earlier export has the hashes of unedited files.
 */
import * as fs from 'node:fs/promises';
import path from 'node:path';
import { hashesIn, isUnedited, MANIFEST_NAME } from '../core/export/manifest';
import type { ExportFile } from '../core/export/subject';
import { writeAllGenerated, type NotWritten } from './files';
import { readRegular } from './userFile';

const MAX_BYTES = 8_000_000;

export interface ExportOptions {
  readonly root: string;
  /** Whether to replace edited files and files that are not part of an earlier export. */
  readonly replace: boolean;
}

export type ExportWritten =
  { readonly written: readonly string[]; readonly stale: readonly string[] } | NotWritten;

/**
 * Writes all files or none. `stale` lists files of an earlier export that are not part of this one;
 * they are left unchanged.
 */
export async function writeExport(
  files: readonly ExportFile[],
  { root, replace }: ExportOptions,
): Promise<ExportWritten> {
  const hashes = hashesIn(await textOf(path.join(root, MANIFEST_NAME)));
  const result = await writeAllGenerated(
    await Promise.all(
      files.map(async file => {
        const folder = path.posix.dirname(file.path);
        const existing = await textOf(path.join(root, file.path));
        const isOurs =
          existing !== undefined &&
          (isUnedited(file, existing, hashes) || (file.path === MANIFEST_NAME && hashes.size > 0));
        return {
          root,
          ...(folder === '.' ? {} : { folder }),
          name: path.posix.basename(file.path),
          text: file.text,
          replace: replace || isOurs,
        };
      }),
    ),
  );
  if ('kept' in result) {
    const name = path.relative(root, result.path).split(path.sep).join('/');
    return { ...result, kept: hashes.has(name) ? 'edited' : result.kept };
  }
  if ('failed' in result) return result;
  const now = new Set(files.map(file => file.path));
  const old = [...hashes.keys()].filter(name => !now.has(name) && !path.isAbsolute(name));
  const stale: string[] = [];
  for (const name of old) {
    if ((await fs.lstat(path.resolve(root, name)).catch(() => undefined)) !== undefined)
      stale.push(name);
  }
  return { written: result.written, stale };
}

/** Returns the text of a regular file; undefined if it is missing or not readable. */
const textOf = (file: string): Promise<string | undefined> =>
  readRegular(file, MAX_BYTES).then(
    bytes => bytes.toString('utf8'),
    () => undefined,
  );
