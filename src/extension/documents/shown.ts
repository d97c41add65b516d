/** Content of the explorer and its origin: a spec file, the spec of a kernel, or a new spec. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { hashText } from '../../core/text/hash';
import { decodeSpec } from '../../core/spec/decode';
import { resolve } from '../../core/defaults/resolve';
import { shortName } from '../../core/plan/shortName';
import type { GemmSpec, Target } from '../../core/spec/schema';
import { withAdopted } from './adoptedRows';
import { isKernel, isSpec, kernelOf, nameOf, specOf } from './kernelDocument';
import { settings } from '../shared/settings';
import { forEveryTarget } from './specRuns';

export interface Shown {
  readonly spec: GemmSpec;
  readonly name: string;
  /** Language of the kernel file that contains the spec. */
  readonly target?: Target;
  readonly document?: vscode.Uri;
  /** Spec file that explorer edits are written to. */
  readonly specFile?: vscode.Uri;
  /**
   * Spec as written in the document. If it names no schedule, the schedule that the workspace
   * adopted is added.
   */
  readonly written?: GemmSpec;
}

export type FromDocument =
  { readonly ok: true; readonly shown: Shown } | { readonly ok: false; readonly reason: string };

export function shownOf(document: vscode.TextDocument): FromDocument {
  const name = nameOf(document);
  if (isSpec(document)) {
    const decoded = specOf(document);
    if (decoded.ok) {
      const spec = withAdopted(decoded.spec, document.uri);
      const source = { document: document.uri, specFile: document.uri, written: spec };
      return { ok: true, shown: { spec, name, ...source } };
    }
    const [error] = decoded.errors;
    const where = error === undefined || error.path === '' ? '' : `${error.path}: `;
    return { ok: false, reason: `${name}: ${where}${error?.message ?? t('not a spec')}` };
  }
  if (!isKernel(document))
    return {
      ok: false,
      reason: t(
        'Not a kernel or a spec: {0}. Fix: open a .cu, .cuh, .wgsl or *.gemm.json file.',
        name,
      ),
    };
  const file = kernelOf(document);
  if (!file.ok) return { ok: false, reason: file.reason };
  if (file.runnable.spec === undefined) {
    const reason = t('Hand-written kernels have no tile parameters to explore: {0}', name);
    return { ok: false, reason };
  }
  const { spec, target } = file.runnable;
  const written = forEveryTarget(spec);
  return { ok: true, shown: { spec: written, name, document: document.uri, target, written } };
}

/** Creates a starting spec with every tile parameter explicit. */
const freshSpec = (problem: GemmSpec['problem']): GemmSpec =>
  forEveryTarget(resolve(withAdopted({ problem, device: settings.device() })));

export const freshShown = (): Shown => ({
  spec: freshSpec({ m: 1024, n: 1024, k: 1024 }),
  name: 'new GEMM',
});

export const fromSpec = (spec: GemmSpec): Shown => ({ spec, name: shortName(resolve(spec)) });

/**
 * Returns the content of the spec file with this name and URI hash; undefined if there is no such
 * file or it is invalid. Pages store a hash instead of a path.
 */
export async function findShown(name: string, hash: unknown): Promise<Shown | undefined> {
  if (!/^[\w.-]+\.gemm\.json$/.test(name)) return undefined;
  for (const uri of await vscode.workspace.findFiles(`**/${name}`, '**/node_modules/**', 100)) {
    if (hashText(uri.toString()) !== hash) continue;
    const read = shownOf(await vscode.workspace.openTextDocument(uri));
    return read.ok ? read.shown : undefined;
  }
  return undefined;
}

/**
 * Decodes the state that a page saved before VS Code closed; returns undefined if it is invalid.
 * `document` is the URI hash of the document.
 */
export function savedShown(
  state: unknown,
): { readonly shown: Shown; readonly document: unknown } | undefined {
  if (!isRecord(state)) return undefined;
  const decoded = decodeSpec(state['spec']);
  if (!decoded.ok) return undefined;
  const name = typeof state['name'] === 'string' ? state['name'].slice(0, 200) : '';
  return { shown: { spec: decoded.spec, name }, document: state['document'] };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
