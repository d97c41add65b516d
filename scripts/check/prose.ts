/**
 * Extracts the prose of the repository and searches it for banned phrases. The prose is comments
 * and strings of TypeScript, comments of shaders and emitted kernels, Markdown outside of code, and
 * the manifest's strings.
 */
import ts from 'typescript';
import { PROSE_PATTERNS } from './prosePatterns';

export interface ProseBlock {
  readonly line: number;
  readonly text: string;
}

export interface ProseFinding {
  readonly file: string;
  readonly line: number;
  readonly id: string;
  readonly found: string;
  readonly advice: string;
}

/** Maximum number of words per sentence. */
export const MAX_WORDS = 25;

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length;

const plain = (text: string): string =>
  text
    .replace(/`[^`]*`/g, 'code')
    .replace(/https?:\S+/g, 'address')
    .replace(/^\s*\/?\*+\/?/gm, '')
    .replace(/^\s*\/\/+/gm, '')
    .replace(/\*+\/\s*$/, '')
    .replace(/\s+/g, ' ')
    .trim();

const isProse = (text: string): boolean => /[A-Za-z]{2,}[ ,]+(?:[^ ]+ +){1,}[a-z]{2,}/.test(text);

/**
 * Returns comments and prose strings of a TypeScript file. Consecutive line comments form one
 * block.
 */
export function proseOfTypeScript(fileName: string, text: string): readonly ProseBlock[] {
  const blocks: ProseBlock[] = [];
  const seen = new Set<number>();
  const source = ts.createSourceFile(fileName, text, ts.ScriptTarget.Latest, true);
  const addComments = (from: number): void => {
    let last: { end: number; block: number } | null = null;
    for (const { pos, end, kind } of ts.getLeadingCommentRanges(text, from) ?? []) {
      if (seen.has(pos)) continue;
      seen.add(pos);
      const comment = text.slice(pos, end);
      const previous = last === null ? undefined : blocks[last.block];
      if (
        kind === ts.SyntaxKind.SingleLineCommentTrivia &&
        last !== null &&
        previous !== undefined
      ) {
        blocks[last.block] = { ...previous, text: `${previous.text} ${plain(comment)}` };
      } else {
        blocks.push({ line: lineOf(text, pos), text: plain(comment) });
        last =
          kind === ts.SyntaxKind.SingleLineCommentTrivia ? { end, block: blocks.length - 1 } : null;
      }
    }
  };
  const visit = (node: ts.Node): void => {
    addComments(node.getFullStart());
    for (const { pos, end } of ts.getTrailingCommentRanges(text, node.end) ?? []) {
      if (seen.has(pos)) continue;
      seen.add(pos);
      blocks.push({ line: lineOf(text, pos), text: plain(text.slice(pos, end)) });
    }
    const literal =
      ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || ts.isJsxText(node);
    if (literal && !ts.isImportDeclaration(node.parent)) {
      const value = ts.isTemplateExpression(node)
        ? node.head.text + node.templateSpans.map(span => `{0}${span.literal.text}`).join('')
        : node.text;
      if (isProse(value)) blocks.push({ line: lineOf(text, node.getStart()), text: plain(value) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  addComments(source.endOfFileToken.getFullStart());
  return blocks;
}

/**
 * Returns the comments of C++, CUDA or WGSL source, except the `@gemm` annotation, which is data.
 */
export function proseOfShader(text: string): readonly ProseBlock[] {
  const blocks: ProseBlock[] = [];
  for (const match of text.matchAll(/\/\*[\s\S]*?\*\/|(?:^[ \t]*\/\/[^\n]*\n?)+|\/\/[^\n]*/gm)) {
    const kept = match[0].replace(/^[ \t]*\/\/ @gemm.*$/gm, '');
    blocks.push({ line: lineOf(text, match.index), text: plain(kept) });
  }
  return blocks.filter(({ text: prose }) => prose !== '');
}

export function proseOfMarkdown(text: string): readonly ProseBlock[] {
  const withoutCode = text.replace(/^```[\s\S]*?^```/gm, code => code.replace(/[^\n]/g, ''));
  const blocks: ProseBlock[] = [];
  let paragraph: { line: number; lines: string[] } | null = null;
  const end = (): void => {
    if (paragraph !== null)
      blocks.push({ line: paragraph.line, text: plain(paragraph.lines.join(' ')) });
    paragraph = null;
  };
  withoutCode.split('\n').forEach((line, index) => {
    const isRow = line.startsWith('|');
    if (line.trim() === '' || isRow || /^\s*([-*]|\d+\.|#+|>)\s/.test(line)) end();
    if (isRow) {
      for (const cell of line.split('|'))
        if (isProse(cell)) blocks.push({ line: index + 1, text: plain(cell) });
    } else if (line.trim() !== '') {
      const kept = line.replace(/^\s*([-*]|\d+\.|#+|>)\s+/, '').replace(/\]\([^)]*\)/g, ']');
      paragraph ??= { line: index + 1, lines: [] };
      paragraph.lines.push(kept);
      if (/^#+\s/.test(line)) end();
    }
  });
  end();
  return blocks;
}

export function proseOfJson(text: string): readonly ProseBlock[] {
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"/g)]
    .filter(([, value = '']) => isProse(value))
    .map(match => ({
      line: lineOf(text, match.index),
      text: plain(match[1] ?? ''),
    }));
}

/** Returns null for file types without checked prose. */
export function proseOf(file: string, text: string): readonly ProseBlock[] | null {
  if (/\.(?:ts|tsx|mjs|cjs)$/.test(file)) return proseOfTypeScript(file, text);
  if (/\.(?:cu|cuh|wgsl|cpp|h)$/.test(file)) return proseOfShader(text);
  if (file.endsWith('.md')) return proseOfMarkdown(text);
  if (file.endsWith('.json')) return proseOfJson(text);
  return null;
}

const wordsOf = (sentence: string): number =>
  sentence.split(' ').filter(word => /[A-Za-z]{2,}/.test(word)).length;

export function proseFindings(file: string, text: string): readonly ProseFinding[] {
  return (proseOf(file, text) ?? []).flatMap(({ line, text: prose }) => [
    ...PROSE_PATTERNS.flatMap(({ id, pattern, advice }) =>
      [...prose.matchAll(new RegExp(pattern, `${pattern.flags}g`))].map(match => ({
        file,
        line,
        id,
        found: around(prose, match.index, match[0].length),
        advice,
      })),
    ),
    ...prose
      .split(/(?<=[.!?:;])\s+|(?=@(?:param|returns) )/)
      .filter(sentence => wordsOf(sentence) > MAX_WORDS)
      .map(sentence => ({
        file,
        line,
        id: 'long-sentence',
        found: sentence.slice(0, 90),
        advice: 'Split the sentence.',
      })),
  ]);
}

const around = (text: string, at: number, length: number): string =>
  text.slice(Math.max(0, at - 40), at + length + 30);
