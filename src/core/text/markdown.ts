/**
 * Builds Markdown whose markup comes only from this extension. In a `markup` template, the literal
 * text is markup, and all values are escaped unless they are `Markdown` objects. Workspace content
 * therefore cannot add links, images, HTML or icons.
 */
import { visibleText } from './plainText';

/**
 * A global symbol, because the extension's start bundle and `core.cjs` each contain a copy of this
 * module.
 */
const KIND: unique symbol = Symbol.for('gemm-explorer.Markdown');

export type ImageData = `data:image/${string}`;

/** Escaped Markdown, which only the functions of this module create. */
export interface Markdown {
  readonly [KIND]: string;
}

const markdown = (source: string): Markdown => ({ [KIND]: source });

export const sourceOf = (value: Markdown): string => value[KIND];

/** Maximum number of characters in an escaped text; longer text is truncated. */
const MAX_CHARACTERS = 20_000;

/**
 * Matches characters that need an escape. Periods, colons and slashes match only where a URL or
 * list could begin, so numbers and sentences remain readable.
 */
const MARKUP =
  /[\\`*_{}[\]()#+!|<>~&$@-]|^=|:(?=\S|$)|\/(?=\/)|\.(?=[^\d\s])|(?<!\d)\.(?=\d)|(?<=^\d+)\.(?!\d)|(?<=www)\./gi;

/**
 * Escapes a text for a single line of Markdown. Backslashes disable all CommonMark and GFM syntax,
 * including bare addresses (`www.`, `://`, `@`).
 */
export const escapeMarkdown = (text: string): string =>
  breakIcons(visibleText(text.slice(0, MAX_CHARACTERS)))
    .replace(/\s+/g, ' ')
    .trim()
    .replace(MARKUP, '\\$&');

/**
 * Inserts a zero-width space into `$(`. VS Code replaces icon names after rendering, where
 * backslashes no longer have an effect.
 */
const breakIcons = (text: string): string => text.replace(/\$(?=\()/g, '$\u200B');

const partOf = (value: Markdown | string | number): string =>
  typeof value === 'object' ? sourceOf(value) : escapeMarkdown(String(value));

/**
 * Builds Markdown from a template, such as markup`**${name}**: ${reason}`. Literal text is markup;
 * values are escaped.
 */
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
 * Converts markup of this extension, such as glossary entries or results of t('…'). The `{0}`
 * placeholders are replaced with the escaped `values`. Never pass file content or concatenated text
 * as `source`.
 */
export const ownMarkup = (source: string, ...values: readonly (string | number)[]): Markdown =>
  markdown(source.replace(/\{(\d+)\}/g, (_, index) => partOf(values[Number(index)] ?? '')));

/** Returns a VS Code icon. Only MarkdownStrings that support icons render it. */
export const codicon = (name: string): Markdown => markdown(`$(${name.replace(/[^a-z~-]/g, '')})`);

export const joined = (fragments: readonly (Markdown | string)[], separator: string): Markdown =>
  markdown(fragments.map(partOf).join(separator));

type Cell = Markdown | string;

const row = (cells: readonly Cell[]): Markdown => markdown(`| ${cells.map(partOf).join(' | ')} |`);

export const table = (
  head: readonly Cell[],
  rows: readonly (readonly Cell[])[],
  right: readonly number[] = [],
): Markdown => {
  const rule = head.map((_, index) => markdown(right.includes(index) ? '---:' : '---'));
  return joined([head, rule, ...rows].map(row), '\n');
};

/**
 * Returns inline code. Empty text, and text with backticks, pipes, dollar signs or backslashes, is
 * escaped as plain text instead.
 */
export function codeSpan(text: string): Markdown {
  const line = visibleText(text).replace(/\s+/g, ' ').trim();
  return markdown(line === '' || /[`|$\\]/.test(line) ? escapeMarkdown(line) : `\`${line}\``);
}

/** Returns a fenced code block whose fence is longer than any backtick sequence in the text. */
export function codeBlock(text: string, language: 'text' | 'diff' = 'text'): Markdown {
  const lines = breakIcons(visibleText(text));
  const longest = Math.max(2, ...[...lines.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return markdown(`${fence}${language}\n${lines}\n${fence}`);
}

/** Returns an image with embedded data. The parameter type excludes network addresses. */
export const picture = (alt: string, data: ImageData, size = ''): Markdown =>
  markdown(`![${escapeMarkdown(alt)}](${data.replace(/[\s()<>\\]/g, hex)}${size})`);

const hex = (character: string): string => `%${character.charCodeAt(0).toString(16)}`;
