/**
 * Writes generated files atomically inside a folder. Files that a user edited are replaced only
 * after confirmation.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import path from 'node:path';
import { isFileName, noFileName } from '../core/kernel/file/fileName';
import { ownsFile } from '../core/source/kernelFile';
import { contains } from './executables';
import { codeOf, messageOf } from './text';
import { readRegular } from './userFile';
import { reservedFolder } from '../core/kernel/file/fileName';

export interface GeneratedFile {
  /** Folder that must contain the file, such as the workspace. */
  readonly root: string;
  /** Subfolder of `root`; default: `root` itself. */
  readonly folder?: string;
  readonly name: string;
  readonly text: string;
  /** Whether to replace a file that was edited or not generated, as the user has confirmed. */
  readonly replace?: boolean;
}

export type NotWritten =
  /** The file was edited or was not generated, so it was left unchanged. */
  | { readonly kept: 'edited' | 'foreign'; readonly path: string }
  /** `failed` contains the reason and the remedy. */
  | { readonly failed: string; readonly path: string };

export type WriteResult = { readonly written: string } | NotWritten;

export async function writeGenerated(file: GeneratedFile): Promise<WriteResult> {
  const result = await writeAllGenerated([file]);
  return 'written' in result ? { written: result.written[0] ?? '' } : result;
}

/**
 * Writes all files, or restores the previous files after an error. All temporary files are complete
 * on disk before the first file is replaced.
 */
export async function writeAllGenerated(
  files: readonly GeneratedFile[],
): Promise<{ readonly written: readonly string[] } | NotWritten> {
  const wanted: Wanted[] = [];
  for (const file of files) {
    const looked = await inspectTarget(file);
    if ('path' in looked) return looked;
    wanted.push(looked);
  }
  const drafts: Draft[] = [];
  const placed: Draft[] = [];
  let at = '';
  try {
    for (const { target, text, old } of wanted) {
      at = target;
      if (old !== text) drafts.push({ target, old, draft: await writeDraft(target, text) });
    }
    for (const one of drafts) {
      at = one.target;
      await renameOver(one.draft, one.target);
      placed.push(one);
    }
    return { written: wanted.map(({ target }) => target) };
  } catch (error) {
    const undone = await Promise.allSettled([
      ...drafts.map(({ draft }) => fs.rm(draft, { force: true })),
      ...placed.map(rollback),
    ]);
    const left = undone.some(({ status }) => status === 'rejected')
      ? ' Some files were not restored.'
      : '';
    return { failed: explainWrite(at, error) + left, path: at };
  }
}

interface Wanted {
  readonly target: string;
  readonly text: string;
  /** Previous contents of the file; undefined if it does not exist. */
  readonly old: string | undefined;
}

interface Draft extends Omit<Wanted, 'text'> {
  readonly draft: string;
}

const rollback = ({ target, old }: Draft): Promise<void> =>
  old === undefined ? fs.rm(target, { force: true }) : replaceFile(target, old);

async function inspectTarget(file: GeneratedFile): Promise<Wanted | NotWritten> {
  const target = path.resolve(file.root, file.folder ?? '', file.name);
  const failed = (why: string): NotWritten => ({ failed: why, path: target });
  if (!isFileName(file.name)) return failed(noFileName(file.name));
  try {
    const outside = await makeFolder(file.root, path.dirname(target));
    if (outside !== undefined) return failed(outside);
    const old = await readOld(target);
    if (typeof old === 'object') return failed(old.why);
    const isOurs = old === undefined || old === file.text || file.replace === true;
    const state = isOurs ? 'generated' : ownsFile(old);
    return state === 'generated' ? { target, text: file.text, old } : { kept: state, path: target };
  } catch (error) {
    return failed(explainWrite(target, error));
  }
}

/**
 * Creates a folder below the root. Returns undefined on success. Returns a message if the folder
 * is outside the root because of `..` or links, or inside .git or .vscode.
 */
export async function makeFolder(root: string, folder: string): Promise<string | undefined> {
  const outside = `'${folder}' is outside '${root}'. Fix: choose a folder inside it.`;
  if (!contains(path.resolve(root), folder)) return outside;
  const reserved = reservedFolder(path.relative(path.resolve(root), folder));
  if (reserved !== undefined)
    return `'${folder}' is inside ${reserved}, which git and VS Code use. Fix: choose a different folder.`;
  await makeMissing(path.resolve(root));
  const realRoot = await fs.realpath(root);
  let existing = folder;
  while (!(await exists(existing))) existing = path.dirname(existing);
  if (!contains(realRoot, await fs.realpath(existing))) return outside;
  await makeMissing(folder);
  // Checks again, because another process may have created a link in the meantime.
  return contains(realRoot, await fs.realpath(folder)) ? undefined : outside;
}

