/** CUDA source for a listing: a kernel document, or the kernel that a spec generates. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { emit } from '../../core/kernel/emit';
import { deviceNamed, type Runnable } from '../../core/kernel/kernel';
import { kernelSites } from '../../core/source/kernelSites';
import { shortName } from '../../core/plan/shortName';
import { planSpec } from '../../core/defaults/check';
import type { GemmSpec } from '../../core/spec/schema';
import { isKernel, isSpec, kernelOf, nameOf, specOf } from '../documents/kernelDocument';
import { settings } from '../shared/settings';
import type { Shown } from '../documents/shown';

export interface Subject {
  readonly source: string;
  readonly name: string;
  readonly device: string;
  readonly runnable?: Runnable;
  readonly uri?: vscode.Uri;
}

export type Found =
  { readonly ok: true; readonly subject: Subject } | { readonly ok: false; readonly why: string };

export async function subjectOf(
  uri: vscode.Uri | undefined,
  shown: Shown | undefined,
): Promise<Found> {
  if (uri !== undefined) return ofDocument(await vscode.workspace.openTextDocument(uri));
  if (shown !== undefined) return ofSpec(shown.spec, shown.name);
  const why = t('Open a CUDA kernel (.cu), a *.gemm.json file or the explorer first.');
  return { ok: false, why };
}

function ofDocument(document: vscode.TextDocument): Found {
  const name = nameOf(document);
  if (isSpec(document)) {
    const decoded = specOf(document);
    if (decoded.ok) return ofSpec(decoded.spec, name);
    const [error] = decoded.errors;
    return { ok: false, why: `${error?.path ?? ''} ${error?.message ?? ''} (${name})`.trimStart() };
  }
  const source = document.getText();
  if (!isKernel(document) || name.toLowerCase().endsWith('.wgsl')) {
    return { ok: false, why: t('PTX requires a CUDA kernel, not {0}.', name) };
  }
  if (kernelSites(source).length === 0) {
    return { ok: false, why: t('No __global__ function in {0}.', name) };
  }
  const file = kernelOf(document);
  const device = (file.ok ? deviceNamed(file.runnable) : undefined) ?? settings.device();
  const runnable = file.ok ? { runnable: file.runnable } : {};
  return { ok: true, subject: { source, name, device, uri: document.uri, ...runnable } };
}

function ofSpec(spec: GemmSpec, name: string): Found {
  const planned = planSpec(spec, 'cuda');
  if (planned.ok) {
    const runnable = emit(planned.plan);
    const { source, spec: resolved } = runnable;
    const fileName = `${shortName(resolved)}.cu`;
    return { ok: true, subject: { source, name: fileName, device: resolved.device, runnable } };
  }
  const [first] = planned.violations;
  const why = t('Invalid for CUDA: {0} ({1})', first?.message ?? '', name);
  return { ok: false, why };
}

/**
 * Returns the URI in the argument, or else the URI of the active document if that is a kernel or
 * spec file.
 */
export function activeUri(given: vscode.Uri | undefined): vscode.Uri | undefined {
  const document = vscode.window.activeTextEditor?.document;
  if (given !== undefined || document === undefined) return given;
  return isSpec(document) || isKernel(document) ? document.uri : undefined;
}
