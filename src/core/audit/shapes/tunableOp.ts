/**
 * Reads the CSV files of PyTorch's TunableOp: `tunableop_untuned*.csv` (shapes that a program has
 * called) and `tunableop_results*.csv` (shapes with a solution and its time in milliseconds).
 *
 * A line describes a column-major BLAS call. A row-major matrix is its transpose in column-major
 * order, so the call is read as C^T = B^T A^T: M and N are exchanged, and so are A and B. This is
 * the product that PyTorch computes: `torch.nn.functional.linear` gives a row-major A and C and a
 * column-major B.
 */
import { t } from '@vscode/l10n';
import type { GemmSpec, Layout } from '../../spec/schema';
import { positiveInteger, positiveNumber, truncated, type CsvLine } from './csv';
import { elementType } from './elementTypes';
import { issue, type FileTime, type ReadShape } from './shape';

const OPERATOR = /^(\w*?GemmTunableOp|Gemm\w*TunableOp)_(.+)_([NTC])([NTC])$/;

export const isTunableOp = (line: CsvLine): boolean =>
  line.fields[0] === 'Validator' || /^\w*Gemm\w*TunableOp_/.test(line.fields[0] ?? '');

export const readTunableOp = (lines: readonly CsvLine[]): readonly ReadShape[] =>
  lines.flatMap(line => {
    if (line.isOpen) return [truncated(line)];
    return line.fields[0] === 'Validator' ? [] : [shapeOf(line)];
  });

function shapeOf(line: CsvLine): ReadShape {
  const { fields, place } = line;
  const [operator = '', parameters = ''] = fields;
  const [, op = '', types = '', transA = '', transB = ''] = OPERATOR.exec(operator) ?? [];
  const known = Object.hasOwn(OPERATORS, op) ? OPERATORS[op] : undefined;
  if (op === '') return malformed(place, operator);
  if (known === undefined || transA === 'C' || transB === 'C')
    return issue('unsupported', place, t('The operator {0} is not supported.', operator));
  const operands = known.typesOf(types);
  if (operands === undefined)
    return issue('unsupported', place, t('The element types {0} are not supported.', types));
  const call = callOf(parameters, `${transA}${transB}`);
  if (call === undefined) return malformed(place, parameters);
  if (known.isBatched !== (call.batch !== undefined)) return malformed(place, parameters);
  return {
    problem: { ...problemOf(call, operands), ...known.extra },
    weight: 1,
    place,
    name: `${operator} ${parameters}`,
    omitted: known.omitted(call.rest),
    ...timeOf(fields),
  };
}

const malformed = (place: string, text: string) =>
  issue(
    'malformed',
    place,
    t(
      'Expected an operator and its parameters, such as GemmTunableOp_BFloat16_TN,tn_4096_512_1024_ld_1024_1024_4096, got "{0}". Fix: correct or remove the line.',
      text.slice(0, 80),
    ),
  );

type Types = Pick<GemmSpec['problem'], 'a' | 'b' | 'c'>;

/** Types of the row-major product, in which A and B are exchanged. */
function sameTypes(name: string): Types | undefined {
  const dtype = elementType(name);
  if (dtype === undefined) return undefined;
  return { a: { dtype }, b: { dtype }, c: { dtype: dtype === 'tf32' ? 'f32' : dtype } };
}

const SCALED = /^(Float8_\w+?)_(Float8_\w+?)_(Float8_\w+|[A-Za-z]\w*)$/;

function scaledTypes(names: string): Types | undefined {
  const [a, b, c] = (SCALED.exec(names) ?? []).slice(1).map(elementType);
  if (a === undefined || b === undefined || c === undefined) return undefined;
  return { a: { dtype: b }, b: { dtype: a }, c: { dtype: c } };
}

interface Operator {
  readonly isBatched: boolean;
  readonly typesOf: (names: string) => Types | undefined;
  /** Fields of the problem beside the product. */
  readonly extra?: Pick<GemmSpec['problem'], 'epilogue'>;
  /** Names the parts of the operation that the problem does not contain. */
  readonly omitted: (rest: string) => readonly string[];
}

