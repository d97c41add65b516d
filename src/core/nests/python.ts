/**
 * Python program of a loop nest. It needs only the standard library, executes the loops one after
 * another, and checks C against three plain loops.
 */
import { hashLine } from '../kernel/file/fileHead';
import { wrapText } from '../kernel/print/wrapText';
import { levelTexts, sumOf } from './nestLines';
import {
  overhangs,
  parentStep,
  variablesOf,
  type LoopAxis,
  type LoopNest,
  type LoopProblem,
} from './nest';
import { sharedTile } from './rules';
import { nestText } from './text';

const EXTENT = { i: 'M', j: 'N', k: 'K' } as const;
const INDENT = '    ';
const TEXT_COLUMNS = 95;

export interface PythonProgram {
  readonly source: string;
  /** Line number of each loop, counted from 1, in the order of the nest. */
  readonly lines: readonly number[];
}

/** Returns the program of a nest without sequential violations, and the lines of its loops. */
export function pythonProgram(nest: LoopNest, problem: LoopProblem): PythonProgram {
  const source = pythonText(nest, problem);
  const lines = source.split('\n');
  const first = lines.findIndex(line => line.startsWith('def gemm('));
  const found = lines.flatMap((line, i) =>
    i > first && /^ +for \w+ in .*:( {2}#.*)?$/.test(line) ? [i + 1] : [],
  );
  return { source, lines: found.slice(0, nest.length) };
}

/**
 * Returns the text of the program for a nest without sequential violations. `notes` are sentences
 * about parts of a kernel that are not loops.
 */
export function pythonText(
  nest: LoopNest,
  problem: LoopProblem,
  notes: readonly string[] = [],
): string {
  const text = [
    ...[
      `C = A B by a loop nest: ${nestText(nest)}`,
      'The program runs the loops one after another. Comments name the level at which a GPU runs their iterations in parallel. Each matrix is a list of rows.',
      ...notes,
    ].flatMap(line => wrapText(line, TEXT_COLUMNS).map(text => `# ${text}`)),
    'import random',
    '',
    '',
    'def gemm(A, B, M, N, K):',
    ...indented(1, ['C = [[0] * N for _ in range(M)]', ...loopLines(nest, problem), 'return C']),
    '',
    '',
    ...CHECK,
    ...MAIN(problem),
    '',
  ].join('\n');
  return text + hashLine(text, '#');
}

/** Lines of the loops, as they are in the function `gemm`. */
export function loopLines(nest: LoopNest, problem: LoopProblem): readonly string[] {
  const names = variablesOf(nest);
  const texts = levelTexts(nest);
  const tile = sharedTile(nest);
  const lines: string[] = [];
  nest.forEach((loop, depth) => {
    const to = parentStep(nest, loop) ?? EXTENT[loop.axis];
    const range = loop.step === 1 ? `range(${to})` : `range(0, ${to}, ${loop.step})`;
    const comment = texts[depth] ? `  # ${texts[depth]}` : '';
    lines.push(...indented(depth, [`for ${names[depth] ?? ''} in ${range}:${comment}`]));
    if (loop.shared === true) lines.push(...indented(depth + 1, copies(nest, problem, names)));
  });
  const [row, column, deep] = [
    sumOf(nest, names, 'i'),
    sumOf(nest, names, 'j'),
    sumOf(nest, names, 'k'),
  ];
  const inTile = (axis: LoopAxis): string =>
    sumOf(
      nest.filter(({ level, shared }) => level !== 'grid' && shared !== true),
      names.filter((_, at) => nest[at]?.level !== 'grid' && nest[at]?.shared !== true),
      axis,
    ) || '0';
  const product =
    tile === null
      ? `A[${row}][${deep}] * B[${deep}][${column}]`
      : `As[${inTile('i')}][${inTile('k')}] * Bs[${inTile('k')}][${inTile('j')}]`;
  const conditions = (['i', 'j', 'k'] as const)
    .filter(axis => overhangs(nest, problem, axis) && !(axis === 'k' && tile !== null))
    .map(axis => `${sumOf(nest, names, axis)} < ${EXTENT[axis]}`);
  return [
    ...lines,
    ...indented(
      nest.length,
      withNames(
        [
          ...(conditions.length === 0 ? [] : [`if ${conditions.join(' and ')}:`]),
          `${conditions.length === 0 ? '' : INDENT}C[${row}][${column}] += ${product}`,
        ],
        [
          ['row', row],
          ['col', column],
        ],
      ),
    ),
  ];
}

/** Declares names for row and column where they are sums of several variables. */
function withNames(
  lines: readonly string[],
  names: readonly (readonly [name: string, index: string])[],
): readonly string[] {
  const used = names.filter(([, index]) => index.includes('+'));
  const replaced = lines.map(line =>
    used.reduce(
      (text, [name, index]) =>
        text.replaceAll(`[${index}]`, `[${name}]`).replaceAll(`${index} <`, `${name} <`),
      line,
    ),
  );
  return [...used.map(([name, index]) => `${name} = ${index}`), ...replaced];
}

/** Copies of the tiles. Elements outside of the matrices are zeros. */
function copies(nest: LoopNest, problem: LoopProblem, names: readonly string[]): readonly string[] {
  const tile = sharedTile(nest);
  if (tile === null) return [];
  const first = (axis: LoopAxis): string =>
    nest
      .flatMap(({ axis: own, level, shared }, at) =>
        own === axis && (axis === 'k' ? shared === true : level === 'grid')
          ? [names[at] ?? '']
          : [],
      )
      .join(' + ');
  const copy = (
    array: string,
    { rows, columns, of }: { rows: number; columns: number; of: readonly [LoopAxis, LoopAxis] },
  ): readonly string[] => {
    const [row, column] = [`${first(of[0])} + r`, `${first(of[1])} + c`];
    const conditions = [
      ...(overhangs(nest, problem, of[0]) ? [`${row} < ${EXTENT[of[0]]}`] : []),
      ...(overhangs(nest, problem, of[1]) ? [`${column} < ${EXTENT[of[1]]}`] : []),
    ];
    const value = `${array[0] ?? ''}[${row}][${column}]`;
    const guarded =
      conditions.length === 0 ? value : `${value} if ${conditions.join(' and ')} else 0`;
    return [
      `${array} = [[${guarded}`,
      `       for c in range(${columns})] for r in range(${rows})]`,
    ];
  };
  return [
    ...copy('As', { rows: tile.m, columns: tile.k, of: ['i', 'k'] }),
    ...copy('Bs', { rows: tile.k, columns: tile.n, of: ['k', 'j'] }),
  ];
}

const indented = (depth: number, lines: readonly string[]): readonly string[] =>
  lines.map(line => (line === '' ? '' : INDENT.repeat(depth) + line));

/** Unit roundoff of Python's floats. */
const CHECK: readonly string[] = [
  'def largest_error(C, A, B, M, N, K):',
  '    # Returns the largest error as a fraction of its bound; at most 1 is correct.',
  '    largest = 0',
  '    for i in range(M):',
  '        for j in range(N):',
  '            products = [A[i][k] * B[k][j] for k in range(K)]',
  '            error = abs(C[i][j] - sum(products))',
  '            bound = 2 * K * 2**-53 * sum(map(abs, products))',
  '            if error > 0:',
  '                largest = max(largest, error / bound if bound > 0 else float("inf"))',
  '    return largest',
  '',
  '',
];

const MAIN = ({ m, n, k, dtype }: LoopProblem): readonly string[] => [
  'if __name__ == "__main__":',
  `    M, N, K = ${m}, ${n}, ${k}`,
  '    random.seed(1)',
  ...(dtype === 's32'
    ? [
        '    A = [[random.randint(-8, 8) for _ in range(K)] for _ in range(M)]',
        '    B = [[random.randint(-8, 8) for _ in range(N)] for _ in range(K)]',
      ]
    : [
        '    A = [[random.uniform(-1, 1) for _ in range(K)] for _ in range(M)]',
        '    B = [[random.uniform(-1, 1) for _ in range(N)] for _ in range(K)]',
      ]),
  '    error = largest_error(gemm(A, B, M, N, K), A, B, M, N, K)',
  '    print(f"C is {M} x {N}: largest error {error:.3f} of its bound")',
  '    if error > 1:',
  '        raise SystemExit("C is incorrect.")',
];
