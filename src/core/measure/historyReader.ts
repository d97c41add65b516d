/**
 * Reads the run histories of all workspace folders within the limits, in time slices. A file is
 * read again only if its stamp or its line limit has changed.
 */
import { t } from '@vscode/l10n';
import { joinHistory, type History } from './history';
import { decodeFile, nothingOf, type DecodedFile, type ListedFile } from './historyFile';
import type { RunRecord } from './historyLine';
import { createYield, type YieldIfDue, type EventLoop } from './timeSlices';

/** Files of a history folder, and the files that could not be listed, each with the reason. */
export interface ListedFolder {
  readonly files: readonly ListedFile[];
  readonly unread: readonly UnreadFile[];
}

export interface UnreadFile {
  readonly name: string;
  readonly why: string;
}

export interface FolderHistory extends History {
  readonly unread: readonly UnreadFile[];
}

/** Limits on the total bytes and lines in the history files of all folders. */
export interface HistoryLimits {
  readonly bytes: number;
  readonly lines: number;
}

export const HISTORY_LIMITS: HistoryLimits = { bytes: 64 * 2 ** 20, lines: 100_000 };

export const MAX_RUNS_FILES = 5000;

export const tooManyFiles = (): string =>
  t(
    'only {0} files of .gemm/runs are read. Fix: move old files out of .gemm/runs.',
    MAX_RUNS_FILES,
  );

export interface HistoryReader {
  /** Returns the history of each folder, by folder name. */
  readonly read: (
    folders: ReadonlyMap<string, ListedFolder>,
  ) => Promise<ReadonlyMap<string, FolderHistory>>;
}

interface Remembered {
  readonly stamp: string;
  readonly file: DecodedFile;
  /** Line limit that applied when the file was decoded. */
  readonly mostLines: number;
}

export function createHistoryReader(turns: EventLoop, limits = HISTORY_LIMITS): HistoryReader {
  let remembered: ReadonlyMap<string, Remembered> = new Map();

  const decode = (key: string, file: ListedFile, mostLines: number, rest: YieldIfDue) => {
    const old = remembered.get(key);
    // A file that exceeded the line limit earlier may fit now.
    const holds =
      old !== undefined &&
      (old.mostLines === mostLines || old.file.lines <= Math.min(old.mostLines, mostLines));
    if (old?.stamp === file.stamp && holds) return old.file;
    const known = new Map<string, RunRecord>(old?.file.runs.map(run => [run.line, run]));
    return decodeFile(file, { rest, mostLines, known });
  };

  return {
    read: async folders => {
      const rest = createYield(turns);
      const now = new Map<string, Remembered>();
      const found = new Map<string, DecodedFile>();
      let { bytes, lines } = limits;
      const all = [...folders].flatMap(([folder, { files }]) =>
        files.map(file => ({ key: `${folder}\n${file.name}`, file })),
      );
      for (const { key, file } of all.toSorted(newestFirst)) {
        if (file.bytes > bytes) {
          found.set(key, nothingOf(file.name, tooLarge(file.bytes, limits.bytes)));
          continue;
        }
        try {
          const decoded = await decode(key, file, lines, rest);
          now.set(key, { stamp: file.stamp, file: decoded, mostLines: lines });
          found.set(key, decoded);
          bytes -= Math.min(file.bytes, decoded.characters);
          lines -= Math.min(lines, decoded.lines);
        } catch (error) {
          found.set(key, nothingOf(file.name, couldNotRead(error)));
        }
      }
      remembered = now;
      const histories = new Map<string, FolderHistory>();
      for (const [folder, { files, unread }] of folders) {
        const decoded = files.flatMap(({ name }) => found.get(`${folder}\n${name}`) ?? []);
        const history = await joinHistory(decoded, rest);
        const notRead = decoded.flatMap(({ name, unread: why }) =>
          why === undefined ? [] : [{ name, why }],
        );
        histories.set(folder, { ...history, unread: [...unread, ...notRead] });
      }
      return histories;
    },
  };
}

const newestFirst = (
  one: { readonly key: string; readonly file: ListedFile },
  other: { readonly key: string; readonly file: ListedFile },
): number =>
  other.file.changedMs - one.file.changedMs ||
  (one.key < other.key ? -1 : one.key > other.key ? 1 : 0);

const couldNotRead = (error: unknown): string =>
  t('not read: {0}', error instanceof Error ? error.message : String(error));

const megabytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);

const tooLarge = (bytes: number, most: number): string =>
  t(
    'not read: newer files and this file ({0} MiB) exceed the limit of {1} MiB for .gemm/runs. Fix: move old files out of .gemm/runs.',
    megabytes(bytes),
    megabytes(most),
  );
