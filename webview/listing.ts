/** Segments of kernel source for display: code, comments and changed lines. */
import { lineDiff } from '../src/core/text/lineDiff';

export interface Touched {
  /** One-based line numbers in the new kernel source. */
  readonly lines: ReadonlySet<number>;
  readonly removed: number;
}

export const UNTOUCHED: Touched = { lines: new Set(), removed: 0 };

/**
 * Pattern of the `@gemm` and `Compile:` header lines, which are ignored because they can change
 * with every edit.
 */
const NAMES = /^\/\/ (@gemm|Compile:)/;

/** A changed line counts as removed and added. Lines that match `NAMES` are ignored. */
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
    let highlighted = false;
    const flush = () => {
      if (run !== '') segments.push({ text: run, comment, changed: highlighted });
      run = '';
    };
    for (const [index, piece] of text.split('\n').entries()) {
      if (index > 0) {
        // Highlighting excludes the line break.
        if (highlighted) flush();
        highlighted = false;
        run += '\n';
        line += 1;
      }
      const now = changed.has(line) && piece !== '';
      if (now !== highlighted) flush();
      highlighted = now;
      run += piece;
    }
    flush();
  }
  return segments;
}

export const gutterOf = (source: string, changed: ReadonlySet<number>): string =>
  source
    .replace(/\n$/, '')
    .split('\n')
    .map((_, index) => `${index + 1}${changed.has(index + 1) ? ' +' : '  '}`)
    .join('\n');
