/**
 * Runs git for reading. Hooks, file system monitors, pagers and text converters of a repository are
 * not started, and no lock of the repository is taken.
 */
import { findExecutable } from './executables';
import { runProcess } from './process';
import { printable } from './text';

export interface GitOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** Called with each line of the output. */
  readonly onLine?: (line: string) => void;
}

export type GitResult =
  | { readonly ok: true; readonly code: 0 | 1; readonly text: string }
  /** `lacking`: git is not installed. */
  | { readonly ok: false; readonly why: string; readonly lacking?: true };

const SAFE = [
  ['-c', 'core.fsmonitor=false'],
  ['-c', 'core.hooksPath='],
  ['--no-pager'],
  ['--no-optional-locks'],
].flat();

const TIMEOUT_MS = 60_000;

/**
 * Runs git in a folder. Exit code 1 is a result, because several commands report "no" with it.
 * @param folder a folder inside of the work tree; git of this folder is not started
 */
export async function runGit(
  folder: string,
  args: readonly string[],
  { signal, timeoutMs = TIMEOUT_MS, onLine }: GitOptions = {},
): Promise<GitResult> {
  const git = findExecutable(['git'], { workspaceFolders: [folder] });
  if (!git.ok) return { ok: false, why: `${git.why} Fix: install git.`, lacking: true };
  const ran = await runProcess(git.path, [...SAFE, ...args], {
    cwd: folder,
    timeoutMs,
    env: { GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0' },
    ...(signal === undefined ? {} : { signal }),
    ...(onLine === undefined
      ? {}
      : {
          keepsEnd: true,
          onLine: (line, stream) => {
            if (stream === 'stdout') onLine(line);
          },
        }),
  });
  if (ran.spawnError !== undefined) return { ok: false, why: ran.spawnError };
  if (ran.aborted) return { ok: false, why: 'Reading the repository was cancelled.' };
  if (ran.timedOut) return { ok: false, why: `git did not end within ${timeoutMs / 1000} s.` };
  if (ran.truncated && onLine === undefined)
    return { ok: false, why: 'The output of git exceeds the limit of 4 MiB.' };
  if (ran.code !== 0 && ran.code !== 1) return { ok: false, why: printable(ran.stderr, 300) };
  return { ok: true, code: ran.code, text: ran.stdout };
}
