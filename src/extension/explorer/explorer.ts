/**
 * The explorer: owns the spec that its pages show, follows the active kernel, and handles requests
 * of the pages.
 */
import * as vscode from 'vscode';
import type { Measurement } from '../../core/measure/measurement';
import { sameJson } from '../../core/spec/sameJson';
import type { FromWebview, ShowContent, ToWebview } from '../../protocol';
import type { Abilities } from '../abilities';
import type { BrowserPage } from './browserPage';
import { watchDisk } from './diskChanges';
import { ExplorerPages } from './explorerPages';
import { isKernel } from '../documents/kernelDocument';
import { KernelLines } from './kernelLines';
import { followedAt, type FollowedKernel } from '../documents/ownKernel';
import type { PageName } from './pageOrder';
import type { RunPage } from '../toolchain/pageRun';
import type { Panel } from './panel';
import { findShown, freshShown, savedShown, shownOf, type Shown } from '../documents/shown';
import { setContext } from '../shared/commands';
import { ShownSpec } from './shownSpec';
import { showContent, type Focus, type OpenOptions, type ShowMessage } from './showMessage';

export interface ExplorerParts {
  readonly browser: BrowserPage;
  readonly extension: vscode.Uri;
  readonly log: vscode.LogOutputChannel;
  readonly backends: () => ShowMessage['backends'];
  readonly runs: () => readonly Measurement[];
  readonly firstFrame: Abilities['firstFrame'];
  /**
   * Called when a panel is created or restored, and when the workspace becomes trusted while a
   * panel is open.
   */
  readonly onOpen: () => void;
  readonly onPage: () => void;
  readonly onMessage: (message: FromWebview) => void;
}

export interface RunSubject {
  /** Configuration of the kernel; undefined if the kernel has no spec. */
  readonly shown: Shown | undefined;
  readonly followed?: FollowedKernel | undefined;
  /**
   * True if an open page must switch to this kernel, unless that would discard an edit in the page.
   */
  readonly brings?: boolean;
}

/** Context key: the explorer has content, so that commands without a document act on it. */
const SHOWN_KEY = 'gemm.shown';
const PAGE_MS = 20_000;
/** Delay after typing before a kernel is read, in milliseconds. */
const SETTLE_MS = 200;

export class Explorer implements vscode.Disposable {
  private readonly pages: ExplorerPages;
  private readonly spec: ShownSpec;
  /** Section that was requested before the page was ready. */
  private awaited: Focus | undefined;
  /** Edited or hand-written kernel that is shown instead of a configuration. */
  private followedKernel: FollowedKernel | undefined;
  private settling: ReturnType<typeof setTimeout> | undefined;
  private following = false;
  private readonly kernelLines = new KernelLines(message => {
    this.pages.post(message);
  });
  private readonly subscriptions: readonly vscode.Disposable[];

  constructor(private readonly parts: ExplorerParts) {
    const { browser, extension, log, onOpen } = parts;
    const refresh = (): void => {
      this.refresh();
    };
    this.spec = new ShownSpec({
      log,
      onChanged: refresh,
      onOtherDocument: () => {
        this.pages.documentChanged();
      },
    });
    this.pages = new ExplorerPages({
      browser,
      extension,
      log,
      firstFrame: () => this.firstFrame(),
      onOpen,
      onChanged: () => {
        refresh();
        parts.onPage();
      },
      onClosed: () => {
        this.following = false;
      },
      onMessage: (message, from) => {
        this.receive(message, from);
      },
    });
    this.subscriptions = [
      this.kernelLines,
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
      vscode.workspace.onDidGrantWorkspaceTrust(() => {
        if (this.pages.isOpen()) onOpen();
        this.refresh();
      }),
    ];
  }