const OPERATORS: Readonly<Record<string, Operator>> = {
  GemmTunableOp: { isBatched: false, typesOf: sameTypes, omitted: () => [] },
  GemmAndBiasTunableOp: {
    isBatched: false,
    typesOf: sameTypes,
    // The bias has an element per row of the column-major C, which is a column of the row-major C.
    extra: { epilogue: [{ op: 'bias', along: 'n' }] },
    omitted: () => [],
  },
  GemmStridedBatchedTunableOp: { isBatched: true, typesOf: sameTypes, omitted: () => [] },
  ScaledGemmTunableOp: {
    isBatched: false,
    typesOf: scaledTypes,
    omitted: rest => [
      rest.includes('_rw_1') ? 'scale per row and column' : 'scale per tensor',
      ...(/_bias_(?!None)/.test(rest) ? ['bias'] : []),
    ],
  },
};

interface Call {
  readonly transA: string;
  readonly transB: string;
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly batch: number | undefined;
  /** Leading dimensions of the column-major matrices. */
  readonly ld: readonly [a: number, b: number, c: number];
  /** Text after the leading dimensions. */
  readonly rest: string;
}

const PARAMETERS =
  /^([nt])([nt])_(\d+)_(\d+)_(\d+)(?:_B_(\d+))?(?:_ld_(\d+)_(\d+)_(\d+))?((?:_rw_[01])?(?:_bias_\w+)?)$/i;

/** Reads parameters such as `tn_M_N_K_B_batch_ld_lda_ldb_ldc`. Older files have no `ld`. */
function callOf(text: string, operation: string): Call | undefined {
  const found = PARAMETERS.exec(text);
  if (found === null) return undefined;
  const [, one = '', two = '', ...more] = found;
  const [transA, transB] = [one.toUpperCase(), two.toUpperCase()];
  const [m, n, k] = more.slice(0, 3).map(positiveInteger);
  if (m === undefined || n === undefined || k === undefined) return undefined;
  if (`${transA}${transB}` !== operation) return undefined;
  const packed = [transA === 'N' ? m : k, transB === 'N' ? k : n, m] as const;
  const batch = more[3] === undefined ? undefined : positiveInteger(more[3]);
  if (more[3] !== undefined && batch === undefined) return undefined;
  const ld = packed.map((least, i) => (more[4] === undefined ? least : Number(more[4 + i])));
  if (ld.some((given, i) => !(given >= (packed[i] ?? 0)))) return undefined;
  const [ldA = 0, ldB = 0, ldC = 0] = ld;
  return { transA, transB, m, n, k, batch, ld: [ldA, ldB, ldC], rest: more[7] ?? '' };
}

/** Returns the row-major product C^T = B^T A^T of a column-major call. */
function problemOf(call: Call, { a, b, c }: Types): GemmSpec['problem'] {
  const { transA, transB, m, n, k, batch, ld } = call;
  const [layoutA, layoutB]: readonly Layout[] = [
    transB === 'N' ? 'row' : 'col',
    transA === 'N' ? 'row' : 'col',
  ];
  const stride = (given: number, packed: number) => (given === packed ? {} : { ld: given });
  return {
    m: n,
    n: m,
    k,
    ...(batch === undefined ? {} : { batch }),
    a: { ...a, layout: layoutA ?? 'row', ...stride(ld[1], layoutA === 'row' ? k : n) },
    b: { ...b, layout: layoutB ?? 'row', ...stride(ld[0], layoutB === 'row' ? m : k) },
    c: { ...c, ...stride(ld[2], m) },
  };
}

/** The third field names the solution, and the fourth has its time in milliseconds, if measured. */
function timeOf(fields: readonly string[]): { readonly time?: FileTime } {
  const milliseconds = positiveNumber(fields[3]);
  const kernel = fields[2] ?? '';
  return milliseconds === undefined || kernel === '' ? {} : { time: { milliseconds, kernel } };
}
