/**
 * Reads this product's own CSV list of shapes. The header is optional; without it, the columns have
 * the order of `COLUMNS`.
 */
import { t } from '@vscode/l10n';
import { nearestName } from '../../spec/nearestName';
import type { GemmSpec, Layout } from '../../spec/schema';
import { positiveInteger, positiveNumber, type CsvLine } from './csv';
import { elementType } from './elementTypes';
import { issue, type ReadShape, type ShapeIssue } from './shape';

/** Columns of a list, in the order of a file without a header. */
export const COLUMNS = [
  'm',
  'n',
  'k',
  'dtype',
  'layoutA',
  'layoutB',
  'layoutC',
  'batch',
  'weight',
  'name',
] as const;
type Column = (typeof COLUMNS)[number];

const ALIASES: Readonly<Record<string, Column>> = {
  count: 'weight',
  calls: 'weight',
  type: 'dtype',
  batchcount: 'batch',
};

/** Returns the column of a header field, ignoring case, `_` and `-`. */
function columnOf(field: string): Column | undefined {
  const plain = field.toLowerCase().replace(/[_-]/g, '');
  if (Object.hasOwn(ALIASES, plain)) return ALIASES[plain];
  return COLUMNS.find(name => name.toLowerCase() === plain);
}

const isHeader = ({ fields }: CsvLine): boolean => {
  const columns = fields.map(columnOf);
  return (['m', 'n', 'k'] as const).every(name => columns.includes(name));
};

const isNumbers = ({ fields }: CsvLine): boolean =>
  fields.length >= 3 && fields.slice(0, 3).every(field => /^\d+$/.test(field));

export const isPlainList = ([first]: readonly CsvLine[]): boolean =>
  first !== undefined && (isHeader(first) || isNumbers(first));

export interface PlainList {
  readonly read: readonly ReadShape[];
  readonly notes: readonly string[];
}

export function readPlainList(lines: readonly CsvLine[]): PlainList {
  const [first] = lines;
  if (first === undefined) return { read: [], notes: [] };
  const named = isHeader(first);
  const header = named ? first.fields.map(columnOf) : [...COLUMNS];
  const unused = named ? first.fields.filter((_, i) => header[i] === undefined) : [];
  const last = lines.at(-1);
  return {
    read: lines.slice(named ? 1 : 0).map(line => shapeOf(line, header, named)),
    notes: [
      ...unused.map(unusedText),
      ...(last?.isOpen === true && lines.length > 1 ? [openText(last.place)] : []),
    ],
  };
}

function unusedText(name: string): string {
  const meant = nearestName(name, COLUMNS);
  const known = COLUMNS.join(', ');
  return meant === undefined
    ? t('The column "{0}" is not used. Known columns: {1}.', name, known)
    : t('The column "{0}" is not used. Did you mean "{1}"?', name, meant);
}

const openText = (place: string): string =>
  t('The last line ({0}) has no line break, so the file may be truncated.', place);

function shapeOf(
  { fields, place }: CsvLine,
  header: readonly (Column | undefined)[],
  named: boolean,
): ReadShape {
  const no = (message: string): ShapeIssue => issue('malformed', place, message);
  if (named ? fields.length !== header.length : fields.length > header.length)
    return no(
      t(
        'Expected {0} columns, got {1}. Fix: correct or remove the line.',
        header.length,
        fields.length,
      ),
    );
  const textOf = (name: Column): string | undefined => {
    const text = fields[header.indexOf(name)];
    return text === '' ? undefined : text;
  };
  const [m, n, k] = (['m', 'n', 'k'] as const).map(name => positiveInteger(textOf(name)));
  if (m === undefined || n === undefined || k === undefined)
    return no(
      t('The columns m, n and k must be positive integers. Fix: correct or remove the line.'),
    );
  const operands = operandsOf(textOf);
  if (typeof operands === 'string') return no(operands);
  const [batch, weight] = [textOf('batch'), textOf('weight')];
  const [count, amount] = [positiveInteger(batch ?? '1'), positiveNumber(weight ?? '1')];
  if (count === undefined) return no(expected('batch', t('a positive integer'), batch));
  if (amount === undefined) return no(expected('weight', t('a positive number'), weight));
  const name = textOf('name');
  return {
    problem: { m, n, k, ...(count === 1 ? {} : { batch: count }), ...operands },
    weight: amount,
    place,
    ...(name === undefined ? {} : { name }),
    omitted: [],
  };
}

const expected = (column: string, what: string, got: string | undefined): string =>
  t(
    'Expected {0} in the column {1}, got "{2}". Fix: correct or remove the line.',
    what,
    column,
    got ?? '',
  );

const LAYOUT_NAMES: Readonly<Record<string, Layout>> = { row: 'row', col: 'col', column: 'col' };

type Operands = Pick<GemmSpec['problem'], 'a' | 'b' | 'c'>;

/** Returns the operands, or a message. Fields without a value keep the defaults of a spec. */
export function operandsOf(textOf: (name: Column) => string | undefined): Operands | string {
  const type = textOf('dtype');
  const dtype = type === undefined ? undefined : elementType(type);
  if (type !== undefined && dtype === undefined)
    return expected('dtype', t('an element type'), type);
  const layouts = (['layoutA', 'layoutB', 'layoutC'] as const).map(name => {
    const text = textOf(name)?.toLowerCase();
    if (text === undefined) return { layout: undefined };
    const layout = Object.hasOwn(LAYOUT_NAMES, text) ? LAYOUT_NAMES[text] : undefined;
    return layout === undefined ? expected(name, t('row or col'), text) : { layout };
  });
  const wrong = layouts.find(found => typeof found === 'string');
  if (wrong !== undefined) return wrong;
  const [a, b, c] = layouts.map(found => {
    const layout = typeof found === 'string' ? undefined : found.layout;
    return layout === undefined ? {} : { layout };
  });
  const of = dtype === undefined ? {} : { dtype };
  return { a: { ...of, ...a }, b: { ...of, ...b }, c: { ...c } };
}
