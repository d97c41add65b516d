/** What tests use of markdown-it, which VS Code's Markdown preview renders with. */
declare module 'markdown-it' {
  export interface Token {
    readonly type: string;
    readonly content: string;
    readonly children: readonly Token[] | null;
  }
  export default class MarkdownIt {
    constructor(options: { readonly html: boolean; readonly linkify: boolean });
    parse(text: string, environment: object): readonly Token[];
    render(text: string): string;
  }
}
