/**
 * The explorer's page in the user's browser, for windows whose webview has no WebGPU adapter. It
 * mirrors the explorer and, with an adapter, is the WebGPU backend of this window.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { FromWebview, ToWebview } from '../../protocol';
import type { Abilities, BrowserConnection } from '../abilities';
import type { WebgpuLimits } from '../../core/spec/resolved';
import { showWarningMessage } from '../display/notify';
import type { RunPage } from '../toolchain/pageRun';
import { decodeMessage } from './panel';

type BackendRow = Extract<ToWebview, { type: 'show' }>['backends'][number];

export class BrowserPage implements vscode.Disposable {
  private connection: BrowserConnection | undefined;
  private ready = false;
  private adapter: string | null = null;
  private adapterLimits: WebgpuLimits | undefined;
  private readonly loaded = new vscode.EventEmitter<void>();
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly message = new vscode.EventEmitter<FromWebview>();
  private readonly hidden = new vscode.EventEmitter<void>();
  readonly onReady = this.loaded.event;
  /** Fires when the page loads, closes or reports its adapter. */
  readonly onDidChange = this.changed.event;
  readonly onMessage = this.message.event;

  constructor(
    private readonly serve: Abilities['serveBrowserPage'],
    private readonly extension: vscode.Uri,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  dispose(): void {
    this.close();
    for (const emitter of [this.loaded, this.changed, this.message, this.hidden]) emitter.dispose();
  }

  canOpen(): boolean {
    return this.serve !== undefined && vscode.workspace.isTrusted;
  }

  /** Serves the page and opens the browser. Requires a trusted workspace. */
  async open(): Promise<void> {
    this.connection ??= await this.serve?.({
      extension: this.extension,
      onMessage: data => {
        this.receive(data);
      },
      onDisconnected: () => {
        this.gone();
      },
      onClosed: () => {
        this.connection = undefined;
        this.gone();
      },
    });
    if ((await this.connection?.open()) !== false) return;
    void showWarningMessage(
      t(
        'The explorer page was not opened in a browser. Fix: try again and confirm the prompt of VS Code.',
      ),
    );
  }

  close(): void {
    this.connection?.close();
  }

  post(message: ToWebview): void {
    if (this.ready) this.connection?.post(message);
  }

  /** Returns the page; undefined unless it has loaded and has an adapter. */
  page(): RunPage | undefined {
    if (!this.ready || this.adapter === null) return undefined;
    const post = (message: ToWebview): void => {
      this.post(message);
    };
    return { post, onMessage: this.message.event, onHidden: this.hidden.event };
  }

  limits(): WebgpuLimits | undefined {
    return this.page() === undefined ? undefined : this.adapterLimits;
  }

  /**
   * Returns the WebGPU backend entry of the browser page, for the page in this window; empty if the
   * browser page cannot run kernels.
   */
  backend(): readonly BackendRow[] {
    return this.page() === undefined || this.adapter === null
      ? []
      : [{ id: 'webgpu', available: true, note: t('{0}, in browser', this.adapter) }];
  }

  private receive(data: unknown): void {
    const decoded = decodeMessage(data);
    if (typeof decoded === 'string') {
      this.log.warn(`Dropped a message from the browser page: ${decoded}`);
    } else if (decoded.type === 'ready') {
      this.ready = true;
      this.adapter = null;
      this.hidden.fire();
      this.loaded.fire();
      this.changed.fire();
    } else if (decoded.type === 'adapter') {
      this.adapter = decoded.adapter;
      this.adapterLimits = decoded.limits;
      this.changed.fire();
    } else {
      this.message.fire(decoded);
    }
  }

  private gone(): void {
    if (!this.ready) return;
    this.ready = false;
    this.hidden.fire();
    this.changed.fire();
  }
}
