/** A source text cut into what is drawn alike: code, comments, and the lines that a change touched. Pure. */
import { lineDiff } from './lineDiff';

export interface Touched {
  /** Line numbers of the new text, from 1. */
  readonly lines: ReadonlySet<number>;
  /** Lines that only the old text has. */
  readonly removed: number;
}

export const UNTOUCHED: Touched = { lines: new Set(), removed: 0 };

/** Lines of a file's head that name it and its spec: they change with everything, so they say nothing. */
const NAMES = /^\/\/ (@gemm|Compile:)/;

/** Lines of `after` that are not in `before`. A line that changed is one that went and one that came. */
export function touched(before: string, after: string): Touched {
  if (before === after) return UNTOUCHED;
  const diff = lineDiff(before, after).filter(({ text }) => !NAMES.test(text));
  const lines = diff.flatMap(({ kind, after: at }) =>
    kind === 'added' && at !== undefined ? [at] : [],
  );
  const removed = diff.filter(({ kind }) => kind === 'removed').length;
  return { lines: new Set(lines), removed };
}

export interface Segment {
  readonly text: string;
  readonly comment: boolean;
  readonly changed: boolean;
}

const COMMENT = /(\/\/.*$|\/\*[\s\S]*?\*\/)/gm;

export function segmentsOf(source: string, changed: ReadonlySet<number>): readonly Segment[] {
  const parts = source.split(COMMENT).map((text, index) => ({ text, comment: index % 2 === 1 }));
  if (changed.size === 0) return parts.map(part => ({ ...part, changed: false }));
  const segments: Segment[] = [];
  let line = 1;
  for (const { text, comment } of parts) {
    let run = '';
    let lit = false;
    const flush = () => {
      if (run !== '') segments.push({ text: run, comment, changed: lit });
      run = '';
    };
    for (const [index, piece] of text.split('\n').entries()) {
      if (index > 0) {
        // The line's end is no part of what is marked.
        if (lit) flush();
        lit = false;
        run += '\n';
        line += 1;
      }
      const now = changed.has(line) && piece !== '';
      if (now !== lit) flush();
      lit = now;
      run += piece;
    }
    flush();
  }
  return segments;
}

/** Line numbers, one a line, with a sign beside those that changed. */
export const gutterOf = (source: string, changed: ReadonlySet<number>): string =>
  source
    .replace(/\n$/, '')
    .split('\n')
    .map((_, index) => `${index + 1}${changed.has(index + 1) ? ' +' : '  '}`)
    .join('\n');
