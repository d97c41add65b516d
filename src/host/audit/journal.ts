/** Stores the journal of an audit on disk, so that an interrupted audit continues. */
import path from 'node:path';
import { t } from '@vscode/l10n';
import {
  AUDIT_PROTOCOL,
  foreignAuditLine,
  isAuditJournal,
  readAuditJournal,
  type AuditIdentity,
  type AuditLine,
} from '../../core/audit/journal';
import { createYield } from '../../core/measure/timeSlices';
import type { Measurement } from '../../core/measure/measurement';
import { contentKey, defaultCacheFolder } from '../cache';
import {
  journalFrom,
  openJournalFile,
  READ_SLICES,
  type JournalFile,
  type NotOpened,
} from '../journalFile';

export interface AuditJournal {
  readonly name: string;
  /** Messages about ignored lines of the file, and about a failure to lock the file. */
  readonly notes: readonly string[];
  /** Measurements of shapes by their keys. */
  readonly known: ReadonlyMap<string, Measurement>;
  readonly keep: (
    line: Pick<AuditLine, 'key' | 'batchMs' | 'measurement' | 'gpu'>,
  ) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface AuditJournalOptions {
  readonly file: string;
  readonly identity: AuditIdentity;
  /** Kernel key of each shape. */
  readonly kernels: ReadonlyMap<string, string>;
  /** Whether to ignore the measurements in the file; they are not removed. */
  readonly fresh: boolean;
  /** Lines of other journals, such as those of other tasks. Lines of the file take precedence. */
  readonly others?: readonly AuditLine[];
}

/** Returns the default journal of a list of shapes, which depends on the path of the list. */
export function defaultAuditJournal(list: string): string {
  const absolute = path.resolve(list);
  const name = path
    .basename(absolute)
    .replace(/[^\w.-]/g, '_')
    .slice(0, 60);
  const folder = path.join(path.dirname(defaultCacheFolder()), 'audit');
  return path.join(folder, `${name}-${contentKey(absolute).slice(0, 8)}.jsonl`);
}

export async function openAuditJournal(
  options: AuditJournalOptions,
): Promise<{ readonly ok: true; readonly journal: AuditJournal } | NotOpened> {
  const opened = await openJournalFile({
    file: options.file,
    kind: 'audit',
    isJournal: isAuditJournal,
    texts: {
      busy: (owner, file) =>
        t(
          "Another audit ({0}) is writing '{1}'. Fix: wait for that audit, or choose a different file with --journal.",
          owner,
          file,
        ),
      foreign: file =>
        t(
          "'{0}' is not the journal of an audit; it was left unchanged. Fix: choose a different file with --journal.",
          file,
        ),
    },
  });
  return opened.ok ? await journalFrom(opened.file, file => journalOf(file, options)) : opened;
}

async function journalOf(
  file: JournalFile,
  { identity, kernels, fresh, others = [] }: AuditJournalOptions,
): Promise<AuditJournal> {
  const rest = createYield(READ_SLICES);
  const read = await readAuditJournal(file.content, identity, kernels, rest);
  if (read.torn) await file.endLine();
  const { unlocked } = file;
  const applies = (line: AuditLine): boolean =>
    foreignAuditLine(line, { ...identity, gpus: [line.gpu] }, kernels) === undefined;
  const lines = [...others.filter(applies), ...(fresh ? [] : read.lines)];
  return {
    name: file.name,
    notes: [...read.notes, ...(unlocked === undefined ? [] : [unlockedText(unlocked)])],
    known: new Map(lines.map(({ key, measurement }) => [key, measurement])),
    keep: line => {
      const { driver, compiler } = identity;
      const whole: AuditLine = { audit: 1, protocol: AUDIT_PROTOCOL, driver, compiler, ...line };
      return file.append(whole);
    },
    close: file.close,
  };
}

const unlockedText = (why: string): string =>
  t('The journal could not be locked, so another audit may write to it: {0}.', why);
