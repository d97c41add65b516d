/**
 * Reads the tuning journal: one JSON line per measurement, with problem, GPU, driver and compiler.
 * Lines with other values are ignored but remain in the file.
 */
import { t } from '@vscode/l10n';
import * as v from 'valibot';
import { hashText } from '../../text/hash';
import { EFFORTS } from '../../measure/backend';
import {
  hasJournalLine,
  JOURNAL_LIMITS,
  readJournalLines,
  type JournalLimits,
  type ReadLines,
} from '../../measure/journalLines';
import { BACKENDS, measurementSchema } from '../../measure/measurement';
import type { YieldIfDue } from '../../measure/timeSlices';
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

export type ReadJournal = ReadLines<JournalLine>;

const FIRST = '{"tune":1,';

/**
 * Tests whether a file may be a tuning journal: it is empty or contains a (possibly truncated)
 * journal line.
 */
export const isJournal = (content: string): boolean => hasJournalLine(FIRST, content);

type IgnoreReason = 'problem' | 'gpu' | 'driver' | 'compiler' | 'protocol';

/** Reads a journal and yields to other work. Lines past the limits are ignored, with a note. */
export const readJournal = (
  content: string,
  identity: JournalIdentity,
  rest: YieldIfDue,
  limits: JournalLimits = JOURNAL_LIMITS,
): Promise<ReadJournal> =>
  readJournalLines(
    content,
    { first: FIRST, decode, foreign: line => foreign(line, identity), texts: IGNORED_TEXTS },
    rest,
    limits,
  );

/** Key of a measurement; a journal has at most one line per key, unless a write was repeated. */
export const lineKey = ({ measurement, effort, gpu }: JournalLine): string =>
  `${measurement.kernelKey} ${effort} ${gpu}`;

/** Reads the journal of a task. Lines of all GPUs, drivers and compilers apply. */
export const readTaskJournal = (
  content: string,
  { problem, target, backend }: Pick<JournalIdentity, 'problem' | 'target' | 'backend'>,
  rest: YieldIfDue,
): Promise<ReadJournal> => {
  const ofAny = (line: JournalLine): IgnoreReason | undefined => {
    const { gpu, driver, compiler } = line;
    return foreign(line, { problem, target, backend, gpus: [gpu], driver, compiler });
  };
  return readJournalLines(
    content,
    { first: FIRST, decode, foreign: ofAny, texts: IGNORED_TEXTS },
    rest,
  );
};

function decode(value: unknown): JournalLine | undefined {
  const decoded = v.safeParse(lineSchema, value);
  return decoded.success ? decoded.output : undefined;
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
};
