/** Reads shapes from JSON: results of nvbench, and this product's own lists. */
import { t } from '@vscode/l10n';
import { decodeSpec } from '../../spec/decode';
import { locate, syntaxErrorAt } from '../../spec/jsonText';
import { operandsOf } from './plainList';
import { isNvbench, readNvbench } from './nvbench';
import { issue, type ReadShape, type ShapeFormat } from './shape';

const EXAMPLE = '{"m": 4096, "n": 4096, "k": 4096}';

export interface JsonShapes {
  readonly format: Extract<ShapeFormat, 'nvbench' | 'json'>;
  readonly read: readonly ReadShape[];
}

/** Returns the shapes of a JSON text, or a message that names the line of an error. */
export function readJson(text: string): JsonShapes | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return syntaxText(text);
  }
  if (isNvbench(value)) return { format: 'nvbench', read: readNvbench(value) };
  const found = listOf(value);
  if (found === undefined)
    return t(
      'Expected a list of shapes, an object with "shapes", a spec, or the JSON output of nvbench. Fix: use a list such as {0}.',
      `[${EXAMPLE}]`,
    );
  const { items, path } = found;
  const lineAt = lineFinder(text);
  return { format: 'json', read: items.map((item, i) => shapeOf(item, `${path}[${i}]`, lineAt)) };
}

function syntaxText(text: string): string {
  const at = Math.min(syntaxErrorAt(text) ?? text.length, text.length);
  const line = lineOf(text, at);
  const isCut = text.slice(at).trim() === '';
  return isCut
    ? t(
        'Line {0}: the JSON text ends early, so the file may be truncated. Fix: write the file again.',
        line,
      )
    : t('Line {0}: the text is not JSON. Fix: correct the line.', line);
}

/** Maximum number of lines that are looked up, because each lookup parses the whole text. */
const LOCATED = 20;

type LineFinder = (path: string) => number | undefined;

/** Returns a function that finds the line of a JSON path; undefined after `LOCATED` paths. */
function lineFinder(text: string): LineFinder {
  let count = 0;
  return path =>
    ++count > LOCATED
      ? undefined
      : lineOf(text, locate(text, path.replace(/\[(\d+)\]/g, '.$1').replace(/^\./, '')).start);
}

const lineOf = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

interface List {
  readonly items: readonly unknown[];
  readonly path: string;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function listOf(value: unknown): List | undefined {
  if (Array.isArray(value)) return { items: value as unknown[], path: '' };
  if (!isRecord(value)) return undefined;
  const { shapes } = value;
  if (Array.isArray(shapes)) return { items: shapes as unknown[], path: 'shapes' };
  return 'problem' in value || 'm' in value ? { items: [value], path: '' } : undefined;
}

/** Fields of an item that are not part of a problem. */
const OWN = ['weight', 'count', 'name', 'dtype', 'layoutA', 'layoutB', 'layoutC'];

/** Reads `{m, n, k, ...}` with the fields of a list, or `{problem: {...}, weight}`. */
function shapeOf(item: unknown, place: string, lineAt: LineFinder): ReadShape {
  const no = (message: string, field = ''): ReadShape => {
    const line = lineAt(`${place}${field && `.${field}`}`);
    return line === undefined
      ? issue('malformed', place, message)
      : issue('malformed', t('line {0}', line), `${place}: ${message}`);
  };
  if (!isRecord(item)) return no(t('Expected an object such as {0}.', EXAMPLE));
  const { weight = item['count'] ?? 1, name } = item;
  if (typeof weight !== 'number' || !Number.isFinite(weight) || weight <= 0)
    return no(t('Expected "weight" to be a positive number.'), 'weight');
  const problem = isRecord(item['problem']) ? item['problem'] : flatProblem(item);
  if (typeof problem === 'string') return no(problem);
  const decoded = decodeSpec({ problem });
  if (!decoded.ok) {
    const [first] = decoded.errors;
    return no(`${first?.path ?? ''}: ${first?.message ?? ''}`);
  }
  return {
    problem: decoded.spec.problem,
    weight,
    place,
    ...(typeof name === 'string' ? { name } : {}),
    omitted: [],
  };
}

/** Returns the problem of an item whose fields are those of a list, or a message. */
function flatProblem(item: Readonly<Record<string, unknown>>): object | string {
  const operands = operandsOf(column => {
    const value = item[column];
    return typeof value === 'string' ? value : undefined;
  });
  if (typeof operands === 'string') return operands;
  const given = Object.entries(item).filter(([field]) => !OWN.includes(field));
  const problem: Readonly<Record<string, unknown>> = Object.fromEntries(given);
  const merged = (operand: 'a' | 'b' | 'c'): object => ({
    ...operands[operand],
    ...(isRecord(problem[operand]) ? problem[operand] : {}),
  });
  return { ...problem, a: merged('a'), b: merged('b'), c: merged('c') };
}
