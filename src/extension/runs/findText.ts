/**
 * Search for a workspace file with the kernel source of a run, for edited and hand-written kernels.
 */
import * as vscode from 'vscode';
import { parseKernelText, readKernel } from '../../core/source/kernelFile';
import type { Runnable } from '../../core/kernel/kernel';
import { sourceHashOf } from '../../core/text/hash';
import type { Measurement } from '../../core/measure/measurement';
import { KERNEL_GLOB } from '../ids';
import { isKernel, kernelTextOf } from '../documents/kernelDocument';
import type { KernelText } from '../../core/source/kernelFile';

/** Maximum number of files, and maximum number of bytes per file. */
const MAX_FILES = 2000;
const MAX_BYTES = 2_000_000;

export interface FoundText {
  readonly uri: vscode.Uri;
  readonly runnable: Runnable;
}

export async function findText(run: Measurement): Promise<FoundText | undefined> {
  for (const document of vscode.workspace.textDocuments.filter(isKernel)) {
    const found = match(run, kernelTextOf(document), document.uri);
    if (found !== undefined) return found;
  }
  const uris = await vscode.workspace.findFiles(KERNEL_GLOB, '**/node_modules/**', MAX_FILES);
  const likely = (uri: vscode.Uri): number => (uri.path.includes(run.specKey) ? 0 : 1);
  for (const uri of uris.toSorted((one, other) => likely(one) - likely(other))) {
    const text = await textOf(uri);
    const name = uri.path.split('/').pop() ?? uri.path;
    const found = text === undefined ? undefined : match(run, parseKernelText(text, name), uri);
    if (found !== undefined) return found;
  }
  return undefined;
}

function match(run: Measurement, file: KernelText, uri: vscode.Uri): FoundText | undefined {
  if (run.sourceHash === undefined || sourceHashOf({ source: file.text }) !== run.sourceHash) {
    return undefined;
  }
  const read = [undefined, ...file.kernels.map(({ entry }) => entry)].map(entry =>
    readKernel(file, entry),
  );
  const own = read.find(kernel => kernel.ok && kernel.runnable.specKey === run.specKey);
  return own?.ok === true ? { uri, runnable: own.runnable } : undefined;
}

async function textOf(uri: vscode.Uri): Promise<string | undefined> {
  try {
    const { size } = await vscode.workspace.fs.stat(uri);
    if (size > MAX_BYTES) return undefined;
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  } catch {
    return undefined;
  }
}
