/** Reads specs, adopted schedules and runs of two commits, and compares the runs. */
import path from 'node:path';
import { tablesWith } from '../core/defaults/dispatch/shipped';
import { parseAdopted } from '../core/defaults/dispatch/rowLines';
import type { DispatchTable } from '../core/defaults/dispatch/table';
import { resolve, withDispatched } from '../core/defaults/resolve';
import type { ListedFile } from '../core/measure/historyFile';
import { createHistoryReader } from '../core/measure/historyReader';
import { regress, type RecordedRun, type RegressReport } from '../core/measure/regress';
import { specKey } from '../core/plan/specKey';
import { parseSpec } from '../core/spec/decode';
import type { GitOptions } from './git';
import { READ_SLICES } from './journalFile';
import { commitOf, filesOf, type Found } from './repository';
import { messageOf } from './text';

export interface RegressRequest {
  /** Folder inside of the repository. */
  readonly folder: string;
  readonly before: string;
  /** Undefined for the work tree. */
  readonly after: string | undefined;
  readonly maxSlowdownPercent: number;
}

export interface Regressed {
  readonly report: RegressReport;
  /** Lines, files and specs that were not used. */
  readonly notes: readonly string[];
}

const GLOBS = ['**/*.gemm.json', '**/.gemm/dispatch.json', '**/.gemm/dispatch.jsonl'];
const RUNS_GLOB = '**/.gemm/runs/*.jsonl';

export async function regressCommits(
  { folder, before, after, maxSlowdownPercent }: RegressRequest,
  options: GitOptions = {},
): Promise<Found<Regressed>> {
  const sides: Side[] = [];
  for (const name of [before, after]) {
    const found = name === undefined ? undefined : await commitOf(folder, name, options);
    if (found?.ok === false) return found;
    const read = await filesOf(folder, found?.commit, [...GLOBS, RUNS_GLOB], options);
    if (!read.ok) return read;
    sides.push({ name: name ?? 'work tree', commit: found?.commit, files: read.files });
  }
  const [first, second] = sides as [Side, Side];
  const [older, newer] = [await contentOf(first), await contentOf(second)];
  const names = new Set([...older.keys.keys(), ...newer.keys.keys()]);
  const report = regress({
    commits: {
      before: first.commit ?? '',
      ...(second.commit === undefined ? {} : { after: second.commit }),
    },
    specs: [...names].map(name => {
      const [one, other] = [older.keys.get(name), newer.keys.get(name)];
      return {
        name,
        ...(one === undefined ? {} : { before: one }),
        ...(other === undefined ? {} : { after: other }),
      };
    }),
    before: older.runs,
    after: newer.runs,
    maxSlowdownPercent,
  });
  return { ok: true, report, notes: [...older.notes, ...newer.notes] };
}

interface Side {
  readonly name: string;
  readonly commit: string | undefined;
  readonly files: ReadonlyMap<string, string>;
}

interface Content {
  /** Key of each spec, by path. */
  readonly keys: ReadonlyMap<string, string>;
  readonly runs: readonly RecordedRun[];
  readonly notes: readonly string[];
}

async function contentOf({ name, files }: Side): Promise<Content> {
  const tables = new Map<string, readonly DispatchTable[] | undefined>();
  const tablesAt = (folder: string): readonly DispatchTable[] | undefined => {
    if (!tables.has(folder)) tables.set(folder, adoptedAt(folder, files));
    return tables.get(folder);
  };
  const keys = new Map<string, string>();
  const notes: string[] = [];
  for (const [file, text] of files) {
    if (!file.endsWith('.gemm.json')) continue;
    try {
      const decoded = parseSpec(text, []);
      const [first] = decoded.ok ? [] : decoded.errors;
      if (first !== undefined) throw new Error(`${first.path}: ${first.message}`);
      if (decoded.ok)
        keys.set(
          file,
          specKey(resolve(withTables(decoded.spec, tablesAt(path.posix.dirname(file))))),
        );
    } catch (error) {
      notes.push(`${name}: ${file} is not used: ${messageOf(error)}`);
    }
  }
  const { runs, notes: unread } = await runsOf(name, files);
  return { keys, runs, notes: [...notes, ...unread] };
}

const withTables = (
  spec: Parameters<typeof resolve>[0],
  tables: readonly DispatchTable[] | undefined,
): Parameters<typeof resolve>[0] =>
  tables === undefined || spec.schedule !== undefined ? spec : withDispatched(spec, tables);

/** Returns the tables of a folder, or of the nearest parent folder with adopted schedules. */
function adoptedAt(
  folder: string,
  files: ReadonlyMap<string, string>,
): readonly DispatchTable[] | undefined {
  for (let at = folder; ; at = path.posix.dirname(at)) {
    const [lines, old] = ['dispatch.jsonl', 'dispatch.json'].map(name =>
      files.get(path.posix.join(at, '.gemm', name)),
    );
    if (lines !== undefined || old !== undefined) {
      const { rows } = parseAdopted({ lines, old });
      return rows.length === 0 ? undefined : tablesWith(rows);
    }
    if (at === '.') return undefined;
  }
}

async function runsOf(
  side: string,
  files: ReadonlyMap<string, string>,
): Promise<Pick<Content, 'runs' | 'notes'>> {
  const folders = new Map<string, ListedFile[]>();
  for (const [file, text] of files) {
    if (!file.endsWith('.jsonl') || path.posix.basename(path.posix.dirname(file)) !== 'runs')
      continue;
    const folder = path.posix.dirname(file);
    const listed = listedFile(path.posix.basename(file), text);
    folders.set(folder, [...(folders.get(folder) ?? []), listed]);
  }
  const histories = await createHistoryReader(READ_SLICES).read(
    new Map([...folders].map(([folder, list]) => [folder, { files: list, unread: [] }])),
  );
  const notes = [...histories].flatMap(([folder, { damaged, unread }]) => [
    ...damaged.map(({ file, number }) => `${side}: ${folder}/${file}:${number} is not used.`),
    ...unread.map(({ name, why }) => `${side}: ${folder}/${name}: ${why}`),
  ]);
  return { runs: [...histories.values()].flatMap(({ runs }) => runs), notes };
}

const listedFile = (name: string, text: string): ListedFile => ({
  name,
  bytes: Buffer.byteLength(text),
  changedMs: 0,
  stamp: '',
  // eslint-disable-next-line @typescript-eslint/require-await -- the interface is asynchronous
  chunks: async function* () {
    yield text;
  },
});
