/**
 * Finds executables: at the absolute path in a setting, otherwise in folders and on PATH. The
 * search skips executables inside the workspace.
 */
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import path from 'node:path';

export interface SearchOptions {
  /** Path from a machine-scoped setting. If it is set, no other location is searched. */
  readonly setting?: string;
  /** Folders whose executables the search skips. */
  readonly workspaceFolders?: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  /** Time limit of a version query in milliseconds; default 10 s. */
  readonly versionTimeoutMs?: number;
}

export type Located =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly path: string | null; readonly why: string };

/**
 * Checks that a path is absolute and refers to an executable file. Returns the path, or the reason
 * why it is unusable.
 */
export function checkExecutable(file: string): Located {
  const no = (why: string): Located => ({ ok: false, path: file, why });
  if (!path.isAbsolute(file)) return no(`'${file}' is not an absolute path.`);
  try {
    if (!statSync(file).isFile()) return no(`'${file}' is not a file.`);
  } catch {
    return no(`'${file}' does not exist.`);
  }
  try {
    accessSync(file, constants.X_OK);
  } catch {
    return no(`'${file}' is not executable.`);
  }
  return { ok: true, path: file };
}

/**
 * Returns the path from the setting. Without a setting, searches for `names` in the folders
 * `before`, on PATH, and in the folders `after`. Returns the reason if no executable is found.
 */
export function findExecutable(
  names: readonly string[],
  options: SearchOptions,
  before: readonly string[] = [],
  after: readonly string[] = [],
): Located {
  const { setting, environment = process.env, workspaceFolders = [] } = options;
  if (setting !== undefined && setting !== '') return checkExecutable(setting);
  const endings = process.platform === 'win32' ? ['.exe'] : [''];
  const searched = [...before, ...pathFolders(environment), ...after].filter(folder =>
    path.isAbsolute(folder),
  );
  for (const name of names) {
    for (const folder of searched) {
      for (const ending of endings) {
        const file = path.join(folder, name + ending);
        if (checkExecutable(file).ok && !workspaceFolders.some(root => isInside(root, file))) {
          return { ok: true, path: file };
        }
      }
    }
  }
  return { ok: false, path: null, why: `No ${names.join(' or ')} on PATH.` };
}

/** Returns the folders of PATH. Windows names the variable Path and allows quoted entries. */
export function pathFolders(environment: NodeJS.ProcessEnv): readonly string[] {
  const value = environment['PATH'] ?? environment['Path'] ?? '';
  return value.split(path.delimiter).map(folder => folder.replace(/^"(.*)"$/, '$1'));
}

/**
 * Returns the path with all symbolic links resolved, or the path itself if it cannot be resolved.
 */
export function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

/** Returns whether `file` is `root` or inside it. Only compares the paths. */
export function contains(root: string, file: string): boolean {
  const relative = path.relative(root, file);
  return relative.split(path.sep)[0] !== '..' && !path.isAbsolute(relative);
}

/** Returns whether `file` is `root` or inside it, before or after symbolic links are resolved. */
function isInside(root: string, file: string): boolean {
  return [path.resolve(file), realPath(file)].some(candidate =>
    [path.resolve(root), realPath(root)].some(folder => contains(folder, candidate)),
  );
}
