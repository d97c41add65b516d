/** The kernel under the cursor if no spec generates its text: edited or hand-written. */
import type * as vscode from 'vscode';
import { hashText } from '../../core/text/hash';
import type { KernelFile } from '../../core/source/kernelFile';
import { deviceNamed, type Runnable } from '../../core/kernel/kernel';
import type { ToWebview } from '../../protocol';
import { isKernel, kernelOf, kernelTextOf, nameOf } from './kernelDocument';
import { settings } from '../shared/settings';

/** Part of the kernel that the page receives. */
export type OwnKernel = NonNullable<Extract<ToWebview, { type: 'show' }>['own']>;

export interface FollowedKernel {
  readonly document: vscode.Uri;
  readonly runnable: Runnable;
  readonly device: string;
  readonly own: OwnKernel;
}

/**
 * Returns undefined for a kernel as generated, and for code that cannot run. `line` is zero-based.
 */
export function followedAt(
  document: vscode.TextDocument,
  line: number,
): FollowedKernel | undefined {
  if (!isKernel(document)) return undefined;
  const { kernels } = kernelTextOf(document);
  const above = kernels.findLast(site => site.line <= line) ?? kernels[0];
  return followedEntry(document, kernelOf(document, above?.entry));
}

/** Returns the followed kernel of a file that was already parsed. */
export function followedEntry(
  document: vscode.TextDocument,
  file: KernelFile,
): FollowedKernel | undefined {
  if (!file.ok || file.origin === 'generated') return undefined;
  const { runnable, origin } = file;
  const { entry, problem, source, specKey } = runnable;
  const device = deviceNamed(runnable) ?? settings.device();
  const own: OwnKernel = {
    name: nameOf(document),
    entry,
    origin,
    sourceHash: hashText(source),
    specKey,
    spec: { problem: { ...problem }, device },
  };
  return { document: document.uri, runnable, device, own };
}
