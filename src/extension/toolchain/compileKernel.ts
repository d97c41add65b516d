/** Compilation of CUDA kernels in the editor, with diagnostics in the Problems view. */
import * as vscode from 'vscode';
import { archOf } from '../../core/hardware/computeCapability';
import { findDevice } from '../../core/hardware/devices';
import { hashText } from '../../core/text/hash';
import { notCompiled } from '../../core/source/notCompiled';
import { deviceNamed } from '../../core/kernel/kernel';
import type { Diagnostic } from '../../host/diagnostics';
import { readAccesses } from './readAccesses';
import { mergeFacts, type CompiledFacts, type CompiledText } from './facts';
import { isTooLong } from '../documents/selectors';
import { isKernel, isWgsl, kernelOf, kernelTextOf } from '../documents/kernelDocument';
import { settings } from '../shared/settings';
import type { ToolChain } from './toolChain';

const SEVERITY = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  info: vscode.DiagnosticSeverity.Information,
} as const;

const MAX_FACTS = 200;

export class Compiler implements vscode.Disposable {
  private readonly facts = new Map<string, readonly CompiledFacts[]>();
  private readonly problems = vscode.languages.createDiagnosticCollection('gemm-nvcc');
  private readonly compiled = new vscode.EventEmitter<CompiledText>();
  private readonly pending = new Map<string, AbortController>();
  private readonly subscriptions: readonly vscode.Disposable[];
  readonly onDidCompile = this.compiled.event;

  constructor(
    private readonly toolChain: ToolChain,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.subscriptions = [
      vscode.workspace.onDidSaveTextDocument(document => {
        if (settings.compileOnSave()) void this.compile(document);
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.problems.delete(uri);
      }),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        // WGSL is not compiled on save, so an edit must remove the diagnostics of the last run.
        if (isWgsl(document)) {
          this.problems.delete(document.uri);
        }
      }),
    ];
  }

  dispose(): void {
    for (const controller of this.pending.values()) controller.abort();
    for (const subscription of this.subscriptions) subscription.dispose();
    this.problems.dispose();
    this.compiled.dispose();
  }

  /**
   * Returns the compiler facts of a kernel; undefined if its source was not compiled for the
   * architecture of the device.
   */
  factsOf(source: string, entry: string, device: string): CompiledFacts | undefined {
    const capability = findDevice(device)?.computeCapability;
    if (capability === undefined) return undefined;
    const arch = archOf(capability);
    return this.facts
      .get(hashText(source))
      ?.find(facts => facts.entry === entry && facts.arch === arch);
  }

  known(): readonly CompiledText[] {
    return [...this.facts].map(([sourceHash, facts]) => ({ sourceHash, facts }));
  }

  /** Returns the facts of every kernel of a source, for every compiled architecture. */
  factsOfText(source: string): readonly CompiledFacts[] {
    return this.facts.get(hashText(source)) ?? [];
  }

  /**
   * Compiles a CUDA document and reads its memory accesses. Does nothing for other documents, in
   * Restricted Mode, without nvcc, or for a device without a compute capability.
   */
  async compile(document: vscode.TextDocument): Promise<void> {
    const cuda = isKernel(document) && !isWgsl(document);
    if (!cuda || !vscode.workspace.isTrusted || isTooLong(document)) return;
    const { text: source, kernels } = kernelTextOf(document);
    if (kernels.length === 0) return;
    const found = await this.toolChain.nvcc();
    if (!found.ok) return;
    const file = kernelOf(document);
    const named = file.ok ? deviceNamed(file.runnable) : undefined;
    const device = findDevice(named ?? settings.device());
    if (device?.computeCapability === undefined) return;

    const key = document.uri.toString();
    this.pending.get(key)?.abort();
    const controller = new AbortController();
    this.pending.set(key, controller);
    const result = await found.compiler.compile(source, {
      arch: archOf(device.computeCapability),
      signal: controller.signal,
      timeoutMs: settings.compileTimeoutMs(),
    });
    if (this.pending.get(key) === controller) this.pending.delete(key);
    if (controller.signal.aborted) return;
    // If the document changed during compilation, the line numbers may be wrong.
    if (kernelTextOf(document).text !== source) return;
    const names = result.ok ? result.kernels.map(({ entry }) => entry) : undefined;
    const left = names === undefined ? [] : notCompiled(source, names);
    this.report(document.uri, [
      ...result.diagnostics,
      ...left.map(
        ({ line, why }) =>
          ({ line, column: 0, severity: 'info', message: why, source: 'nvcc' }) as const,
      ),
    ]);
    if (!result.ok) {
      this.log.info(`${document.uri.fsPath}: ${result.outcome}: ${result.message}`);
      return;
    }
    const compiler = `nvcc ${found.compiler.build}`;
    // Facts are stored under the architecture of the GPU: code for sm_90a is stored under sm_90.
    const arch = archOf(device.computeCapability);
    const facts = result.kernels.map(kernel => ({ ...kernel, compiler, arch }));
    this.learn(source, facts);
    const read = readAccesses(kernelTextOf(document), facts, {
      compiler: found.compiler,
      arch: archOf(device.computeCapability),
      signal: controller.signal,
      timeoutMs: settings.compileTimeoutMs(),
    });
    for await (const fact of read) this.learn(source, [fact]);
  }

  report(uri: vscode.Uri, diagnostics: readonly Diagnostic[]): void {
    // Skip WGSL messages on lines where the check while typing reports a message.
    const allFacts = vscode.languages.getDiagnostics(uri);
    const isNew = ({ line, source }: Diagnostic): boolean =>
      source !== 'WGSL' ||
      !allFacts.some(shown => shown.source === source && shown.range.start.line === line);
    this.problems.set(uri, diagnostics.filter(isNew).map(toVscode));
  }

  /** Shows the compiler messages of a run in all open documents with the source of the run. */
  reportText(source: string, diagnostics: readonly Diagnostic[]): void {
    for (const document of vscode.workspace.textDocuments) {
      if (isKernel(document) && !isTooLong(document) && kernelTextOf(document).text === source) {
        this.report(document.uri, diagnostics);
      }
    }
  }

  learn(source: string, facts: readonly CompiledFacts[]): void {
    const sourceHash = hashText(source);
    if (this.facts.size >= MAX_FACTS) this.facts.delete(this.facts.keys().next().value ?? '');
    this.facts.set(sourceHash, mergeFacts(this.facts.get(sourceHash) ?? [], facts));
    this.compiled.fire({ sourceHash, facts });
  }
}

function toVscode({ line, column, severity, message, source }: Diagnostic): vscode.Diagnostic {
  const range = new vscode.Range(line, column, line, Number.MAX_SAFE_INTEGER);
  const diagnostic = new vscode.Diagnostic(range, message, SEVERITY[severity]);
  diagnostic.source = source;
  return diagnostic;
}
