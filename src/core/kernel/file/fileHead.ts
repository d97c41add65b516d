/**
 * Layout of a generated file: head comments, code, and at the end the `// @gemm` annotation and the
 * file's hash. The head describes the kernel, its requirements, and how to launch, compile and call
 * it.
 */
import type { Plan } from '../../plan/plan';
import { numericsText } from '../../plan/numerics';
import { typesText } from '../../types/dtype';
import { toSpec } from '../../spec/toSpec';
import { epilogueFormula, epilogueLines } from '../lower/epilogueOps';
import { indexOf } from '../lower/indexNames';
import { clamps, wrapsAny } from '../lower/pipeline';
import { alignmentNeeds, alignedOperands } from '../lower/widths';
import { hashText } from '../../text/hash';
import type { KernelLaunch, Launch, PrePostLaunches, MainLaunch } from '../kernel';
import { usage } from '../print/usage';
import { COMMENT_COLUMNS, wrapText } from '../print/wrapText';

/** The hash line may be anywhere in the file: older versions wrote it in the head. */
const HASH_LINE = /^(?:\/\/|#) @gemm-generated v1 sha256=([0-9a-f]{64})(\n|$)/m;

export const hashLine = (rest: string, comment: '//' | '#' = '//'): string =>
  `${comment} @gemm-generated v1 sha256=${hashText(rest)}\n`;

/**
 * Returns the state of a source file: `generated` if its hash line ends with a newline and matches
 * all other lines, `edited` if not, and `foreign` without a hash line.
 */
export function generatedState(text: string): 'generated' | 'edited' | 'foreign' {
  const plain = text.replace(/\r\n/g, '\n');
  const match = HASH_LINE.exec(plain);
  if (match === null) return 'foreign';
  const rest = plain.slice(0, match.index) + plain.slice(match.index + match[0].length);
  return match[2] === '\n' && hashText(rest) === match[1] ? 'generated' : 'edited';
}

/**
 * Joins the sections of a file. The machine-readable lines come last, so that comments and code are
 * at the top.
 */
export function fileText(file: {
  readonly head: string;
  readonly body: string;
  readonly specKey: string;
  readonly annotation: string;
}): string {
  const text = `${file.head}\n${file.body}\n// Spec key: ${file.specKey}\n${file.annotation}\n`;
  return text + hashLine(text);
}

export const fileHead = (plan: Plan, main: MainLaunch): string =>
  headOf(plan, {
    summary: main.ir.summary,
    matrices: matrices(plan, wordsOf(main)),
    usage: usage(plan, main),
  });

interface Described {
  readonly summary: readonly string[];
  readonly matrices: readonly string[];
  /** Lines for users to copy; they are not wrapped. */
  readonly usage: readonly string[];
}

export function headOf(plan: Plan, { summary, matrices: layouts, usage: use }: Described): string {
  const width = COMMENT_COLUMNS - '// '.length;
  const wrapped = (lines: readonly string[]) => lines.flatMap(line => wrapText(line, width));
  const lines = [
    `${plan.algorithm} GEMM, ${typesText(plan.spec.problem)}: ${formula(plan)}`,
    '',
    ...bulleted(summary, width),
    '',
    ...wrapped([...layouts, ...epilogueLines(plan), numericsText(plan)]),
    '',
    ...use,
  ];
  return [...lines.map(line => (line === '' ? '//' : `// ${line}`)), ''].join('\n');
}

/**
 * Wraps the lead paragraph and lists all other entries; a description with a blank entry is wrapped
 * as paragraphs.
 */
function bulleted(summary: readonly string[], width: number): readonly string[] {
  const [lead = '', ...features] = summary;
  if (features.length === 0 || summary.includes('')) {
    return summary.flatMap(line => wrapText(line, width));
  }
  return [
    ...wrapText(lead, width),
    ...features.flatMap(feature =>
      wrapText(feature, width - 2).map((line, i) => `${i === 0 ? '-' : ' '} ${line}`),
    ),
  ];
}

/**
 * Grids of the launches. A string is an expression in the problem extents, such as `ceil(m / 128)`.
 */
interface Grids {
  readonly grid: readonly (string | number)[];
  readonly passGrid: (of: KernelLaunch) => readonly (string | number)[];
}

/**
 * Prints the `// @gemm` annotation. It contains the entry name, so that kernels added to the file
 * do not change its meaning.
 */
export function annotationLine(
  plan: Plan,
  main: Launch & PrePostLaunches,
  { grid, passGrid }: Grids = { grid: gridText(plan), passGrid: () => passGridText(plan) },
): string {
  const { before, after, workspaceBytes, tensorMaps, programmatic } = main;
  const around = (launches: readonly KernelLaunch[]) =>
    launches.map(launch => ({
      entry: launch.entry,
      grid: passGrid(launch),
      block: trimmed(launch.block),
      args: launch.arguments,
      ...(launch.programmatic === undefined ? {} : { programmatic: launch.programmatic }),
    }));
  const annotation = {
    entry: main.entry,
    ...toSpec(plan.spec),
    targets: [plan.target],
    grid,
    block: trimmed(plan.block),
    args: main.arguments,
    ...(plan.dynamicShared ? { dynamicSharedBytes: plan.sharedBytes } : {}),
    ...(tensorMaps === undefined ? {} : { tensorMaps }),
    ...(programmatic === undefined ? {} : { programmatic }),
    ...(before === undefined ? {} : { before: around(before) }),
    ...(after === undefined ? {} : { after: around(after) }),
    ...(workspaceBytes === undefined ? {} : { workspaceBytes }),
  };
  return `// @gemm ${JSON.stringify(annotation)}`;
}

function formula(plan: Plan): string {
  const { problem } = plan.spec;
  const scaled = problem.alpha === 1 ? 'A * B' : 'alpha * A * B';
  const old = problem.beta === 0 ? '' : problem.beta === 1 ? ' + C' : ' + beta * C';
  return `C = ${epilogueFormula(plan, `${scaled}${old}`)}`;
}

export const layoutLine = ({
  spec: {
    problem: { a, b, c },
  },
}: Plan): string =>
  `A is M x K, ${MAJOR.a[a.layout]}; B is K x N, ${MAJOR.b[b.layout]}; C is M x N, ${MAJOR.c[c.layout]}.`;

const MAJOR = {
  a: { row: 'row-major (K contiguous)', col: 'column-major (M contiguous)' },
  b: { row: 'row-major (N contiguous)', col: 'column-major (K contiguous)' },
  c: { row: 'row-major (N contiguous)', col: 'column-major (M contiguous)' },
} as const;

const wordsOf = ({ ir: { summary, constants } }: MainLaunch): string =>
  [...summary, ...constants.map(({ comment }) => comment)].join(' ');

const CUDA_TERMS: readonly (readonly [found: RegExp, meaning: string])[] = [
  [/thread block|per block|blocks\b/, 'thread block = workgroup'],
  [/shared[ -]memory/, 'shared memory = workgroup memory'],
  [/\b(warps?|lanes?)\b/, 'warp = 32 consecutive invocations'],
  [/\blanes?\b/, 'lane = invocation of a warp'],
];

function cudaTerms(words: string): readonly string[] {
  const used = CUDA_TERMS.filter(([found]) => found.test(words)).map(([, meaning]) => meaning);
  return used.length === 0 ? [] : [`CUDA terms: ${used.join(', ')}.`];
}

/**
 * Describes the required pointer alignment. WGSL needs no such line, since the alignment of
 * bindings exceeds that of any vector.
 */
function pointers(plan: Plan): string {
  if (plan.target === 'wgsl') return '';
  const groups = alignedOperands(plan).map(({ bytes, names }) => `${bytes}-byte aligned ${names}`);
  return groups.length === 0
    ? ''
    : ` They require ${groups.join(' and ')} (as cudaMalloc returns them).`;
}

function matrices(plan: Plan, words: string): readonly string[] {
  const { problem } = plan.spec;
  const { guards, tile } = plan;
  const aligned = alignmentNeeds(plan);
  const multiples = [
    ...(guards.m || tile.m === 1 ? [] : [`M % ${tile.m} == 0`]),
    ...(guards.n || tile.n === 1 ? [] : [`N % ${tile.n} == 0`]),
    ...(guards.k || tile.k === 0 ? [] : [`K % ${tile.k} == 0`]),
  ];
  return [
    layoutLine(plan),
    multiples.length === 0
      ? clamps(plan)
        ? `M, N and K need not be multiples of the tile sizes: loads past the last row or column ${wrapsAny(plan) ? 'are clamped to it or wrap around' : 'are clamped to it'}, and stores are bounds-checked.`
        : 'M, N and K need not be multiples of the tile sizes: accesses to boundary tiles are bounds-checked.'
      : `Requires ${multiples.join(', ')}: these dimensions are not bounds-checked.`,
    ...(problem.batch === 1
      ? []
      : [
          plan.split === undefined
            ? `${indexOf(plan, 'block', 'z')} selects the batch entry. ${BATCH_LINE}`
            : BATCH_LINE,
        ]),
    ...(aligned.length === 0
      ? []
      : [`Vectorized accesses require ${aligned.join('; ')}.${pointers(plan)}`]),
    ...(plan.target === 'wgsl' ? cudaTerms(words) : []),
  ];
}

export const BATCH_LINE = 'Batch entry i of a matrix starts at i times its batch stride.';

const trimmed = ({ x, y }: { x: number; y: number }): readonly number[] => (y === 1 ? [x] : [x, y]);

function gridText({ gridMap, tile, grid }: Plan): readonly (string | number)[] {
  const [rows, columns] = [`ceil(m / ${tile.m})`, `ceil(n / ${tile.n})`];
  const batch = grid.z === 1 ? [] : [grid.z];
  return gridMap === 'x-rows' ? [rows, columns, ...batch] : [columns, rows, ...batch];
}

function passGridText({ spec, split }: Plan): readonly (string | number)[] {
  const { batch, c } = spec.problem;
  const { x = 1, y = 1 } = split?.pass?.block ?? {};
  const [inner, outer] = c.layout === 'row' ? ['n', 'm'] : ['m', 'n'];
  return [`ceil(${inner} / ${x})`, `ceil(${outer} / ${y})`, ...(batch === 1 ? [] : [batch])];
}
