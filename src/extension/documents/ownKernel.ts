/** The edited or hand-written kernel at the cursor. */
import type * as vscode from 'vscode';
import { hashText } from '../../core/text/hash';
import type { KernelFile } from '../../core/source/kernelFile';
import { deviceNamed, type Runnable } from '../../core/kernel/kernel';
import type { ToWebview } from '../../protocol';
import { isKernel, kernelOf, kernelTextOf, nameOf } from './kernelDocument';
import { settings } from '../shared/settings';

export type OwnKernel = NonNullable<Extract<ToWebview, { type: 'show' }>['own']>;

export interface FollowedKernel {
  readonly document: vscode.Uri;
  readonly runnable: Runnable;
  readonly device: string;
  readonly own: OwnKernel;
}

/**
 * Returns the last kernel that starts at or above a zero-based line, or else the first kernel.
 * Returns undefined if that kernel is an unchanged generated kernel or cannot run.
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

/**
 * Returns the kernel of a parsed file; undefined if it is an unchanged generated kernel or cannot
 * run.
 */
export function followedEntry(
  document: vscode.TextDocument,
  file: KernelFile,
): FollowedKernel | undefined {
  if (!file.ok || file.origin === 'generated') return undefined;
  const { runnable, origin } = file;
  const { entry, problem, source, specKey, block, dynamicSharedBytes } = runnable;
  const device = deviceNamed(runnable) ?? settings.device();
  const own: OwnKernel = {
    name: nameOf(document),
    entry,
    origin,
    sourceHash: hashText(source),
    specKey,
    threads: block.x * block.y * block.z,
    dynamicSharedBytes,
    spec: { problem: { ...problem }, device },
  };
  return { document: document.uri, runnable, device, own };
}
