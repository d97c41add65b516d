/** Bounded search for kernel and spec files of the workspace; it skips package folders. */
import * as vscode from 'vscode';
import { KERNEL_GLOB, SPEC_ENDING } from '../ids';

/** Maximum number of listed files; a workspace may contain thousands. */
export const MAX_LISTED = 1000;

export const SPEC_GLOB = `**/*${SPEC_ENDING}`;
const EXCLUDED = '**/{node_modules,.git,out,dist,build}/**';

/** Returns specs first, then kernel files, each sorted by path. */
export async function kernelUris(most: number): Promise<readonly vscode.Uri[]> {
  const [specs, kernels] = await Promise.all(
    [SPEC_GLOB, KERNEL_GLOB].map(glob => vscode.workspace.findFiles(glob, EXCLUDED, most)),
  );
  const byPath = (uris: readonly vscode.Uri[] = []): readonly vscode.Uri[] =>
    uris.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  return [...byPath(specs), ...byPath(kernels)].slice(0, most);
}
