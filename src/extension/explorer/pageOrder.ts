/**
 * Messages between the extension and its pages may cross, come late, twice or out of order. This counts what is
 * shown, and says which edits of a page still count. The page's side, by the same rules, is webview/receive.ts. Pure.
 */
import type { FromWebview, ToWebview } from '../../protocol';

export type PageName = 'panel' | 'browser';
type Edit = Pick<Extract<FromWebview, { type: 'changeSpec' }>, 'edit' | 'revision'>;
export type ShowOrder = Pick<Extract<ToWebview, { type: 'show' }>, 'revision' | 'since' | 'edit'>;

/** Of one page: where its life began, and its newest edit. */
interface Heard {
  readonly since: number;
  readonly edit: number;
}

export class PageOrder {
  private revision = 0;
  private documentSince = 1;
  private readonly heard: Record<PageName, Heard> = {
    panel: { since: 1, edit: 0 },
    browser: { since: 1, edit: 0 },
  };

  /** Another document is shown from now on: edits of the one before are not of it. */
  documentChanged(): void {
    this.documentSince = this.revision + 1;
  }

  /** A page that has just loaded counts its edits anew; what an earlier one sent is over. */
  loaded(page: PageName): void {
    this.heard[page] = { since: this.revision + 1, edit: 0 };
  }

  /** What the next `show` to this page says of itself. */
  next(page: PageName): ShowOrder {
    this.revision += 1;
    return { revision: this.revision, since: this.since(page), edit: this.heard[page].edit };
  }

  /** Whether the edit is of what is shown, and the newest of its page. */
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
