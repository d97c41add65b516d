/** The explorer: at most one panel, the spec that it shows (owned here), and what it asks for. */
import * as vscode from 'vscode';
import type { Measurement } from '../core/measure/measurement';
import { decodeSpec } from '../core/spec/decode';
import { sameJson } from '../core/spec/same';
import type { GemmSpec } from '../core/spec/schema';
import type { FromWebview, ToWebview } from '../protocol';
import type { BrowserPage } from './browserPage';
import { isKernel } from './kernelDocument';
import { followedAt, type FollowedKernel } from './ownKernel';
import type { RunPage } from './pageRun';
import { adoptPanel, createPanel, type Panel } from './panel';
import { findShown, freshShown, savedShown, shownOf, type Shown } from './shown';
import { showMessage, type Focus, type OpenOptions, type ShowMessage } from './showMessage';
import { writeBack } from './specFile';

export interface ExplorerParts {
  readonly browser: BrowserPage;
  readonly extension: vscode.Uri;
  readonly log: vscode.LogOutputChannel;
  readonly backends: () => ShowMessage['backends'];
  readonly runs: () => readonly Measurement[];
  /** A page is about to come up, or the workspace became trusted. */
  readonly onOpen: () => void;
  readonly onMessage: (message: FromWebview) => void;
}

/** How long a page may take to come up. */
const PAGE_MS = 20_000;
/** A kernel that is typed in is looked at when the typing pauses. */
const SETTLE_MS = 200;

