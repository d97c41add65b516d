/** The kernel under the cursor where no spec gives its text: edited, or written by hand. */
import type * as vscode from 'vscode';
import { hashText } from '../core/emit/hash';
import type { ToWebview } from '../protocol';
import { isKernel, kernelOf, kernelTextOf, nameOf } from './kernelDocument';
import { settings } from './settings';

export type OwnKernel = NonNullable<Extract<ToWebview, { type: 'show' }>['own']>;

/** Undefined for a kernel as generated, and for what is no kernel that could run. `line` from 0. */
export function ownKernelAt(document: vscode.TextDocument, line: number): OwnKernel | undefined {
  if (!isKernel(document)) return undefined;
  const { kernels } = kernelTextOf(document);
  const above = kernels.findLast(site => site.line <= line) ?? kernels[0];
  const file = kernelOf(document, above?.entry);
  if (!file.ok || file.origin === 'generated') return undefined;
  const { entry, problem, source, spec, specKey } = file.runnable;
  return {
    ...{ name: nameOf(document), entry, origin: file.origin },
    ...{ sourceHash: hashText(source), specKey },
    spec: { problem: { ...problem }, device: spec?.device ?? settings.device() },
  };
}
