/** Reads files of a commit, or of the work tree, without a checkout. */
import { runGit, type GitOptions, type GitResult } from './git';

export type Found<T> =
  | ({ readonly ok: true } & T)
  | { readonly ok: false; readonly why: string; readonly lacking?: true };

/** Returns the full hash of a commit, or the reason why the name is not a commit. */
export async function commitOf(
  folder: string,
  name: string,
  options: GitOptions = {},
): Promise<Found<{ readonly commit: string }>> {
  const ran = await runGit(
    folder,
    ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`],
    options,
  );
  if (!ran.ok) return ran;
  const commit = ran.text.trim();
  if (ran.code === 0 && /^[0-9a-f]{40,64}$/.test(commit)) return { ok: true, commit };
  return { ok: false, why: `"${name}" is not a commit of this repository.` };
}

/** Limits on all files of a commit together. */
const MAX_LINES = 500_000;
const MAX_CHARACTERS = 256 * 2 ** 20;

/**
 * Returns the text of all files that match, by path in the repository.
 * @param commit hash of a commit; undefined for the work tree, with files that are not ignored
 * @param globs glob patterns of git, relative to the root of the repository
 */
export async function filesOf(
  folder: string,
  commit: string | undefined,
  globs: readonly string[],
  options: GitOptions = {},
): Promise<Found<{ readonly files: ReadonlyMap<string, string> }>> {
  const files = new Map<string, string[]>();
  const prefix = commit === undefined ? 0 : commit.length + 1;
  const controller = new AbortController();
  let lines = 0;
  let characters = 0;
  const onLine = (line: string): void => {
    const [place = '', , ...text] = line.split('\0');
    if (text.length === 0 || controller.signal.aborted) return;
    const path = place.slice(prefix);
    const found = files.get(path);
    if (found === undefined) files.set(path, [text.join('\0')]);
    else found.push(text.join('\0'));
    lines++;
    characters += line.length;
    if (lines > MAX_LINES || characters > MAX_CHARACTERS) controller.abort();
  };
  const flags = ['-a', '--full-name', '-z', '-n', '--no-color', '--no-textconv', '--threads=1'];
  const from = commit ?? '--untracked';
  const paths = globs.map(glob => `:(top,glob)${glob}`);
  const { signal } = controller;
  const ran: GitResult = await runGit(folder, ['grep', ...flags, '-e', '', from, '--', ...paths], {
    ...options,
    signal: options.signal === undefined ? signal : AbortSignal.any([signal, options.signal]),
    onLine,
  });
  if (controller.signal.aborted) {
    const why = `The files of the commit exceed ${MAX_LINES} lines or ${MAX_CHARACTERS / 2 ** 20} MiB.`;
    return { ok: false, why };
  }
  if (!ran.ok) return ran;
  return { ok: true, files: new Map([...files].map(([path, text]) => [path, text.join('\n')])) };
}
