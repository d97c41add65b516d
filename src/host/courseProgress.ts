/** Progress of the course in `.gemm/course.json` below a folder. */
import { isUtf8 } from 'node:buffer';
import path from 'node:path';
import * as fs from 'node:fs/promises';
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
} from '../core/course/progress';
import { writeGenerated } from './files';
import { codeOf, messageOf } from './text';
import { readRegular } from './userFile';

export interface ReadProgress {
  readonly progress: Progress;
  /** Sentence about a file that cannot be used; absent otherwise. */
  readonly problem?: string;
}

interface Stored extends ReadProgress {
  /** Text of a damaged file. */
  readonly damaged?: string;
  /** Whether the file exists but cannot be read, so that it must not be replaced. */
  readonly isUnreadable?: true;
}

const fileOf = (root: string): string => path.join(root, PROGRESS_FOLDER, PROGRESS_FILE);

export const readProgress = async (root: string): Promise<ReadProgress> => await stored(root);

async function stored(root: string): Promise<Stored> {
  const file = fileOf(root);
  const unreadable = (why: string): Stored => ({
    progress: NO_PROGRESS,
    problem: `'${file}' cannot be read: ${why}. The course starts without progress, and does not save it. Fix: move the file, or replace it.`,
    isUnreadable: true,
  });
  let bytes: Buffer;
  try {
    bytes = await readRegular(file, MAX_PROGRESS_BYTES);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return { progress: NO_PROGRESS };
    return unreadable(messageOf(error));
  }
  // A copy of other bytes would differ from the file.
  if (!isUtf8(bytes)) return unreadable('it is not UTF-8 text');
  const text = bytes.toString('utf8');
  const decoded = decodeProgress(text);
  return decoded.ok
    ? { progress: decoded.progress }
    : {
        progress: NO_PROGRESS,
        problem: `'${file}' is damaged: ${decoded.reason} The course starts without progress. Fix: correct the file. Otherwise the next saved progress replaces it, and keeps its content in ${DAMAGED_COPIES}.`,
        damaged: text,
      };
}

/**
 * Changes the stored progress. A damaged file is first copied to a free name. Returns a sentence
 * about a problem, or undefined.
 */
export async function changeProgress(
  root: string,
  change: (progress: Progress) => Progress,
): Promise<string | undefined> {
  const { progress, problem, damaged, isUnreadable } = await stored(root);
  if (isUnreadable === true) return problem;
  const changed = change(progress);
  if (changed === progress && damaged === undefined) return undefined;
  const write = (name: string, text: string, replace: boolean) =>
    writeGenerated({ root, folder: PROGRESS_FOLDER, name, text, replace });
  let kept: string | undefined;
  if (damaged !== undefined) {
    const names = await fs.readdir(path.join(root, PROGRESS_FOLDER));
    kept = damagedCopyName(name => names.includes(name));
    const copied = await write(kept, damaged, false);
    if ('failed' in copied) return copied.failed;
  }
  const written = await write(PROGRESS_FILE, progressText(changed), true);
  if ('failed' in written) return `The progress was not saved: ${written.failed}`;
  return kept === undefined
    ? undefined
    : `${PROGRESS_FOLDER}/${PROGRESS_FILE} was damaged. Its content is kept in ${PROGRESS_FOLDER}/${kept}.`;
}
