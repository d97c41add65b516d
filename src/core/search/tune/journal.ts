/**
 * Reads the tuning journal: one JSON line per measurement, with problem, GPU, driver and compiler.
 * Lines with other values are ignored but remain in the file.
 */
import { t } from '@vscode/l10n';
import * as v from 'valibot';
import { hashText } from '../../text/hash';
import { EFFORTS } from '../../measure/backend';
import { MAX_LINE_CHARACTERS } from '../../measure/historyLine';
import { BACKENDS, measurementSchema } from '../../measure/measurement';
import type { YieldIfDue } from '../../measure/timeSlices';
import { createLineSplitter } from '../../text/textLines';
import type { ResolvedProblem } from '../../spec/resolved';
import { TARGETS } from '../../spec/schema';

/**
 * Version of the timing protocol. Increment it if efforts, verification or the timed region change,
 * so that old and new times are not compared.
 */
export const TUNE_PROTOCOL = 2;

const text = v.pipe(v.string(), v.maxLength(2000));

const lineSchema = v.object({
  tune: v.literal(1),
  protocol: v.pipe(v.number(), v.safeInteger()),
  problem: text,
  target: v.picklist(TARGETS),
  backend: v.picklist(BACKENDS),
  /** The GPU's UUID if the driver reports it, otherwise the adapter's description. */
  gpu: text,
  driver: text,
  compiler: text,
  effort: v.picklist(EFFORTS),
  measurement: measurementSchema,
});
export type JournalLine = v.InferOutput<typeof lineSchema>;

/** Properties that must be equal for times to be comparable. */
export interface JournalIdentity extends Pick<
  JournalLine,
  'problem' | 'target' | 'backend' | 'driver' | 'compiler'
> {
  /** UUIDs or adapter descriptions of the measuring GPUs. */
  readonly gpus: readonly string[];
}

export const problemId = (problem: ResolvedProblem): string =>
  hashText(JSON.stringify(problem)).slice(0, 24);

export interface ReadJournal {
  /** Applicable lines, in file order. */
  readonly lines: readonly JournalLine[];
  /** Messages about ignored lines (one per reason), exceeded limits and a truncated last line. */
  readonly notes: readonly string[];
  /** True if the last line has no newline, for example after a crash. */
  readonly torn: boolean;
}

const FIRST = '{"tune":1,';

/**
 * Tests whether a file may be a tuning journal: it is empty or contains a (possibly truncated)
 * journal line.
 */
export const isJournal = (content: string): boolean =>
  content.startsWith(FIRST) || content.includes(`\n${FIRST}`) || FIRST.startsWith(content);

type IgnoreReason = 'problem' | 'gpu' | 'driver' | 'compiler' | 'protocol' | 'damaged';

export const JOURNAL_LIMITS = { lines: 500_000, damaged: 1000 } as const;

/** Reads a journal and yields to other work. Lines past the limits are ignored, with a note. */
export async function readJournal(
  content: string,
  identity: JournalIdentity,
  rest: YieldIfDue,
  limits: { readonly lines: number; readonly damaged: number } = JOURNAL_LIMITS,
): Promise<ReadJournal> {
  const ignored = new Map<IgnoreReason, number>();
  const lines: JournalLine[] = [];
  // Ignore the last line without a newline, even if it can be decoded: its write was never
  // confirmed.
  const truncated = content !== '' && !content.endsWith('\n');
  let count = 0;
  let stopped: number | undefined;
  for (const { text, number } of createLineSplitter(MAX_LINE_CHARACTERS).lines(content)) {
    if (++count > limits.lines || (ignored.get('damaged') ?? 0) > limits.damaged) {
      stopped = number;
      break;
    }
    const decoded = decode(text);
    const why = decoded === undefined ? 'damaged' : foreign(decoded, identity);
    if (decoded !== undefined && why === undefined) lines.push(decoded);
    else if (why !== undefined) ignored.set(why, (ignored.get(why) ?? 0) + 1);
    const pause = rest();
    if (pause !== undefined) await pause;
  }
  const notes = [
    ...[...ignored].map(([why, asides]) => IGNORED_TEXTS[why](asides)),
    ...(stopped === undefined ? [] : [stoppedText(stopped, limits)]),
    ...(truncated ? [truncatedText()] : []),
  ];
  return { lines, torn: truncated, notes };
}

function decode(line: string): JournalLine | undefined {
  if (!line.startsWith(FIRST)) return undefined;
  try {
    const decoded = v.safeParse(lineSchema, JSON.parse(line));
    return decoded.success ? decoded.output : undefined;
  } catch {
    return undefined;
  }
}

function foreign(line: JournalLine, identity: JournalIdentity): IgnoreReason | undefined {
  const { problem, target, backend } = identity;
  if (line.problem !== problem || line.target !== target || line.backend !== backend) {
    return 'problem';
  }
  if (!identity.gpus.includes(line.gpu)) return 'gpu';
  if (line.driver !== identity.driver) return 'driver';
  if (line.compiler !== identity.compiler) return 'compiler';
  return line.protocol === TUNE_PROTOCOL ? undefined : 'protocol';
}

const IGNORED_TEXTS: Readonly<Record<IgnoreReason, (count: number) => string>> = {
  problem: count => t('Ignored {0} results of a different problem, target or backend.', count),
  gpu: count => t('Ignored {0} results of a different GPU.', count),
  driver: count => t('Ignored {0} results with a different driver version.', count),
  compiler: count => t('Ignored {0} results of a different compiler.', count),
  protocol: count => t('Ignored {0} results with a different timing protocol.', count),
  damaged: count => t('Ignored {0} unreadable journal lines.', count),
};

const truncatedText = (): string =>
  t('The last journal line is truncated; that measurement will be repeated.');

const stoppedText = (
  line: number,
  { lines, damaged }: { readonly lines: number; readonly damaged: number },
): string =>
  t(
    'Reading the journal stopped at line {0}. The limits are {1} lines and {2} damaged lines. Fix: choose another file with --journal.',
    line,
    lines,
    damaged,
  );
