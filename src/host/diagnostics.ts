/** Maps messages of nvcc, the C++ compiler and ptxas to lines of a kernel file. */
import { kernelSites } from '../core/source/kernelSites';
import { demangle } from '../core/source/symbols';
import { plainText, printable } from './text';

export interface Diagnostic {
  /** Line and column, starting at 0 as in the editor API. */
  readonly line: number;
  readonly column: number;
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: string;
  readonly source: 'nvcc' | 'ptxas' | 'WGSL' | 'C++';
}

interface Found {
  readonly severity: string;
  readonly message: string;
  readonly source: 'nvcc' | 'ptxas';
  readonly file?: string;
  /**
   * Line, starting at 1; `Infinity` at the end of the source. Undefined if the message has no line.
   */
  readonly line?: number;
  readonly column?: number;
}

const MAX_PROBLEMS = 200;

/**
 * Parses the messages in a compiler log and maps them to lines of `text`, which was compiled as
 * `fileName`. Never throws.
 */
export function parseDiagnostics(
  log: string,
  text: string,
  fileName: string,
): readonly Diagnostic[] {
  const file = text.split(/\r?\n/);
  const lines = plainText(log).split('\n');
  const found = new Map<string, Diagnostic>();
  lines.forEach((line, index) => {
    const message = found.size < MAX_PROBLEMS ? decodeLine(line) : undefined;
    if (message === undefined) return;
    const diagnostic: Diagnostic = {
      ...place(message, file, fileName, lines.slice(index + 1, index + 3)),
      severity: severityOf(message.severity),
      message: describe(message, fileName),
      source: message.source,
    };
    // nvcc compiles the file for the device and the host, and both compilations report the same
    // messages.
    found.set(`${diagnostic.line} ${diagnostic.message}`, diagnostic);
  });
  return [...found.values()];
}

function decodeLine(line: string): Found | undefined {
  const short = line.slice(0, 2000);
  const edg =
    /^(.{1,500}?)\((\d{1,9})\): (catastrophic error|error|warning|remark)(?: #[\w-]+)?: (.+)$/.exec(
      short,
    );
  if (edg !== null) return located(edg[1], edg[2], undefined, edg[3], edg[4]);
  const gcc = /^(.{1,500}?):(\d{1,9}):(\d{1,9}): (fatal error|error|warning): (.+)$/.exec(short);
  if (gcc !== null) return located(gcc[1], gcc[2], gcc[3], gcc[4], gcc[5]);
  const end = /^At end of source: (error|warning)(?: #[\w-]+)?: (.+)$/.exec(short);
  if (end !== null)
    return { severity: end[1] ?? '', message: end[2] ?? '', source: 'nvcc', line: Infinity };
  const ptxas = /^ptxas (?:.{1,500}, line \d{1,9}; )?(error|warning|fatal) *: (.+)$/.exec(short);
  if (ptxas !== null) return { severity: ptxas[1] ?? '', message: ptxas[2] ?? '', source: 'ptxas' };
  const driver = /^nvcc (fatal|error|warning) *: (.+)$/.exec(short);
  if (driver !== null)
    return { severity: driver[1] ?? '', message: driver[2] ?? '', source: 'nvcc' };
  return undefined;
}

function located(
  file = '',
  line = '0',
  column: string | undefined,
  severity = '',
  message = '',
): Found {
  return {
    file,
    line: Number(line),
    severity,
    message,
    source: 'nvcc',
    ...(column === undefined ? {} : { column: Number(column) - 1 }),
  };
}

const severityOf = (word: string): Diagnostic['severity'] =>
  /error|fatal/.test(word) ? 'error' : word === 'warning' ? 'warning' : 'info';

/**
 * Formats a message. If the message is about a different file, the result includes the name and
 * line of that file.
 */
function describe(found: Found, fileName: string): string {
  const message = printable(found.message, 1000);
  const elsewhere = found.file !== undefined && baseName(found.file) !== fileName;
  return elsewhere ? `${printable(found.file, 200)}(${found.line ?? 0}): ${message}` : message;
}

const baseName = (file: string): string => file.split(/[\\/]/).pop() ?? file;

function place(
  found: Found,
  file: readonly string[],
  fileName: string,
  next: readonly string[],
): { line: number; column: number } {
  if (found.source === 'ptxas') return atName(found.message, file);
  if (found.file !== undefined && baseName(found.file) !== fileName) return { line: 0, column: 0 };
  const line = Math.max(0, Math.min((found.line ?? 1) - 1, file.length - 1));
  const text = file[line] ?? '';
  return { line, column: Math.min(found.column ?? caretColumn(text, next), text.length) };
}

/**
 * Locates a ptxas message, whose line numbers refer to PTX. Searches the kernel file for the quoted
 * kernel or word.
 */
function atName(message: string, file: readonly string[]): { line: number; column: number } {
  const names = [...message.matchAll(/'([^']{2,200})'/g)].map(match => demangle(match[1] ?? ''));
  const sites = kernelSites(file.join('\n'));
  const site = sites.find(({ entry }) => names.includes(entry));
  const quoted = file.findIndex(line => names.some(name => line.includes(name)));
  const line = site?.line ?? (quoted >= 0 ? quoted : (sites[0]?.line ?? 0));
  const columns = names.map(name => (file[line] ?? '').indexOf(name)).filter(at => at >= 0);
  return { line, column: columns[0] ?? 0 };
}

/**
 * Determines the column of a message. nvcc prints the source line with expanded macros and a caret
 * below it, so the columns differ from the file. The word above the caret and its occurrence in the
 * printed line determine the column in the file.
 */
function caretColumn(text: string, [printed = '', caret = '']: readonly string[]): number {
  const indentation = text.length - text.trimStart().length;
  const at = caret.indexOf('^');
  const word = at < 0 ? undefined : /^(?:\w+|\S)/.exec(printed.slice(at))?.[0];
  if (word === undefined || caret.trim() !== '^') return indentation;
  const before = printed.slice(0, at).split(word).length - 1;
  const columns = [...text.matchAll(new RegExp(escape(word), 'g'))].map(match => match.index);
  return columns[before] ?? columns.at(-1) ?? indentation;
}

const escape = (text: string): string => text.replace(/[^\w]/g, '\\$&');
