/** The explorer's pages: the panel and, if open, the page in the user's browser. */
import * as vscode from 'vscode';
import type { FromWebview, ShowContent, ToWebview } from '../../protocol';
import type { BrowserPage } from './browserPage';
import { PageOrder, type PageName } from './pageOrder';
import { adoptPanel, createPanel, type Panel, type PanelParts } from './panel';

export interface PagesParts extends PanelParts {
  readonly browser: BrowserPage;
  /** Called when a panel is created or restored. */
  readonly onOpen: () => void;
  /**
   * Called when a page has loaded, and when the browser page closes or reports its adapter. The
   * content must then be sent again.
   */
  readonly onChanged: () => void;
  readonly onClosed: () => void;
  /** Receives messages of a page. Obsolete edits are dropped. */
  readonly onMessage: (message: FromWebview, from: PageName) => void;
}

export class ExplorerPages implements vscode.Disposable {
  private panel: Panel | undefined;
  private ready = false;
  private readonly order = new PageOrder();
  private readonly subscriptions: readonly vscode.Disposable[];

  constructor(private readonly parts: PagesParts) {
    const { browser } = parts;
    this.subscriptions = [
      browser.onReady(() => {
        this.order.loaded('browser');
      }),
      browser.onDidChange(parts.onChanged),
      browser.onMessage(message => {
        this.receive(message, 'browser');
      }),
    ];
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  isOpen(): boolean {
    return this.panel !== undefined;
  }

  isReady(): boolean {
    return this.ready;
  }

  /** Returns the panel; undefined unless its page has loaded and is visible. */
  page(): Panel | undefined {
    return this.ready && this.panel?.isVisible() === true ? this.panel : undefined;
  }

  post(message: ToWebview): void {
    this.postToPanel(message);
    this.parts.browser.post(message);
  }

  postToPanel(message: ToWebview): void {
    if (this.ready) this.panel?.post(message);
  }

  open(takeFocus: boolean): void {
    if (this.panel === undefined) {
      const beside = vscode.window.tabGroups.activeTabGroup.activeTab !== undefined;
      const column = beside ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
      this.adopt(createPanel(column, this.parts));
    }
    this.panel?.reveal(takeFocus);
  }

  restore(panel: vscode.WebviewPanel): void {
    this.adopt(adoptPanel(panel, this.parts));
  }

  setTitle(title: string): void {
    this.panel?.setTitle(title);
  }

  documentChanged(): void {
    this.order.documentChanged();
  }

  show(where: PageName, content: ShowContent): void {
    const { browser } = this.parts;
    const message = { ...content, ...this.order.next(where) };
    if (where === 'browser') {
      browser.post(message);
      return;
    }
    const backends = [...message.backends, ...browser.backend()];
    this.postToPanel({ ...message, backends, canOpenInBrowser: browser.canOpen() });
  }

  private adopt(panel: Panel): void {
    this.panel = panel;
    this.ready = false;
    this.parts.onOpen();
    panel.onReady(() => {
      this.ready = true;
      this.order.loaded('panel');
      this.parts.onChanged();
    });
    panel.onHidden(() => {
      this.ready = false;
    });
    panel.onClosed(() => {
      this.panel = undefined;
      this.parts.browser.close();
      this.parts.onClosed();
    });
    panel.onMessage(message => {
      this.receive(message, 'panel');
    });
  }

  private receive(message: FromWebview, from: PageName): void {
    if (message.type === 'changeSpec' && !this.order.takes(from, message)) return;
    this.parts.onMessage(message, from);
  }
}
