/**
 * Markdown whose markup is written by this product alone. In `markup` templates the literal parts are markup; every value is
 * text and is escaped, unless it is Markdown itself. So text of a workspace cannot add links, images, HTML or icons. Pure.
 */
import { visibleText } from './plainText';

/** Global, because the extension's start bundle and `core.cjs` each hold a copy of this file. */
const KIND: unique symbol = Symbol.for('gemm-explorer.Markdown');

/** A picture that the document itself holds. */
export type ImageData = `data:image/${string}`;

/** Made by the functions of this file only. */
export interface Markdown {
  readonly [KIND]: string;
}

const markdown = (source: string): Markdown => ({ [KIND]: source });

/** Returns the source, for a document or a MarkdownString. */
export const sourceOf = (value: Markdown): string => value[KIND];

/** Longer texts help nobody, and parsers of Markdown take their time with some. */
const MOST_CHARACTERS = 20_000;

/** Points, colons and slashes only where an address or a list could begin: numbers and sentences stay readable. */
const MARKUP =
  /[\\`*_{}[\]()#+!|<>~&$@-]|^=|:(?=\S|$)|\/(?=\/)|\.(?=[^\d\s])|(?<!\d)\.(?=\d)|(?<=^\d+)\.(?!\d)|(?<=www)\./gi;

/**
 * Returns Markdown that renders as exactly this text on one line. A backslash ends every construct of CommonMark and GFM,
 * bare addresses included (`www.`, `://`, `@`).
 */
export const escapeMarkdown = (text: string): string =>
  apart(visibleText(text.slice(0, MOST_CHARACTERS)))
    .replace(/\s+/g, ' ')
    .trim()
    .replace(MARKUP, '\\$&');

/** Icons of VS Code are found in the rendered text, where no backslash is left. */
const apart = (text: string): string => text.replace(/\$(?=\()/g, '$\u200B');

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
 * Takes markup of this product, such as the glossary's, or t('…') with `{0}` where `values` go; those are escaped.
 * Never the place for text that was read or built.
 */
export const ownMarkup = (source: string, ...values: readonly (string | number)[]): Markdown =>
  markdown(source.replace(/\{(\d+)\}/g, (_, index) => partOf(values[Number(index)] ?? '')));

/** Returns an icon of VS Code, of a name from our own tables; it is drawn where a MarkdownString has icons. */
export const codicon = (name: string): Markdown => markdown(`$(${name.replace(/[^a-z~-]/g, '')})`);

/** Joins pieces with a separator of our own, such as a line feed. */
export const joined = (pieces: readonly (Markdown | string)[], separator: string): Markdown =>
  markdown(pieces.map(partOf).join(separator));

type Cell = Markdown | string;

const row = (cells: readonly Cell[]): Markdown => markdown(`| ${cells.map(partOf).join(' | ')} |`);

/** Returns a table, whose columns in `right` hold numbers. */
export const table = (
  head: readonly Cell[],
  rows: readonly (readonly Cell[])[],
  right: readonly number[] = [],
): Markdown => {
  const rule = head.map((_, index) => markdown(right.includes(index) ? '---:' : '---'));
  return joined([head, rule, ...rows].map(row), '\n');
};

/** Returns inline code; text that could end it, or that is an icon even in code, is shown as text. */
export function codeSpan(text: string): Markdown {
  const line = visibleText(text).replace(/\s+/g, ' ').trim();
  return markdown(line === '' || /[`|$\\]/.test(line) ? escapeMarkdown(line) : `\`${line}\``);
}

/** Returns a block of preformatted lines; its fence is longer than any that they hold. */
export function codeBlock(text: string): Markdown {
  const lines = apart(visibleText(text));
  const longest = Math.max(2, ...[...lines.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return markdown(`${fence}text\n${lines}\n${fence}`);
}

/** Returns an image of our own data; the type admits no address of a network. */
export const picture = (alt: string, data: ImageData, size = ''): Markdown =>
  markdown(`![${escapeMarkdown(alt)}](${data.replace(/[\s()<>\\]/g, hex)}${size})`);

const hex = (character: string): string => `%${character.charCodeAt(0).toString(16)}`;
