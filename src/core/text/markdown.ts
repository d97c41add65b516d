/**
 * Markdown whose markup is only from this extension. In `markup` templates the literal parts are
 * markup; every value is text and is escaped unless it is Markdown itself. Workspace text therefore
 * cannot add links, images, HTML or icons.
 */
import { visibleText } from './plainText';

/** Global, because the extension's start bundle and `core.cjs` each hold a copy of this file. */
const KIND: unique symbol = Symbol.for('gemm-explorer.Markdown');

/** An image embedded in the document. */
export type ImageData = `data:image/${string}`;

/** Created only by the functions of this file. */
export interface Markdown {
  readonly [KIND]: string;
}

const markdown = (source: string): Markdown => ({ [KIND]: source });

/** Returns the source, for a document or a MarkdownString. */
export const sourceOf = (value: Markdown): string => value[KIND];

/** Longer text is cut: it is not readable, and some Markdown parsers are slow. */
const MAX_CHARACTERS = 20_000;

/**
 * Escapes periods, colons and slashes only where a URL or list could begin, so numbers and
 * sentences stay readable.
 */
const MARKUP =
  /[\\`*_{}[\]()#+!|<>~&$@-]|^=|:(?=\S|$)|\/(?=\/)|\.(?=[^\d\s])|(?<!\d)\.(?=\d)|(?<=^\d+)\.(?!\d)|(?<=www)\./gi;

/**
 * Returns Markdown that renders as exactly this text on one line. A backslash ends every construct
 * of CommonMark and GFM, bare addresses included (`www.`, `://`, `@`).
 */
export const escapeMarkdown = (text: string): string =>
  breakIcons(visibleText(text.slice(0, MAX_CHARACTERS)))
    .replace(/\s+/g, ' ')
    .trim()
    .replace(MARKUP, '\\$&');

/**
 * Separates `$(` with a zero-width space, because VS Code searches icons in the rendered text,
 * without backslashes.
 */
const breakIcons = (text: string): string => text.replace(/\$(?=\()/g, '$\u200B');

const partOf = (value: Markdown | string | number): string =>
  typeof value === 'object' ? sourceOf(value) : escapeMarkdown(String(value));

/** Joins literal markup with values: markup`**${name}**: ${reason}`. */
export const markup = (
  literals: TemplateStringsArray,
  ...values: readonly (Markdown | string | number)[]
): Markdown =>
  markdown(
    literals
      .map((text, index) => `${index === 0 ? '' : partOf(values[index - 1] ?? '')}${text}`)
      .join(''),
  );

/**
 * Converts markup of this extension, such as glossary entries, or t('…') with `{0}` placeholders
 * for `values`, which are escaped. Do not use it for text from files or for concatenated text.
 */
export const ownMarkup = (source: string, ...values: readonly (string | number)[]): Markdown =>
  markdown(source.replace(/\{(\d+)\}/g, (_, index) => partOf(values[Number(index)] ?? '')));

/**
 * Returns a VS Code icon by a name from our tables; it is rendered where a MarkdownString supports
 * icons.
 */
export const codicon = (name: string): Markdown => markdown(`$(${name.replace(/[^a-z~-]/g, '')})`);

/** Joins fragments with a given separator, such as a line feed. */
export const joined = (fragments: readonly (Markdown | string)[], separator: string): Markdown =>
  markdown(fragments.map(partOf).join(separator));

type Cell = Markdown | string;

const row = (cells: readonly Cell[]): Markdown => markdown(`| ${cells.map(partOf).join(' | ')} |`);

/** Returns a table; the columns listed in `right` are right-aligned. */
export const table = (
  head: readonly Cell[],
  rows: readonly (readonly Cell[])[],
  right: readonly number[] = [],
): Markdown => {
  const rule = head.map((_, index) => markdown(right.includes(index) ? '---:' : '---'));
  return joined([head, rule, ...rows].map(row), '\n');
};

/**
 * Returns inline code. Text that could end the code span, or that forms an icon even in code,
 * becomes plain text.
 */
export function codeSpan(text: string): Markdown {
  const line = visibleText(text).replace(/\s+/g, ' ').trim();
  return markdown(line === '' || /[`|$\\]/.test(line) ? escapeMarkdown(line) : `\`${line}\``);
}

/** Returns a block of preformatted lines; its fence is longer than any backtick run in the text. */
export function codeBlock(text: string): Markdown {
  const lines = breakIcons(visibleText(text));
  const longest = Math.max(2, ...[...lines.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return markdown(`${fence}text\n${lines}\n${fence}`);
}

/** Returns an image with embedded data; the type excludes network addresses. */
export const picture = (alt: string, data: ImageData, size = ''): Markdown =>
  markdown(`![${escapeMarkdown(alt)}](${data.replace(/[\s()<>\\]/g, hex)}${size})`);

const hex = (character: string): string => `%${character.charCodeAt(0).toString(16)}`;
