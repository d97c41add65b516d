/**
 * The journal of tunes as text: one JSON line a measurement, with what it may be compared with. What belongs to another
 * problem, GPU, driver or compiler stays in the file and is left aside.
 */
import { t } from '@vscode/l10n';
import * as v from 'valibot';
import { hashText } from '../../text/hash';
import { EFFORTS } from '../../measure/backend';
import { MAX_LINE_CHARACTERS } from '../../measure/historyLine';
import { BACKENDS, measurementSchema } from '../../measure/measurement';
import type { Rest } from '../../measure/slices';
import { createLineSplitter } from '../../text/textLines';
import type { ResolvedProblem } from '../../spec/resolved';
import { TARGETS } from '../../spec/schema';

/** Raised when efforts, verification or what is timed change, so that times of before are not compared with times of after. */
export const TUNE_PROTOCOL = 1;

const text = v.pipe(v.string(), v.maxLength(2000));

const lineSchema = v.object({
  tune: v.literal(1),
  protocol: v.pipe(v.number(), v.safeInteger()),
  /** `problemId`. */
  problem: text,
  target: v.picklist(TARGETS),
  backend: v.picklist(BACKENDS),
  /** The GPU's own number where the driver tells it, else what the adapter says of itself. */
  gpu: text,
  driver: text,
  compiler: text,
  effort: v.picklist(EFFORTS),
  measurement: measurementSchema,
});
export type JournalLine = v.InferOutput<typeof lineSchema>;

/** What must be the same for times to be compared. */
export interface JournalIdentity extends Pick<
  JournalLine,
  'problem' | 'target' | 'backend' | 'driver' | 'compiler'
> {
  /** Of the GPUs that measure. */
  readonly gpus: readonly string[];
}

export const problemId = (problem: ResolvedProblem): string =>
  hashText(JSON.stringify(problem)).slice(0, 24);

export interface ReadJournal {
  /** In their order. */
  readonly lines: readonly JournalLine[];
  /** What was left aside, and why. */
  readonly notes: readonly string[];
  /** The last line has no end: a crash cut it short. */
  readonly torn: boolean;
}

const FIRST = '{"tune":1,';

/** Whether a tune has written to it, if only a part of its first line; what is empty may be one. */
export const isJournal = (content: string): boolean =>
  content.startsWith(FIRST) || content.includes(`\n${FIRST}`) || FIRST.startsWith(content);

type Aside = 'problem' | 'gpu' | 'driver' | 'compiler' | 'protocol' | 'damaged';

/** Lines that are decoded, damaged ones included; some hundred thousand measurements. */
export const JOURNAL_LIMITS = { lines: 500_000, damaged: 1000 } as const;

/** A long journal is read in slices. Past its limits the rest is left aside, with a note. */
export async function readJournal(
  content: string,
  identity: JournalIdentity,
  rest: Rest,
  limits: { readonly lines: number; readonly damaged: number } = JOURNAL_LIMITS,
): Promise<ReadJournal> {
  const aside = new Map<Aside, number>();
  const lines: JournalLine[] = [];
  // Whether or not the last line can be read without its newline: nobody waited for it to be written.
  const torn = content !== '' && !content.endsWith('\n');
  let count = 0;
  let stopped: number | undefined;
  for (const { text, number } of createLineSplitter(MAX_LINE_CHARACTERS).lines(content)) {
    if (++count > limits.lines || (aside.get('damaged') ?? 0) > limits.damaged) {
      stopped = number;
      break;
    }
    const decoded = decode(text);
    const why = decoded === undefined ? 'damaged' : foreign(decoded, identity);
    if (decoded !== undefined && why === undefined) lines.push(decoded);
    else if (why !== undefined) aside.set(why, (aside.get(why) ?? 0) + 1);
    const pause = rest();
    if (pause !== undefined) await pause;
  }
  const notes = [
    ...[...aside].map(([why, asides]) => WORDS[why](asides)),
    ...(stopped === undefined ? [] : [stoppedText(stopped, limits)]),
    ...(torn ? [tornText()] : []),
  ];
  return { lines, torn, notes };
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

function foreign(line: JournalLine, identity: JournalIdentity): Aside | undefined {
  const { problem, target, backend } = identity;
  if (line.problem !== problem || line.target !== target || line.backend !== backend) {
    return 'problem';
  }
  if (!identity.gpus.includes(line.gpu)) return 'gpu';
  if (line.driver !== identity.driver) return 'driver';
  if (line.compiler !== identity.compiler) return 'compiler';
  return line.protocol === TUNE_PROTOCOL ? undefined : 'protocol';
}

const WORDS: Readonly<Record<Aside, (count: number) => string>> = {
  problem: count => t('{0} results of another problem, target or backend are left aside.', count),
  gpu: count => t('{0} results of another GPU are left aside.', count),
  driver: count => t('{0} results under another driver are left aside.', count),
  compiler: count => t('{0} results of another compiler are left aside.', count),
  protocol: count => t('{0} results that were timed in another way are left aside.', count),
  damaged: count => t('{0} lines of the journal cannot be read and are left aside.', count),
};

const tornText = (): string =>
  t('The last line of the journal was cut short: that measurement is made again.');

const stoppedText = (
  line: number,
  { lines, damaged }: { readonly lines: number; readonly damaged: number },
): string =>
  t(
    'The journal is not read from line {0} on: up to {1} lines and {2} damaged lines are read. Name another file with --journal.',
    line,
    lines,
    damaged,
  );
