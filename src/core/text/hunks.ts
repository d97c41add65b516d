/** Hunks of a line diff: unchanged lines are collapsed, and changed lines are paired. */
import { lineDiff, type DiffLine } from './lineDiff';

/** Number of unchanged lines kept before and after a change. */
const CONTEXT = 3;

export type Part =
  | { readonly kind: 'folded'; readonly lines: number }
  | { readonly kind: 'lines'; readonly lines: readonly DiffLine[] };

export interface Difference {
  readonly parts: readonly Part[];
  readonly added: number;
  readonly removed: number;
}

export function difference(before: string, after: string): Difference {
  const lines = lineDiff(before, after);
  const near = (index: number): boolean =>
    lines
      .slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1)
      .some(({ kind }) => kind !== 'same');
  const parts: Part[] = [];
  let run: DiffLine[] = [];
  let folded = 0;
  const flush = () => {
    if (run.length > 0) parts.push({ kind: 'lines', lines: run });
    if (folded > 0) parts.push({ kind: 'folded', lines: folded });
    run = [];
    folded = 0;
  };
  for (const [index, line] of lines.entries()) {
    if (near(index) === folded > 0) flush();
    if (near(index)) run.push(line);
    else folded += 1;
  }
  flush();
  const count = (kind: DiffLine['kind']) => lines.filter(line => line.kind === kind).length;
  return { parts, added: count('added'), removed: count('removed') };
}

/**
 * Lines shown in one row: a removed line and an added line (null if absent), or an unchanged line
 * twice.
 */
export type Pair = readonly [before: DiffLine | null, after: DiffLine | null];

export function pairedLines(lines: readonly DiffLine[]): readonly Pair[] {
  const pairs: Pair[] = [];
  let removedLines: DiffLine[] = [];
  let addedLines: DiffLine[] = [];
  const flush = () => {
    for (let i = 0; i < Math.max(removedLines.length, addedLines.length); i++) {
      pairs.push([removedLines[i] ?? null, addedLines[i] ?? null]);
    }
    removedLines = [];
    addedLines = [];
  };
  for (const line of lines) {
    if (line.kind === 'removed') removedLines.push(line);
    else if (line.kind === 'added') addedLines.push(line);
    else {
      flush();
      pairs.push([line, line]);
    }
  }
  flush();
  return pairs;
}

const SIGNS: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', removed: '-', added: '+' };

/** Returns the changed lines and their context in the unified format, without file names. */
export const unifiedText = (before: string, after: string): string =>
  difference(before, after)
    .parts.flatMap(part => {
      if (part.kind === 'folded') return [];
      const first = part.lines[0];
      const count = (skipped: DiffLine['kind']): number =>
        part.lines.filter(({ kind }) => kind !== skipped).length;
      const at = `-${first?.before ?? 1},${count('added')} +${first?.after ?? 1},${count('removed')}`;
      return [`@@ ${at} @@`, ...part.lines.map(({ kind, text }) => `${SIGNS[kind]}${text}`)];
    })
    .join('\n');
