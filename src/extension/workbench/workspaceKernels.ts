/**
 * Bounded search for kernel and spec files of the workspace; it skips package, build and .git
 * folders.
 */
import * as vscode from 'vscode';
import { KERNEL_GLOB, SPEC_ENDING } from '../ids';

/** Maximum number of listed files; a workspace may contain thousands. */
export const MAX_LISTED = 1000;

export const SPEC_GLOB = `**/*${SPEC_ENDING}`;
/** Loop nests of the course. */
export const LOOPS_GLOB = '**/*.loops';
const EXCLUDED = '**/{node_modules,.git,out,dist,build}/**';

/** Returns at most `most` files: specs, then kernel files, each group sorted by path. */
export async function kernelUris(most: number): Promise<readonly vscode.Uri[]> {
  const [specs, kernels] = await Promise.all(
    [SPEC_GLOB, KERNEL_GLOB].map(glob => vscode.workspace.findFiles(glob, EXCLUDED, most)),
  );
  const byPath = (uris: readonly vscode.Uri[] = []): readonly vscode.Uri[] =>
    uris.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  return [...byPath(specs), ...byPath(kernels)].slice(0, most);
}

/** Returns at most `most` loop-nest files, sorted by path. */
export async function loopUris(most: number): Promise<readonly vscode.Uri[]> {
  const uris = await vscode.workspace.findFiles(LOOPS_GLOB, EXCLUDED, most);
  return uris.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}
