/** The explorer: what its pages show (owned here), the kernel it follows, and what it asks for. */
import * as vscode from 'vscode';
import type { Measurement } from '../../core/measure/measurement';
import { sameJson } from '../../core/spec/same';
import type { FromWebview, ToWebview } from '../../protocol';
import type { BrowserPage } from './browserPage';
import { watchDisk } from './diskChanges';
import { ExplorerPages } from './explorerPages';
import { isKernel } from '../documents/kernelDocument';
import { followedAt, type FollowedKernel } from '../documents/ownKernel';
import type { PageName } from './pageOrder';
import type { RunPage } from '../toolchain/pageRun';
import type { Panel } from './panel';
import { findShown, freshShown, savedShown, shownOf, type Shown } from '../documents/shown';
import { ShownSpec } from './shownSpec';
import { showContent, type Focus, type OpenOptions, type ShowMessage } from './showMessage';

export interface ExplorerParts {
  readonly browser: BrowserPage;
  readonly extension: vscode.Uri;
  readonly log: vscode.LogOutputChannel;
  readonly backends: () => ShowMessage['backends'];
  readonly runs: () => readonly Measurement[];
  /** A page is about to come up, or the workspace became trusted. */
  readonly onOpen: () => void;
  /** A page has come up or gone: what else there is to be shown is to be told. */
  readonly onPage: () => void;
  readonly onMessage: (message: FromWebview) => void;
}

/** A kernel that is to run in a page. */
export interface RunSubject {
  /** Its configuration; undefined for a kernel that no spec gives. */
  readonly shown: Shown | undefined;
  /** Its own text, where no spec gives it. */
  readonly followed?: FollowedKernel | undefined;
  /** A page that is open with something else is to show it, too. */
  readonly brings?: boolean;
}

/** How long a page may take to come up. */
const PAGE_MS = 20_000;
/** A kernel that is typed in is looked at when the typing pauses. */
const SETTLE_MS = 200;

export class Explorer implements vscode.Disposable {
  private readonly pages: ExplorerPages;
  private readonly spec: ShownSpec;
  /** Asked for before the page was there. */
  private awaited: Focus | undefined;
  /** Followed instead of a configuration: a text that no spec gives. */
  private followedKernel: FollowedKernel | undefined;
  private settling: ReturnType<typeof setTimeout> | undefined;
  private following = false;
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

  /** What is shown in place of a configuration. */
  followed(): FollowedKernel | undefined {
    return this.followedKernel;
  }

  /** The panel while its page is there to be talked to. */
  page(): Panel | undefined {
    return this.pages.page();
  }

  /** To the panel's page and to the browser's. */
  post(message: ToWebview): void {
    this.pages.post(message);
  }

  postToPanel(message: ToWebview): void {
    this.pages.postToPanel(message);
  }

  /** Opens or reveals the panel with `shown`, or with what it had. */
  open(shown: Shown | undefined, options: OpenOptions = {}): void {
    // What was typed before is not followed any more.
    clearTimeout(this.settling);
    this.followedKernel = options.followed;
    this.spec.become(shown ?? this.currentOrFresh());
    this.following = options.follow ?? this.following;
    this.pages.open(options.takeFocus === true);
    this.refresh(options.focus);
  }

  /** Takes over a panel that VS Code restores; `state` is what its page saved. */
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
    // Where the two differ the page says so, and the reader chooses.
    this.spec.become({ ...found, spec: shown.spec });
    this.refresh();
  }

  /** The page opened and ready, or undefined when it does not come up. */
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

  /** Shows what runs in the page, so that its result is there; an edit of the page stays. */
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

  private reveal(run: RunSubject | undefined): void {
    const { shown, followed } = run ?? {};
    this.open(shown, followed === undefined ? {} : { followed });
  }

  /** Sends what the pages show, after anything of it has changed. */
  refresh(focus = this.awaited): void {
    const shown = this.current();
    if (shown === undefined || !this.pages.isOpen()) return;
    this.awaited = this.pages.isReady() ? undefined : focus;
    this.pages.setTitle(`Explorer: ${this.followedKernel?.own.name ?? shown.name}`);
    this.show(['panel', 'browser'], focus);
  }

  /** Writes the shown spec to its file. Only in a trusted workspace. */
  writeSpec(): Promise<void> {
    return this.spec.write();
  }

  /** What the document says is another spec now, though its text is the same; an edit of the page stays. */
  async lookAgainAtFile(): Promise<void> {
    const document = this.current()?.document;
    if (document === undefined || this.spec.isChanged()) return;
    this.spec.documentChanged(await vscode.workspace.openTextDocument(document));
  }

  /** Shows what the spec file holds again. */
  readSpec(): Promise<void> {
    return this.spec.read();
  }

  private show(pages: readonly PageName[], focus?: Focus): void {
    const shown = this.current();
    if (shown === undefined) return;
    const { backends, runs } = this.parts;
    const unwritten = this.spec.tellUnwritten();
    const own = this.followedKernel?.own;
    const content = showContent(shown, { own, unwritten, focus, backends, runs });
    for (const page of pages) this.pages.show(page, content);
  }

  private receive(message: FromWebview, from: PageName): void {
    if (message.type !== 'changeSpec') {
      this.parts.onMessage(message);
      return;
    }
    const taken = this.spec.change(message.spec);
    // The other page follows; this one has what it sent, unless that was no spec.
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
    // While the reader is in the page no editor is active.
    const isFollowed = (this.following && isActive) || this.isShown(document.uri);
    if (isFollowed && !isSource && isKernel(document)) this.lookAgain(document);
    else if (isSource || isFollowed) this.spec.documentChanged(document);
  };

  /** A text that was as generated until now becomes one of its owner's, and the other way round. */
  private lookAgain(document: vscode.TextDocument): void {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => {
      const { activeTextEditor, visibleTextEditors } = vscode.window;
      if (activeTextEditor?.document !== document && !this.isShown(document.uri)) return;
      // A configuration that was changed in the page is its reader's: it stays.
      if (!this.following && this.spec.isChanged()) return;
      const editor = visibleTextEditors.find(found => found.document === document);
      this.follow(document, editor?.selection.active.line ?? 0);
    }, SETTLE_MS);
  }
}
