/**
 * Reads a journal: one JSON line per measurement. Lines of another identity are ignored but remain
 * in the file.
 */
import { t } from '@vscode/l10n';
import { createLineSplitter } from '../text/textLines';
import { MAX_LINE_CHARACTERS } from './historyLine';
import type { YieldIfDue } from './timeSlices';

export interface JournalKind<L, R extends string> {
  /** Text with which each line starts. */
  readonly first: string;
  /** Decodes the JSON value of a line; undefined for an invalid line. */
  readonly decode: (value: unknown) => L | undefined;
  /** Returns why a line does not apply to this run; undefined if it applies. */
  readonly foreign: (line: L) => R | undefined;
  /** Message about ignored lines, per reason. */
  readonly texts: Readonly<Record<R, (count: number) => string>>;
}

export interface ReadLines<L> {
  /** Applicable lines, in file order. */
  readonly lines: readonly L[];
  /** Messages about ignored lines (one per reason), exceeded limits and a truncated last line. */
  readonly notes: readonly string[];
  /** True if the last line has no newline, for example after a crash. */
  readonly torn: boolean;
}

export interface JournalLimits {
  readonly lines: number;
  readonly damaged: number;
}

export const JOURNAL_LIMITS: JournalLimits = { lines: 500_000, damaged: 1000 };

/**
 * Tests whether a file may be a journal of a kind: it is empty or contains a (possibly truncated)
 * line of this kind.
 */
export const hasJournalLine = (first: string, content: string): boolean =>
  content.startsWith(first) || content.includes(`\n${first}`) || first.startsWith(content);

/** Reads a journal and yields to other work. Lines past the limits are ignored, with a note. */
export async function readJournalLines<L, R extends string>(
  content: string,
  { first, decode, foreign, texts }: JournalKind<L, R>,
  rest: YieldIfDue,
  limits: JournalLimits = JOURNAL_LIMITS,
): Promise<ReadLines<L>> {
  const ignored = new Map<R, number>();
  const lines: L[] = [];
  // Ignore the last line without a newline, even if it can be decoded: its write was never
  // confirmed.
  const truncated = content !== '' && !content.endsWith('\n');
  let count = 0;
  let damaged = 0;
  let stopped: number | undefined;
  for (const { text, number } of createLineSplitter(MAX_LINE_CHARACTERS).lines(content)) {
    if (++count > limits.lines || damaged > limits.damaged) {
      stopped = number;
      break;
    }
    const decoded = text.startsWith(first) ? decode(parsed(text)) : undefined;
    const why = decoded === undefined ? undefined : foreign(decoded);
    if (decoded === undefined) damaged++;
    else if (why === undefined) lines.push(decoded);
    else ignored.set(why, (ignored.get(why) ?? 0) + 1);
    const pause = rest();
    if (pause !== undefined) await pause;
  }
  const notes = [
    ...[...ignored].map(([why, asides]) => texts[why](asides)),
    ...(damaged === 0 ? [] : [t('Ignored {0} unreadable journal lines.', damaged)]),
    ...(stopped === undefined ? [] : [stoppedText(stopped, limits)]),
    ...(truncated ? [truncatedText()] : []),
  ];
  return { lines, torn: truncated, notes };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const truncatedText = (): string =>
  t('The last journal line is truncated; that measurement will be repeated.');

const stoppedText = (line: number, { lines, damaged }: JournalLimits): string =>
  t(
    'Reading the journal stopped at line {0}. The limits are {1} lines and {2} damaged lines. Fix: choose another file with --journal.',
    line,
    lines,
    damaged,
  );
