/** *Show PTX*: what nvcc makes of a CUDA kernel, as a read-only document beside it. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { archOf } from '../core/device/computeCapability';
import { deviceOf, findDevice } from '../core/device/devices';
import { emit } from '../core/emit/emit';
import { hashText } from '../core/emit/hash';
import { kernelSites } from '../core/emit/kernelSites';
import { plan } from '../core/plan/planner';
import { resolve } from '../core/spec/resolve';
import type { GemmSpec } from '../core/spec/schema';
import type { Compiler } from './compileKernel';
import { COMMANDS, PTX_SCHEME } from './ids';
import { isKernel, isSpec, kernelOf, nameOf, specOf } from './kernelDocument';
import { settings } from './settings';
import type { Shown } from './shown';
import type { ToolChain } from './toolChain';
import type { Guard } from './trust';

/** Texts kept for documents that VS Code may ask for again. */
const MOST_TEXTS = 50;

export class PtxView implements vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly registration: vscode.Disposable;

  constructor() {
    this.registration = vscode.workspace.registerTextDocumentContentProvider(PTX_SCHEME, {
      onDidChange: this.changed.event,
      provideTextDocumentContent: uri =>
        this.texts.get(uri.toString()) ??
        `// ${t('This PTX is no longer kept: ask for it again from its kernel.')}\n`,
    });
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }

  /** Opens the text beside the active editor; where it is open already, it is replaced. */
  async show(uri: vscode.Uri, text: string): Promise<void> {
    const key = uri.toString();
    this.texts.delete(key);
    if (this.texts.size >= MOST_TEXTS) this.texts.delete(this.texts.keys().next().value ?? '');
    this.texts.set(key, text);
    this.changed.fire(uri);
    const open = vscode.window.visibleTextEditors.find(
      ({ document }) => document.uri.toString() === key,
    );
    const document = await vscode.workspace.openTextDocument(uri);
    const viewColumn = open?.viewColumn ?? vscode.ViewColumn.Beside;
    await vscode.window.showTextDocument(document, { viewColumn, preview: true });
  }
}

export interface PtxParts {
  readonly ptx: PtxView;
  readonly toolChain: ToolChain;
  readonly compiler: Compiler;
  readonly guard: Guard;
  /** What the explorer shows. */
  readonly shown: () => Shown | undefined;
}

/** A CUDA text, and the device it is for. */
interface Subject {
  readonly source: string;
  readonly name: string;
  readonly device: string;
  /** The file it is in, where it is in one. */
  readonly uri?: vscode.Uri;
}

type Found =
  { readonly ok: true; readonly subject: Subject } | { readonly ok: false; readonly why: string };

/** Of the document `uri`, or of what the explorer shows. */
export async function showPtx(uri: vscode.Uri | undefined, parts: PtxParts): Promise<void> {
  const found = await subjectOf(uri, parts.shown());
  if (!found.ok) {
    void vscode.window.showWarningMessage(found.why);
    return;
  }
  await parts.guard(t('Compiling a kernel'), () => compileAndShow(found.subject, parts));
}

async function subjectOf(uri: vscode.Uri | undefined, shown: Shown | undefined): Promise<Found> {
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
    return { ok: false, why: `${name}: ${error?.path ?? ''} ${error?.message ?? ''}` };
  }
  const source = document.getText();
  if (!isKernel(document) || name.toLowerCase().endsWith('.wgsl')) {
    return { ok: false, why: t('PTX is made of CUDA kernels: {0} is none.', name) };
  }
  if (kernelSites(source).length === 0) {
    return { ok: false, why: t('{0} has no __global__ function.', name) };
  }
  const file = kernelOf(document);
  const device = (file.ok ? file.runnable.spec?.device : undefined) ?? settings.device();
  return { ok: true, subject: { source, name, device, uri: document.uri } };
}

function ofSpec(spec: GemmSpec, name: string): Found {
  const planned = plan(resolve(spec), 'cuda');
  if (planned.ok) {
    const { source, fileName } = emit(planned.plan);
    return { ok: true, subject: { source, name: fileName, device: planned.plan.spec.device } };
  }
  const [first] = planned.violations;
  const why = t('{0} is not legal for CUDA: {1}', name, first?.message ?? '');
  return { ok: false, why };
}

async function compileAndShow(subject: Subject, parts: PtxParts): Promise<void> {
  const { source, name, device, uri } = subject;
  const { computeCapability } = findDevice(device) ?? deviceOf(settings.device());
  if (computeCapability === undefined) {
    const why = t('{0} has no PTX: choose an NVIDIA device in the spec or the settings.', device);
    void vscode.window.showWarningMessage(why);
    return;
  }
  const found = await parts.toolChain.nvcc();
  if (!found.ok) {
    await sayMissing(`${found.why} ${found.next}`);
    return;
  }
  const { compiler } = found;
  const result = await withProgress(t('Compiling {0} to PTX', name), signal =>
    compiler.ptx(source, {
      ...{ signal, arch: archOf(computeCapability) },
      timeoutMs: settings.compileTimeoutMs(),
    }),
  );
  if (uri !== undefined && (result.ok || result.outcome !== 'cancelled')) {
    parts.compiler.report(uri, result.diagnostics);
  }
  if (result.ok) {
    const built = { compiler: `nvcc ${compiler.build}` };
    parts.compiler.learn(
      source,
      result.kernels.map(kernel => ({ ...kernel, ...built })),
    );
    await parts.ptx.show(addressOf(subject), result.text);
  } else if (result.outcome !== 'cancelled') {
    void vscode.window.showErrorMessage(t('{0} gave no PTX. {1}', name, result.message));
  }
}

/** The same for the same kernel file, so that asking again refreshes it. */
function addressOf({ name, uri }: Subject): vscode.Uri {
  const path = `/${name.replace(/\.cuh?$/i, '')}.ptx`;
  const query = uri === undefined ? '' : hashText(uri.toString()).slice(0, 12);
  return vscode.Uri.from({ scheme: PTX_SCHEME, path, query });
}

async function sayMissing(why: string): Promise<void> {
  const check = t('Check tool chain');
  const text = t('PTX needs nvcc. {0}', why);
  if ((await vscode.window.showWarningMessage(text, check)) === check) {
    await vscode.commands.executeCommand(COMMANDS.checkToolChain);
  }
}

const withProgress = <T>(title: string, work: (signal: AbortSignal) => Promise<T>): Thenable<T> =>
  vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title, cancellable: true },
    (_progress, token) => {
      const controller = new AbortController();
      token.onCancellationRequested(() => {
        controller.abort();
      });
      return work(controller.signal);
    },
  );

/** The argument's document, or that of the active editor where it holds a kernel or a spec. */
export function activeUri(given: vscode.Uri | undefined): vscode.Uri | undefined {
  const document = vscode.window.activeTextEditor?.document;
  if (given !== undefined || document === undefined) return given;
  return isSpec(document) || isKernel(document) ? document.uri : undefined;
}