export class Explorer implements vscode.Disposable {
  private panel: Panel | undefined;
  private ready = false;
  /** Asked for before the page was there. */
  private awaited: Focus | undefined;
  private shown: Shown | undefined;
  /** Followed instead of a configuration: a text that no spec gives. */
  private followedKernel: FollowedKernel | undefined;
  private settling: ReturnType<typeof setTimeout> | undefined;
  private following = false;
  /** Edits of the spec file, one after the other; of those waiting only the last counts. */
  private writing: Promise<unknown> = Promise.resolve();
  private writes = 0;
  /** What the page was last told. */
  private unwrittenShown = false;
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly parts: ExplorerParts) {
    this.subscriptions = [
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        this.documentChanged(document);
      }),
      vscode.window.onDidChangeActiveTextEditor(editor => {
        if (this.following && editor !== undefined) this.follow(editor);
      }),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (this.following && this.followedKernel !== undefined) this.follow(textEditor);
      }),
      parts.browser.onDidChange(() => {
        this.refresh();
      }),
      parts.browser.onMessage(message => {
        this.receive(message, 'browser');
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => {
        if (this.panel !== undefined) this.parts.onOpen();
        this.refresh();
      }),
    ];
  }

  dispose(): void {
    clearTimeout(this.settling);
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  current(): Shown | undefined {
    return this.shown;
  }

  currentOrFresh(): Shown {
    return this.shown ?? freshShown();
  }

  /** What is shown in place of a configuration. */
  followed(): FollowedKernel | undefined {
    return this.followedKernel;
  }

  /** The panel while its page is there to be talked to. */
  page(): Panel | undefined {
    return this.ready && this.panel?.isVisible() === true ? this.panel : undefined;
  }

  /** To the panel's page and to the browser's. */
  post(message: ToWebview): void {
    this.postToPanel(message);
    this.parts.browser.post(message);
  }

  postToPanel(message: ToWebview): void {
    if (this.ready) this.panel?.post(message);
  }

  /** Opens or reveals the panel with `shown`, or with what it had. */
  open(shown: Shown | undefined, options: OpenOptions = {}): void {
    this.followedKernel = options.followed;
    this.shown = shown ?? this.shown ?? freshShown();
    this.following = options.follow ?? this.following;
    if (this.panel === undefined) {
      const { extension, log } = this.parts;
      const beside = vscode.window.activeTextEditor !== undefined;
      const column = beside ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
      this.adopt(createPanel(extension, column, log));
    }
    this.panel?.reveal(options.takeFocus === true);
    this.refresh(options.focus);
  }

  /** Takes over a panel that VS Code restores; `state` is what its page saved. */
  restore(panel: vscode.WebviewPanel, state: unknown): void {
    const saved = savedShown(state);
    this.shown = saved?.shown ?? freshShown();
    this.adopt(adoptPanel(panel, this.parts.extension, this.parts.log));
    if (saved !== undefined) void this.findSpecFile(saved.shown.name, saved.document);
  }

  private async findSpecFile(name: string, hash: unknown): Promise<void> {
    const found = await findShown(name, hash);
    const { shown } = this;
    if (found === undefined || shown?.document !== undefined || shown?.name !== name) return;
    // Where the two differ the page says so, and the reader chooses.
    this.shown = { ...found, spec: shown.spec };
    this.refresh();
  }

  /** The page opened (with `shown` if it was closed) and ready, or undefined when it does not come up. */
  async openPage(shown: Shown | undefined): Promise<RunPage | undefined> {
    const browser = this.parts.browser.page();
    if (browser !== undefined) return browser;
    if (this.page() === undefined) this.open(this.panel === undefined ? shown : undefined);
    const deadline = Date.now() + PAGE_MS;
    while (this.page() === undefined && Date.now() < deadline) {
      await new Promise(resolve => setTimeout(resolve, 50));
    }
    return this.page();
  }

  /** Sends what the pages show, after anything of it has changed. */
  refresh(focus = this.awaited): void {
    if (this.shown === undefined || this.panel === undefined) return;
    this.awaited = this.ready ? undefined : focus;
    this.panel.setTitle(`Explorer: ${this.followedKernel?.own.name ?? this.shown.name}`);
    this.unwrittenShown = this.isUnwritten();
    this.show('panel', focus);
    this.show('browser', focus);
  }

  private show(where: 'panel' | 'browser', focus?: Focus): void {
    const { shown, followedKernel, unwrittenShown: unwritten } = this;
    if (shown === undefined) return;
    const own = followedKernel?.own;
    const { browser, backends, runs } = this.parts;
    const message = showMessage(shown, { own, unwritten, focus, backends, runs });
    if (where === 'browser') browser.post(message);
    else {
      const known = [...message.backends, ...browser.backend()];
      this.postToPanel({ ...message, backends: known, canOpenInBrowser: browser.canOpen() });
    }
  }

  private adopt(panel: Panel): void {
    this.panel = panel;
    this.ready = false;
    this.parts.onOpen();
    panel.onReady(() => {
      this.ready = true;
      this.refresh();
    });
    panel.onHidden(() => {
      this.ready = false;
    });
    panel.onClosed(() => {
      this.panel = undefined;
      this.following = false;
      this.parts.browser.close();
    });
    panel.onMessage(message => {
      this.receive(message, 'panel');
    });
  }

  private receive(message: FromWebview, from: 'panel' | 'browser'): void {
    if (message.type !== 'changeSpec') {
      this.parts.onMessage(message);
      return;
    }
    this.changeSpec(message.spec);
    // The other page follows; this one has what it sent.
    this.show(from === 'browser' ? 'panel' : 'browser');
  }

  private changeSpec(spec: GemmSpec): void {
    const { shown } = this;
    const decoded = decodeSpec(spec);
    if (!decoded.ok || shown === undefined || sameJson(shown.spec, decoded.spec)) return;
    const wasUnwritten = this.isUnwritten();
    this.shown = { ...shown, spec: decoded.spec };
    // An edit may be saved by itself (files.autoSave), so Restricted Mode has none.
    if (vscode.workspace.isTrusted && !wasUnwritten) void this.writeSpec();
    else if (this.unwrittenShown !== this.isUnwritten()) this.refresh();
  }

  /** The spec file holds something else than what is shown, and no edit is on its way. */
  private isUnwritten(): boolean {
    const { specFile, written, spec } = this.shown ?? {};
    return specFile !== undefined && this.writes === 0 && !sameJson(written, spec);
  }

  /** Writes the shown spec to its file. Only in a trusted workspace. */
  async writeSpec(): Promise<void> {
    const specFile = this.shown?.specFile;
    if (specFile === undefined) return;
    this.writes += 1;
    this.writing = this.writing.then(async () => {
      const latest = this.shown;
      try {
        if (latest?.specFile?.toString() === specFile.toString()) {
          if (!(await writeBack(specFile, latest.spec))) throw new Error('the edit was refused');
          this.holds(specFile, latest.spec);
        }
      } catch (error) {
        this.parts.log.error(`${specFile.fsPath} was not changed: ${String(error)}`);
      } finally {
        this.writes -= 1;
      }
      if (this.unwrittenShown !== this.isUnwritten()) this.refresh();
    });
    await this.writing;
  }

  /** Shows what the spec file holds again. */
  async readSpec(): Promise<void> {
    const specFile = this.shown?.specFile;
    if (specFile === undefined) return;
    const read = shownOf(await vscode.workspace.openTextDocument(specFile));
    if (!read.ok) {
      void vscode.window.showWarningMessage(read.reason);
      return;
    }
    this.shown = read.shown;
    this.refresh();
  }

  private holds(specFile: vscode.Uri, written: GemmSpec): void {
    if (this.shown?.specFile?.toString() === specFile.toString())
      this.shown = { ...this.shown, written };
  }

  private follow({ document, selection }: vscode.TextEditor): void {
    const followed = followedAt(document, selection.active.line);
    if (followed !== undefined && sameJson(followed.own, this.followedKernel?.own)) return;
    const read = followed === undefined ? shownOf(document) : undefined;
    if (read?.ok === false) return;
    this.followedKernel = followed;
    this.shown = read?.shown ?? this.shown;
    this.refresh();
  }

  private documentChanged(document: vscode.TextDocument): void {
    const { shown } = this;
    if (shown === undefined || this.panel === undefined) return;
    const isSource = shown.specFile?.toString() === document.uri.toString();
    const editor = vscode.window.activeTextEditor;
    const isFollowed = this.following && editor?.document === document;
    // A text that was as generated until now becomes one of its owner's, and the other way round.
    if (isFollowed && !isSource && isKernel(document)) {
      clearTimeout(this.settling);
      this.settling = setTimeout(() => {
        if (vscode.window.activeTextEditor === editor) this.follow(editor);
      }, SETTLE_MS);
      return;
    }
    // Our own edits come back here while later ones may be waiting.
    if ((!isSource && !isFollowed) || (isSource && this.writes > 0)) return;
    const read = shownOf(document);
    if (!read.ok) return;
    const same = sameJson(read.shown.spec, shown.spec);
    this.shown = same ? { ...shown, ...read.shown, spec: shown.spec } : read.shown;
    if (!same || this.unwrittenShown !== this.isUnwritten()) this.refresh();
  }
}
