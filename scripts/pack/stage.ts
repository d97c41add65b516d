/** Stages the shipped extension, a folder with the minified bundles, and packs its VSIX. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectRoot } from '../install/project';

const run = (cwd: string, script: string, ...args: readonly string[]): string =>
  execFileSync(process.execPath, [join(projectRoot(), script), ...args], { cwd, encoding: 'utf8' });

const vsce = (cwd: string, ...args: readonly string[]): string =>
  run(cwd, 'node_modules/@vscode/vsce/vsce', ...args, '--no-dependencies');

const shippedFiles = (): readonly string[] =>
  vsce(projectRoot(), 'ls')
    .split('\n')
    .filter(name => name !== '');

/** Replaces `folder` with the extension as shipped. The development bundles remain unchanged. */
export function stage(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  for (const name of shippedFiles()) {
    if (name.startsWith('dist/')) continue;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    cpSync(join(projectRoot(), name), join(folder, name));
  }
  const readme = join(folder, 'README.md');
  writeFileSync(readme, withoutRelativeLinks(readFileSync(readme, 'utf8')));
  cpSync(join(projectRoot(), '.vscodeignore'), join(folder, '.vscodeignore'));
  run(projectRoot(), 'esbuild.mjs', '--ship', join(folder, 'dist'));
}

/**
 * Removes relative images and replaces relative links with their text, because their targets are
 * not shipped.
 */
export const withoutRelativeLinks = (markdown: string): string =>
  markdown
    .replace(/^!\[[^\]]*\]\((?!https:)[^)]*\)\n\n?/gm, '')
    .replace(/(?<!!)\[([^\]]+)\]\((?!https:)[^)]*\)/g, '$1');

/**
 * Packs the VSIX of a staged folder. No repository is required, because the project does not have a
 * public repository.
 */
export function pack(folder: string, vsix: string): void {
  vsce(folder, 'package', '--allow-missing-repository', '--out', vsix);
}
