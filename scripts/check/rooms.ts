/**
 * Checks the layers of the core, which are the folders directly in `src/core`. A layer imports only
 * itself and earlier layers.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/**
 * A file that imports another file; both paths are relative to the core and use forward slashes.
 */
export interface FileImport {
  readonly from: string;
  readonly to: string;
}

export interface RoomsReport {
  readonly outside: readonly string[];
  /** Imports from an earlier layer to a later layer. */
  readonly against: readonly FileImport[];
  /** Import cycles between layers; the first layer is repeated at the end. */
  readonly cycles: readonly (readonly string[])[];
  readonly counts: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

export const roomOf = (file: string): string =>
  file.includes('/') ? (file.split('/')[0] ?? '') : '';

export function importedNames(fileName: string, text: string): readonly string[] {
  const names: string[] = [];
  const add = (node: ts.Node | undefined): void => {
    if (node !== undefined && ts.isStringLiteralLike(node)) names.push(node.text);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) add(node.moduleSpecifier);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0]);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
      add(node.argument.literal);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(fileName, text, ts.ScriptTarget.Latest));
  return names;
}

export const sourceFiles = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(name => name.replaceAll(path.sep, '/'))
    .filter(name => name.endsWith('.ts'))
    .sort();

/**
 * Reads the imports between files of a folder, without imports of packages and of other folders.
 */
export const importsIn = (folder: string): readonly FileImport[] =>
  sourceFiles(folder).flatMap(from =>
    importedNames(from, readFileSync(path.join(folder, from), 'utf8'))
      .filter(name => name.startsWith('.'))
      .map(name => ({ from, to: path.posix.join(path.posix.dirname(from), name) }))
      .filter(({ to }) => !to.startsWith('..')),
  );

/** Checks files and imports against the order of layers, earliest first. */
export function checkRooms(
  files: readonly string[],
  imports: readonly FileImport[],
  order: readonly string[],
): RoomsReport {
  const counts = new Map<string, Map<string, number>>(order.map(room => [room, new Map()]));
  const between = imports.filter(({ from, to }) => roomOf(from) !== roomOf(to));
  for (const { from, to } of between) {
    const row = counts.get(roomOf(from)) ?? new Map<string, number>();
    row.set(roomOf(to), (row.get(roomOf(to)) ?? 0) + 1);
    counts.set(roomOf(from), row);
  }
  return {
    outside: files.filter(file => !order.includes(roomOf(file))),
    against: between.filter(
      ({ from, to }) => order.indexOf(roomOf(from)) < order.indexOf(roomOf(to)),
    ),
    cycles: cyclesOf(counts),
    counts,
  };
}

/** Finds import cycles by depth-first search. If there are cycles, at least one is found. */
function cyclesOf(counts: RoomsReport['counts']): readonly (readonly string[])[] {
  const cycles: (readonly string[])[] = [];
  const finished = new Set<string>();
  const visit = (room: string, way: readonly string[]): void => {
    const at = way.indexOf(room);
    if (at >= 0) cycles.push([...way.slice(at), room]);
    if (at >= 0 || finished.has(room)) return;
    for (const next of counts.get(room)?.keys() ?? []) visit(next, [...way, room]);
    finished.add(room);
  };
  for (const room of counts.keys()) visit(room, []);
  return cycles;
}

export const isInOrder = ({ outside, against, cycles }: RoomsReport): boolean =>
  outside.length + against.length + cycles.length === 0;

export function reportText(files: readonly string[], report: RoomsReport): string {
  const rows = [...report.counts].map(([room, row], i) => {
    const size = files.filter(file => roomOf(file) === room).length;
    const used = [...row].map(([other, count]) => `${other} ${count}`).join(', ');
    const place = String(i + 1).padStart(2);
    return `${place}. ${room.padEnd(10)} ${String(size).padStart(3)} files; imports ${used || 'none'}`;
  });
  const total = [...report.counts.values()]
    .flatMap(row => [...row.values()])
    .reduce((sum, count) => sum + count, 0);
  return [
    'Layers of src/core, earliest first:',
    ...rows,
    `${total} imports between layers, ${report.against.length} against the order, ${report.cycles.length} cycles.`,
    ...report.outside.map(file => `Error: ${file} is not in a layer of scripts/check/rooms.json.`),
    ...report.against.map(
      ({ from, to }) =>
        `Error: ${from} imports ${to}, but layer ${roomOf(to)} is later than layer ${roomOf(from)}.`,
    ),
    ...report.cycles.map(rooms => `Error: import cycle ${rooms.join(' -> ')}.`),
  ].join('\n');
}
