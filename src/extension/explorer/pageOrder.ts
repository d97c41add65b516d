/**
 * Order of messages between the extension and its pages. Messages may cross, be duplicated, or
 * arrive late or out of order.
 *
 * Revision numbers determine which edits of a page are current. webview/receive.ts is the
 * counterpart in the page.
 */
import type { FromWebview, ToWebview } from '../../protocol';

export type PageName = 'panel' | 'browser';
type Edit = Pick<Extract<FromWebview, { type: 'changeSpec' }>, 'edit' | 'revision'>;
export type ShowOrder = Pick<Extract<ToWebview, { type: 'show' }>, 'revision' | 'since' | 'edit'>;

/** State of one page: the first revision after it loaded, and the index of its newest edit. */
interface PageState {
  readonly since: number;
  readonly edit: number;
}

export class PageOrder {
  private revision = 0;
  private documentSince = 1;
  private readonly heard: Record<PageName, PageState> = {
    panel: { since: 1, edit: 0 },
    browser: { since: 1, edit: 0 },
  };

  /** Invalidates edits of the previous document. */
  documentChanged(): void {
    this.documentSince = this.revision + 1;
  }

  /**
   * Registers a loaded page, whose edit count restarts. Edits of its earlier content are obsolete.
   */
  loaded(page: PageName): void {
    this.heard[page] = { since: this.revision + 1, edit: 0 };
  }

  next(page: PageName): ShowOrder {
    this.revision += 1;
    return { revision: this.revision, since: this.since(page), edit: this.heard[page].edit };
  }

  /**
   * Returns whether an edit applies to the shown document and is the newest edit of its page, and
   * records such an edit.
   */
  takes(page: PageName, { edit, revision }: Edit): boolean {
    const heard = this.heard[page];
    if (revision < this.since(page) || edit <= heard.edit) return false;
    this.heard[page] = { ...heard, edit };
    return true;
  }

  private since(page: PageName): number {
    return Math.max(this.documentSince, this.heard[page].since);
  }
}
