/** Reads a list of shapes. The format is recognized from the content. */
import { t } from '@vscode/l10n';
import { decodeSpec } from '../../spec/decode';
import { csvLines, type CsvLine } from './csv';
import { isCutlass, readCutlass } from './cutlass';
import { readJson } from './jsonList';
import { COLUMNS, isPlainList, readPlainList } from './plainList';
import {
  isEntry,
  issue,
  type ReadShape,
  type ShapeEntry,
  type ShapeFormat,
  type ShapeIssue,
} from './shape';
import { isTunableOp, readTunableOp } from './tunableOp';

export interface ShapeList {
  readonly format: ShapeFormat;
  readonly entries: readonly ShapeEntry[];
  /** Lines that are not entries, in file order. */
  readonly issues: readonly ShapeIssue[];
  readonly notes: readonly string[];
}

export type ReadList =
  | { readonly ok: true; readonly list: ShapeList }
  | { readonly ok: false; readonly message: string };

export function readShapes(text: string): ReadList {
  const plain = text.replace(/^\uFEFF/, '');
  if (/^\s*[[{]/.test(plain)) {
    const found = readJson(plain);
    if (typeof found === 'string') return { ok: false, message: found };
    return listOf(found.format, found.read, []);
  }
  const lines = csvLines(plain);
  if (isCutlass(lines)) return listOf('cutlass', readCutlass(lines), []);
  if (lines.some(isTunableOp)) return listOf('tunableop', readTunableOp(lines), []);
  if (isPlainList(lines)) {
    const { read, notes } = readPlainList(lines);
    return listOf('csv', read, notes);
  }
  return { ok: false, message: unknownText(lines) };
}

function unknownText([first]: readonly CsvLine[]): string {
  if (first === undefined)
    return t('The file has no shapes. Fix: add lines such as m,n,k and 4096,4096,4096.');
  return t(
    'The format is unknown: {0} is "{1}". Fix: use a TunableOp CSV, the CSV of the CUTLASS profiler, the JSON of nvbench, or a list with the header {2}.',
    first.place,
    first.text.slice(0, 60),
    COLUMNS.join(','),
  );
}

function listOf(
  format: ShapeFormat,
  read: readonly ReadShape[],
  notes: readonly string[],
): ReadList {
  const within = rangeCheck();
  const checked = read.map(within);
  return {
    ok: true,
    list: {
      format,
      entries: checked.filter(isEntry),
      issues: checked.flatMap(one => (isEntry(one) ? [] : [one])),
      notes,
    },
  };
}

/**
 * Returns a function that replaces an entry by an issue if its problem has a value outside of the
 * ranges of a spec. Each distinct problem is checked once.
 */
function rangeCheck(): (read: ReadShape) => ReadShape {
  const known = new Map<string, string | null>();
  return read => {
    if (!isEntry(read)) return read;
    const key = JSON.stringify(read.problem);
    const found = known.get(key);
    const message = found === undefined ? rangeError(read.problem) : found;
    known.set(key, message);
    return message === null ? read : issue('malformed', read.place, message);
  };
}

function rangeError(problem: ShapeEntry['problem']): string | null {
  const decoded = decodeSpec({ problem });
  const [first] = decoded.ok ? [] : decoded.errors;
  return first === undefined ? null : `${first.path}: ${first.message}`;
}
