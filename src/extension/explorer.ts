/** The explorer: at most one panel, the spec that it shows (owned here), and what it asks for. */
import * as vscode from 'vscode';
import type { Measurement } from '../core/measure/measurement';
import { decodeSpec } from '../core/spec/decode';
import { sameJson } from '../core/spec/same';
import type { GemmSpec } from '../core/spec/schema';
import type { FromWebview, ToWebview } from '../protocol';
import type { BrowserPage } from './browserPage';
import { watchDisk } from './diskChanges';
import { isKernel } from './kernelDocument';
import { followedAt, type FollowedKernel } from './ownKernel';
import type { RunPage } from './pageRun';
import { adoptPanel, createPanel, type Panel } from './panel';
import { findShown, freshShown, savedShown, shownOf, type Shown } from './shown';
import { showMessage, type Focus, type OpenOptions, type ShowMessage } from './showMessage';
import { SpecWriter } from './specFile';

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
  private readonly writer = new SpecWriter();
  /** What the page was last told. */
  private unwrittenShown = false;
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly parts: ExplorerParts) {
    this.subscriptions = [
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        this.documentChanged(document);
      }),
      watchDisk(uri => this.isShown(uri), this.documentChanged),
      vscode.window.onDidChangeActiveTextEditor(editor => {
        if (this.following && editor !== undefined) this.followEditor(editor);
      }),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (this.following && this.followedKernel !== undefined) this.followEditor(textEditor);
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
    return specFile !== undefined && !this.writer.isBusy() && !sameJson(written, spec);
  }

  /** Writes the shown spec to its file. Only in a trusted workspace. */
  async writeSpec(): Promise<void> {
    const specFile = this.shown?.specFile;
    if (specFile === undefined) return;
    const current = (): Shown | undefined =>
      this.shown?.specFile?.toString() === specFile.toString() ? this.shown : undefined;
    const wrote = (written: GemmSpec): void => {
      const shown = current();
      if (shown !== undefined) this.shown = { ...shown, written };
    };
    await this.writer.write(specFile, () => current()?.spec, wrote, this.parts.log);
    if (this.unwrittenShown !== this.isUnwritten()) this.refresh();
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

  private isShown(uri: vscode.Uri): boolean {
    const shown = this.followedKernel?.document ?? this.shown?.document;
    return shown?.toString() === uri.toString();
  }

  private followEditor({ document, selection }: vscode.TextEditor): void {
    this.follow(document, selection.active.line);
  }

  private follow(document: vscode.TextDocument, line: number): void {
    const followed = followedAt(document, line);
    if (followed !== undefined && sameJson(followed.own, this.followedKernel?.own)) return;
    const read = followed === undefined ? shownOf(document) : undefined;
    if (read?.ok === false) return;
    this.followedKernel = followed;
    this.shown = read?.shown ?? this.shown;
    this.refresh();
  }

  private readonly documentChanged = (document: vscode.TextDocument): void => {
    const { shown } = this;
    if (shown === undefined || this.panel === undefined) return;
    const isSource = shown.specFile?.toString() === document.uri.toString();
    const isActive = vscode.window.activeTextEditor?.document === document;
    // While the reader is in the page no editor is active.
    const isFollowed = (this.following && isActive) || this.isShown(document.uri);
    if (isFollowed && !isSource && isKernel(document)) {
      this.lookAgain(document);
      return;
    }
    // Our own edits come back here while later ones may be waiting.
    if ((!isSource && !isFollowed) || (isSource && this.writer.isBusy())) return;
    const read = shownOf(document);
    if (!read.ok) return;
    const same = sameJson(read.shown.spec, shown.spec);
    this.shown = same ? { ...shown, ...read.shown, spec: shown.spec } : read.shown;
    if (!same || this.unwrittenShown !== this.isUnwritten()) this.refresh();
  };

  /** A text that was as generated until now becomes one of its owner's, and the other way round. */
  private lookAgain(document: vscode.TextDocument): void {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => {
      const { activeTextEditor, visibleTextEditors } = vscode.window;
      if (activeTextEditor?.document !== document && !this.isShown(document.uri)) return;
      // A configuration that was changed in the page is its reader's: it stays.
      if (!this.following && !sameJson(this.shown?.spec, this.shown?.written)) return;
      const editor = visibleTextEditors.find(found => found.document === document);
      this.follow(document, editor?.selection.active.line ?? 0);
    }, SETTLE_MS);
  }
}
