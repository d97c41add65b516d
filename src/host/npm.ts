/**
 * Finds npm as an executable that can run without a shell. On Windows, npm is a batch file, which
 * is never run; node runs npm's script instead.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { t } from '@vscode/l10n';
import { findExecutable, realPath, type SearchOptions } from './executables';

export type FoundNpm =
  | { readonly ok: true; readonly file: string; readonly args: readonly string[] }
  | { readonly ok: false; readonly why: string; readonly next: string };

/** Path of npm's script relative to node.exe in an installation of Node. */
const NEXT_TO_NODE = path.join('node_modules', 'npm', 'bin', 'npm-cli.js');

export function findNpm(search: SearchOptions, platform = process.platform): FoundNpm {
  const node = findExecutable(['node'], search);
  const npm = platform === 'win32' ? undefined : findExecutable(['npm'], search);
  const script =
    npm === undefined
      ? path.join(path.dirname(node.path ?? ''), NEXT_TO_NODE)
      : realPath(npm.path ?? '');
  // The script is run with this node instead of the `node` in its first line.
  if (node.ok && script.endsWith('.js') && existsSync(script)) {
    return { ok: true, file: node.path, args: [script] };
  }
  if (npm?.ok === true) return { ok: true, file: npm.path, args: [] };
  return {
    ok: false,
    why:
      platform === 'win32'
        ? t('npm was not found next to node.exe on PATH.')
        : t('npm was not found on PATH.'),
    next: t(
      'Install Node.js with npm (https://nodejs.org), restart VS Code so that it uses the new PATH, and try again.',
    ),
  };
}