const MAX_MISSING = 100;

/** Creates missing folders one at a time, because Node's recursive mkdir hangs in /proc. */
export async function makeMissing(folder: string): Promise<void> {
  const missing: string[] = [];
  for (let at = folder; !(await exists(at)); at = path.dirname(at)) {
    missing.push(at);
    if (missing.length > MAX_MISSING || at === path.dirname(at)) {
      throw new Error(`too many parent folders are missing, up to '${at}'`);
    }
  }
  for (const at of missing.reverse()) {
    try {
      await fs.mkdir(at);
    } catch (error) {
      // Another process may have created the folder in the meantime.
      const there = codeOf(error) === 'EEXIST' ? await fs.stat(at) : undefined;
      if (there?.isDirectory() !== true) throw error;
    }
  }
}

const exists = (file: string): Promise<boolean> =>
  fs.lstat(file).then(
    () => true,
    () => false,
  );

type Old = string | undefined | { readonly why: string };

/** Maximum size of an existing file in bytes; generated files are smaller. */
const MAX_OLD_BYTES = 64_000_000;

/**
 * Returns the contents of an existing file, undefined if it does not exist, or the reason why it
 * cannot be replaced.
 */
async function readOld(target: string): Promise<Old> {
  const stat = await fs.lstat(target).catch(() => undefined);
  if (stat === undefined) return undefined;
  if (stat.isSymbolicLink()) {
    return {
      why: `'${target}' is a symbolic link, and links are not followed. Fix: remove it first.`,
    };
  }
  if (!stat.isFile()) return { why: `'${target}' is not a file. Fix: remove it first.` };
  return (await readRegular(target, MAX_OLD_BYTES)).toString('utf8');
}

/**
 * Replaces a file atomically. Readers get either the old or the new contents, even after a crash.
 */
export async function replaceFile(target: string, text: string | Uint8Array): Promise<void> {
  const draft = await writeDraft(target, text);
  try {
    await renameOver(draft, target);
  } catch (error) {
    await fs.rm(draft, { force: true });
    throw error;
  }
}

/** Writes a temporary file next to the target and returns its path. Removes it after an error. */
async function writeDraft(target: string, text: string | Uint8Array): Promise<string> {
  const draft = path.join(
    path.dirname(target),
    `.${path.basename(target)}.${randomBytes(6).toString('hex')}.tmp`,
  );
  const { O_WRONLY, O_CREAT, O_EXCL } = constants;
  try {
    const handle = await fs.open(draft, O_WRONLY | O_CREAT | O_EXCL | noFollow, 0o666);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return draft;
  } catch (error) {
    await fs.rm(draft, { force: true });
    throw error;
  }
}

/**
 * Renames a file. Retries on Windows, where the rename fails while a virus scanner or an indexer
 * has the file open.
 */
async function renameOver(draft: string, target: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await fs.rename(draft, target);
      return;
    } catch (error) {
      const busy =
        process.platform === 'win32' && ['EPERM', 'EBUSY', 'EACCES'].includes(codeOf(error));
      if (!busy || attempt === 5) throw error;
      await new Promise(resolve => setTimeout(resolve, 50 * attempt));
    }
  }
}

/** Flag that rejects symbolic links when a file is opened; Windows does not support it. */
export const noFollow = process.platform === 'win32' ? 0 : constants.O_NOFOLLOW;

export function explainWrite(file: string, error: unknown): string {
  const what = `'${file}' could not be written: `;
  switch (codeOf(error)) {
    case 'EROFS':
      return `${what}the file system is read-only. Fix: choose a different folder.`;
    case 'EACCES':
    case 'EPERM':
      return `${what}permission denied. Fix: change the folder's permissions or choose a different folder.`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `${what}the disk is full. Fix: free some space and try again.`;
    case 'EFBIG':
      return `${what}it would exceed the file size limit. Fix: raise that limit (ulimit -f).`;
    case 'ENOTDIR':
    // The error also occurs if a file exists where a folder is required.
    case 'EEXIST':
      return `${what}its path contains a file instead of a folder. Fix: choose a different folder.`;
    case 'ENOENT':
      return `${what}a folder in its path does not exist and cannot be created. Fix: choose a different folder.`;
    case 'ENAMETOOLONG':
      return `${what}its path is too long. Fix: choose a folder closer to the root.`;
    case 'ELOOP':
      return `${what}it is a symbolic link, and links are not followed. Fix: remove it first.`;
    default:
      return `${what}${messageOf(error)}.`;
  }
}
