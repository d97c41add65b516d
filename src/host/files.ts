/** Writes generated files: inside one folder, in one step, and never over somebody's own work. */
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
  /** Folder that everything stays in, such as the workspace. */
  readonly root: string;
  /** Folder below it; default the root itself. */
  readonly folder?: string;
  readonly name: string;
  readonly text: string;
  /** The user was asked: replaces an edited or foreign file. */
  readonly replace?: boolean;
}

/** Nothing was written. */
export type NotWritten =
  /** The file was changed by its owner, or was never ours: it is as it was. */
  | { readonly kept: 'edited' | 'foreign'; readonly path: string }
  /** `failed` says why, and what to do. */
  | { readonly failed: string; readonly path: string };

export type WriteResult = { readonly written: string } | NotWritten;

export async function writeGenerated(file: GeneratedFile): Promise<WriteResult> {
  const result = await writeAllGenerated([file]);
  return 'written' in result ? { written: result.written[0] ?? '' } : result;
}

/** Writes all of them or none: each is complete on the disk before the first one takes its place. */
export async function writeAllGenerated(
  files: readonly GeneratedFile[],
): Promise<{ readonly written: readonly string[] } | NotWritten> {
  const wanted: Wanted[] = [];
  for (const file of files) {
    const looked = await look(file);
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
      ...placed.map(takeBack),
    ]);
    const left = undone.some(({ status }) => status === 'rejected') ? ' Some files are left.' : '';
    return { failed: explainWrite(at, error) + left, path: at };
  }
}

interface Wanted {
  readonly target: string;
  readonly text: string;
  /** The text that is there; undefined where there is none. */
  readonly old: string | undefined;
}

interface Draft extends Omit<Wanted, 'text'> {
  /** The file that holds the text until it takes its place. */
  readonly draft: string;
}

const takeBack = ({ target, old }: Draft): Promise<void> =>
  old === undefined ? fs.rm(target, { force: true }) : replaceFile(target, old);

/** What is there, and whether it may be replaced. */
async function look(file: GeneratedFile): Promise<Wanted | NotWritten> {
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

/** Makes a folder below the root; returns why not when `..` or links lead out of it, or into .git or .vscode. */
export async function makeFolder(root: string, folder: string): Promise<string | undefined> {
  const outside = `'${folder}' is outside of '${root}': choose a folder inside it.`;
  if (!contains(path.resolve(root), folder)) return outside;
  const reserved = reservedFolder(path.relative(path.resolve(root), folder));
  if (reserved !== undefined)
    return `'${folder}' is inside ${reserved}, which git and VS Code read: choose another folder.`;
  await makeMissing(path.resolve(root));
  const realRoot = await fs.realpath(root);
  let existing = folder;
  while (!(await exists(existing))) existing = path.dirname(existing);
  if (!contains(realRoot, await fs.realpath(existing))) return outside;
  await makeMissing(folder);
  // A link may have been put there meanwhile.
  return contains(realRoot, await fs.realpath(folder)) ? undefined : outside;
}

/** Folders that a path may lack. */
const MOST_MISSING = 100;

/** Makes what a path lacks, one folder at a time: Node's recursive mkdir never comes back from /proc. */
export async function makeMissing(folder: string): Promise<void> {
  const missing: string[] = [];
  for (let at = folder; !(await exists(at)); at = path.dirname(at)) {
    missing.push(at);
    if (missing.length > MOST_MISSING || at === path.dirname(at)) {
      throw new Error(`it is in too many folders that do not exist, up to '${at}'`);
    }
  }
  for (const at of missing.reverse()) {
    try {
      await fs.mkdir(at);
    } catch (error) {
      // Another process may have been first.
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

/** No file of ours is as large. */
const MAX_OLD_BYTES = 64_000_000;

/** The text that is there; undefined when there is none. */
async function readOld(target: string): Promise<Old> {
  const stat = await fs.lstat(target).catch(() => undefined);
  if (stat === undefined) return undefined;
  if (stat.isSymbolicLink()) {
    return {
      why: `'${target}' is a symbolic link; those are not written through. Remove it first.`,
    };
  }
  if (!stat.isFile()) return { why: `'${target}' is not a file. Remove it first.` };
  return (await readRegular(target, MAX_OLD_BYTES)).toString('utf8');
}

/** A reader sees the old text or the new one, also after a crash. */
export async function replaceFile(target: string, text: string | Uint8Array): Promise<void> {
  const draft = await writeDraft(target, text);
  try {
    await renameOver(draft, target);
  } catch (error) {
    await fs.rm(draft, { force: true });
    throw error;
  }
}

/** Writes a file beside the target and returns its path; nothing is left where that fails. */
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

/** Windows refuses while a virus scanner or an indexer has the file open. */
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

/** Windows has no such flag. */
export const noFollow = process.platform === 'win32' ? 0 : constants.O_NOFOLLOW;

/** Why a file could not be written, and what to do. */
export function explainWrite(file: string, error: unknown): string {
  const what = `'${file}' could not be written: `;
  switch (codeOf(error)) {
    case 'EROFS':
      return `${what}the file system is read-only. Choose another folder.`;
    case 'EACCES':
    case 'EPERM':
      return `${what}you have no right to write there. Change the folder's permissions or choose another one.`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `${what}the disk is full. Free some space and try again.`;
    case 'EFBIG':
      return `${what}it would exceed the largest file that is allowed here. Raise that limit (ulimit -f).`;
    case 'ENOTDIR':
    // A folder was to be made where a file is.
    case 'EEXIST':
      return `${what}a part of its path is a file. Choose another folder.`;
    case 'ENOENT':
      return `${what}a folder of its path does not exist and cannot be made. Choose another folder.`;
    case 'ENAMETOOLONG':
      return `${what}its path is too long. Choose a folder nearer to the root.`;
    case 'ELOOP':
      return `${what}it is a symbolic link; those are not written through. Remove it first.`;
    default:
      return `${what}${messageOf(error)}.`;
  }
}
