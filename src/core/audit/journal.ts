/**
 * Reads the journal of an audit: one JSON line per shape, with GPU, driver and compiler. Lines of
 * another machine are ignored but remain in the file.
 */
import { t } from '@vscode/l10n';
import * as v from 'valibot';
import { hasJournalLine, readJournalLines, type ReadLines } from '../measure/journalLines';
import { measurementSchema } from '../measure/measurement';
import type { YieldIfDue } from '../measure/timeSlices';

/**
 * Version of the timing protocol. Increment it if verification or the timed region change, so that
 * old and new times are not compared.
 */
export const AUDIT_PROTOCOL = 1;

const text = v.pipe(v.string(), v.maxLength(2000));

const lineSchema = v.object({
  audit: v.literal(1),
  protocol: v.pipe(v.number(), v.safeInteger()),
  /** UUID of the GPU. */
  gpu: text,
  driver: text,
  compiler: text,
  /** Key of the shape. */
  key: text,
  /** Duration of a timed batch in milliseconds. */
  batchMs: v.pipe(v.number(), v.finite(), v.minValue(0)),
  /** The measurement; its kernel key depends on the source of the kernel and on the compiler. */
  measurement: measurementSchema,
});
export type AuditLine = v.InferOutput<typeof lineSchema>;

/** Properties that must be equal for times to be comparable. */
export interface AuditIdentity extends Pick<AuditLine, 'driver' | 'compiler'> {
  readonly gpus: readonly string[];
}

const FIRST = '{"audit":1,';

export const isAuditJournal = (content: string): boolean => hasJournalLine(FIRST, content);

/**
 * @param kernels the kernel key of each shape; a line with another kernel key does not apply
 */
export const readAuditJournal = (
  content: string,
  identity: AuditIdentity,
  kernels: ReadonlyMap<string, string>,
  rest: YieldIfDue,
): Promise<ReadLines<AuditLine>> =>
  readLines(content, line => foreignAuditLine(line, identity, kernels), rest);

/** Reads the journal of a task. Lines of all GPUs, drivers and compilers apply. */
export const readAuditTaskJournal = (
  content: string,
  rest: YieldIfDue,
): Promise<ReadLines<AuditLine>> =>
  readLines(
    content,
    ({ protocol }) => (protocol === AUDIT_PROTOCOL ? undefined : 'protocol'),
    rest,
  );

/** Key of a measurement of a task. */
export const auditLineKey = ({ key, gpu, measurement }: AuditLine): string =>
  `${key} ${measurement.kernelKey} ${gpu}`;

const readLines = (
  content: string,
  foreign: (line: AuditLine) => IgnoreReason | undefined,
  rest: YieldIfDue,
): Promise<ReadLines<AuditLine>> =>
  readJournalLines(content, { first: FIRST, decode, foreign, texts: IGNORED_TEXTS }, rest);

function decode(value: unknown): AuditLine | undefined {
  const decoded = v.safeParse(lineSchema, value);
  return decoded.success ? decoded.output : undefined;
}

type IgnoreReason = 'shape' | 'kernel' | 'gpu' | 'driver' | 'compiler' | 'protocol';

/** Returns why a line does not apply to an audit; undefined if it applies. */
export function foreignAuditLine(
  line: AuditLine,
  identity: AuditIdentity,
  kernels: ReadonlyMap<string, string>,
): IgnoreReason | undefined {
  if (!identity.gpus.includes(line.gpu)) return 'gpu';
  if (line.driver !== identity.driver) return 'driver';
  if (line.compiler !== identity.compiler) return 'compiler';
  if (line.protocol !== AUDIT_PROTOCOL) return 'protocol';
  const kernel = kernels.get(line.key);
  if (kernel === undefined) return 'shape';
  return kernel === line.measurement.kernelKey ? undefined : 'kernel';
}

const IGNORED_TEXTS: Readonly<Record<IgnoreReason, (count: number) => string>> = {
  shape: count => t('Ignored {0} results of shapes that are not in the file.', count),
  kernel: count => t('Ignored {0} results of kernels whose source has changed.', count),
  gpu: count => t('Ignored {0} results of a different GPU.', count),
  driver: count => t('Ignored {0} results with a different driver version.', count),
  compiler: count => t('Ignored {0} results of a different compiler.', count),
  protocol: count => t('Ignored {0} results with a different timing protocol.', count),
};
