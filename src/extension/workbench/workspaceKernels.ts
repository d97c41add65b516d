/** Files of the workspace that hold kernels or specs: a bounded search, without what packages bring. */
import * as vscode from 'vscode';
import { KERNEL_GLOB, SPEC_ENDING } from '../ids';

/** Files that are listed; a workspace may hold thousands. */
export const MOST_LISTED = 1000;

export const SPEC_GLOB = `**/*${SPEC_ENDING}`;
const EXCLUDED = '**/{node_modules,.git,out,dist,build}/**';

/** Specs first, then kernel files, each by path. */
export async function kernelUris(most: number): Promise<readonly vscode.Uri[]> {
  const [specs, kernels] = await Promise.all(
    [SPEC_GLOB, KERNEL_GLOB].map(glob => vscode.workspace.findFiles(glob, EXCLUDED, most)),
  );
  const byPath = (uris: readonly vscode.Uri[] = []): readonly vscode.Uri[] =>
    uris.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  return [...byPath(specs), ...byPath(kernels)].slice(0, most);
}
