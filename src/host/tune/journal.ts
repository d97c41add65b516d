/** Stores the journal of a tuning run on disk. */
import { t } from '@vscode/l10n';
import type { MeasurementKey, Found, MeasurementStore } from '../../core/search/tune/bench';
import {
  isJournal,
  readJournal,
  TUNE_PROTOCOL,
  type JournalIdentity,
  type JournalLine,
} from '../../core/search/tune/journal';
import { createYield } from '../../core/measure/timeSlices';
import {
  journalFrom,
  openJournalFile,
  READ_SLICES,
  type JournalFile,
  type NotOpened,
} from '../journalFile';

export interface Journal extends MeasurementStore {
  readonly name: string;
  /** Messages about ignored lines of the file, and about a failure to lock the file. */
  readonly notes: readonly string[];
  readonly close: () => Promise<void>;
}

export type OpenedJournal = { readonly ok: true; readonly journal: Journal } | NotOpened;

export interface JournalOptions {
  readonly file: string;
  readonly identity: JournalIdentity;
  /** Whether to ignore the measurements in the file; they are not removed. */
  readonly fresh?: boolean;
}

export async function openJournal(options: JournalOptions): Promise<OpenedJournal> {
  const opened = await openJournalFile({
    file: options.file,
    kind: 'tune',
    isJournal,
    texts: {
      busy: (owner, file) =>
        t(
          "Another tuning run ({0}) is writing '{1}'. Fix: wait for that tuning run, or choose a different file with --journal.",
          owner,
          file,
        ),
      foreign: file =>
        t(
          "'{0}' is not a tuning journal; it was left unchanged. Fix: choose a different file with --journal.",
          file,
        ),
    },
  });
  return opened.ok ? await journalFrom(opened.file, file => journalOf(file, options)) : opened;
}

async function journalOf(
  file: JournalFile,
  { identity, fresh = false }: JournalOptions,
): Promise<Journal> {
  const read = await readJournal(file.content, identity, createYield(READ_SLICES));
  if (read.torn) await file.endLine();
  const keyOf = ({ kernelKey, effort }: MeasurementKey): string => `${kernelKey} ${effort}`;
  const known = new Map<string, Found[]>();
  const add = (request: MeasurementKey, found: Found): void => {
    const key = keyOf(request);
    known.set(key, [...(known.get(key) ?? []), found]);
  };
  const lines = fresh ? [] : read.lines;
  for (const { measurement, effort, gpu } of lines) {
    const { kernelKey } = measurement;
    add({ kernelKey, effort }, { measurement, gpu: identity.gpus.indexOf(gpu) });
  }
  const { unlocked } = file;
  return {
    name: file.name,
    known: lines.length,
    notes: [...read.notes, ...(unlocked === undefined ? [] : [unlockedText(unlocked)])],
    find: (request, gpu) =>
      known.get(keyOf(request))?.find(found => gpu === undefined || found.gpu === gpu),
    keep: async (request, found) => {
      const { problem, target, backend, driver, compiler } = identity;
      const line: JournalLine = {
        tune: 1,
        protocol: TUNE_PROTOCOL,
        problem,
        target,
        backend,
        driver,
        compiler,
        gpu: identity.gpus[found.gpu] ?? '',
        effort: request.effort,
        measurement: { ...found.measurement, kernelKey: request.kernelKey },
      };
      await file.append(line);
      add(request, found);
    },
    close: file.close,
  };
}

const unlockedText = (why: string): string =>
  t('The journal could not be locked, so another tuning run may write to it: {0}.', why);