  dispose(): void {
    clearTimeout(this.settling);
    this.pages.dispose();
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  current(): Shown | undefined {
    return this.spec.current();
  }

  currentOrFresh(): Shown {
    return this.spec.current() ?? freshShown();
  }

  followed(): FollowedKernel | undefined {
    return this.followedKernel;
  }

  page(): Panel | undefined {
    return this.pages.page();
  }

  post(message: ToWebview): void {
    this.pages.post(message);
  }

  postToPanel(message: ToWebview): void {
    this.pages.postToPanel(message);
  }

  /** Opens or reveals the panel with `shown`, its previous content, or a new spec. */
  open(shown: Shown | undefined, options: OpenOptions = {}): void {
    // Cancel the delayed update after earlier typing.
    clearTimeout(this.settling);
    this.followedKernel = options.followed;
    this.spec.become(shown ?? this.currentOrFresh());
    this.following = options.follow ?? this.following;
    this.pages.open(options.takeFocus === true);
    this.refresh(options.focus);
  }

  restore(panel: vscode.WebviewPanel, state: unknown): void {
    const saved = savedShown(state);
    this.spec.become(saved?.shown ?? freshShown());
    this.pages.restore(panel);
    if (saved !== undefined) void this.findSpecFile(saved.shown.name, saved.document);
  }

  private async findSpecFile(name: string, hash: unknown): Promise<void> {
    const found = await findShown(name, hash);
    const shown = this.current();
    if (found === undefined || shown?.document !== undefined || shown?.name !== name) return;
    // If the page and the file differ, the page reports the difference and the user selects the
    // version to keep.
    this.spec.become({ ...found, spec: shown.spec });
    this.refresh();
  }

  /**
   * Resolves to the page that runs kernels, and opens the panel if necessary. Resolves to undefined
   * if the page does not become ready.
   */
  async openPage(run: RunSubject): Promise<RunPage | undefined> {
    this.bring(run);
    const browser = this.parts.browser.page();
    if (browser !== undefined) return browser;
    if (this.page() === undefined) this.reveal(this.pages.isOpen() ? undefined : run);
    const deadline = Date.now() + PAGE_MS;
    while (this.page() === undefined && Date.now() < deadline) {
      await new Promise(resolve => setTimeout(resolve, 50));
    }
    return this.page();
  }

  /**
   * Shows the kernel of a run that sets `brings` in an open page, unless that would discard an edit
   * in the page.
   */
  private bring(run: RunSubject): void {
    const { shown, followed } = run;
    const is = this.current();
    if (run.brings !== true || is === undefined || !this.pages.isOpen()) return;
    if (this.spec.isChanged() && !sameJson(is.spec, freshShown().spec)) return;
    const same =
      followed === undefined
        ? this.followedKernel === undefined && sameJson(is.spec, shown?.spec)
        : sameJson(this.followedKernel?.own, followed.own);
    if (!same && (shown ?? followed) !== undefined) this.reveal(run);
  }

  /**
   * Shows the spec of generated files in an open page, unless that would discard an edit in the
   * page.
   */
  showWritten(shown: Shown): void {
    const spec = this.current()?.spec;
    if (spec === undefined || !this.pages.isOpen()) return;
    const kept = [shown.spec, freshShown().spec].some(own => sameJson(spec, own));
    if (this.spec.isChanged() && !kept) return;
    this.followedKernel = undefined;
    this.spec.become(shown);
    this.refresh();
  }

  private reveal(run: RunSubject | undefined): void {
    const { shown, followed } = run ?? {};
    this.open(shown, followed === undefined ? {} : { followed });
  }

  refresh(focus = this.awaited): void {
    const shown = this.current();
    if (shown === undefined || !this.pages.isOpen()) return;
    setContext(SHOWN_KEY, true);
    this.awaited = this.pages.isReady() ? undefined : focus;
    this.pages.setTitle(`Explorer: ${this.followedKernel?.own.name ?? shown.name}`);
    this.show(['panel', 'browser'], focus);
  }

  writeSpec(): Promise<void> {
    return this.spec.write();
  }

  /**
   * Resolves the document again, because the same text may yield a different schedule. Does nothing
   * while the page has edits that are not in the document.
   */
  async lookAgainAtFile(): Promise<void> {
    const document = this.current()?.document;
    if (document === undefined || this.spec.isChanged()) return;
    this.spec.documentChanged(await vscode.workspace.openTextDocument(document));
  }

  readSpec(): Promise<void> {
    return this.spec.read();
  }

  private show(pages: readonly PageName[], focus?: Focus): void {
    const content = this.content(focus);
    if (content !== undefined) for (const page of pages) this.pages.show(page, content);
  }

  private content(focus?: Focus): ShowContent | undefined {
    const shown = this.current();
    if (shown === undefined) return undefined;
    const { backends, runs } = this.parts;
    const unwritten = this.spec.tellUnwritten();
    const own = this.followedKernel?.own;
    return showContent(shown, { own, unwritten, focus, backends, runs });
  }

  private async firstFrame(): Promise<string> {
    const content = this.content();
    if (content === undefined) return '';
    try {
      return (await this.parts.firstFrame?.(content)) ?? '';
    } catch (error) {
      this.parts.log.warn(`The first frame was not rendered: ${String(error)}`);
      return '';
    }
  }

  private receive(message: FromWebview, from: PageName): void {
    if (message.type === 'highlightLines') {
      this.kernelLines.highlight(message);
      return;
    }
    if (message.type !== 'changeSpec') {
      this.parts.onMessage(message);
      return;
    }
    const taken = this.spec.change(message.spec);
    // Update the other page. If the edit is invalid, restore the content of the sender instead.
    const other = from === 'browser' ? 'panel' : 'browser';
    this.show([taken ? other : from]);
  }

  private isShown(uri: vscode.Uri): boolean {
    const shown = this.followedKernel?.document ?? this.current()?.document;
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
    if (read !== undefined) this.spec.become(read.shown);
    this.refresh();
  }

  private readonly documentChanged = (document: vscode.TextDocument): void => {
    if (!this.pages.isOpen()) return;
    const isSource = this.spec.isSource(document.uri);
    const isActive = vscode.window.activeTextEditor?.document === document;
    // There is no active text editor while the page has the focus.
    const isFollowed = (this.following && isActive) || this.isShown(document.uri);
    if (isFollowed && !isSource && isKernel(document)) this.lookAgain(document);
    else if (isSource || isFollowed) this.spec.documentChanged(document);
  };

  /**
   * Shows an edited kernel after a delay. The edit may make it differ from its generated source, or
   * match it again.
   */
  private lookAgain(document: vscode.TextDocument): void {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => {
      const { activeTextEditor, visibleTextEditors } = vscode.window;
      if (activeTextEditor?.document !== document && !this.isShown(document.uri)) return;
      // Keep a configuration that was edited in the page.
      if (!this.following && this.spec.isChanged()) return;
      const editor = visibleTextEditors.find(found => found.document === document);
      this.follow(document, editor?.selection.active.line ?? 0);
    }, SETTLE_MS);
  }
}
