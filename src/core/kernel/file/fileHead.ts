/** The head of a generated file: what it computes, how to launch, compile and call it, its spec and its hash. */
import type { Plan } from '../../plan/plan';
import { typesText } from '../../types/dtype';
import { toSpec } from '../../spec/toSpec';
import { alignmentNeeds } from '../lower/widths';
import { hashText } from '../../text/hash';
import type { KernelLaunch, Launch, LaunchesAround, MainLaunch } from '../kernel';
import { usage } from '../print/usage';

const HASH_LINE = /^\/\/ @gemm-generated v1 sha256=([0-9a-f]{64})\n/m;

export const hashLine = (rest: string): string =>
  `// @gemm-generated v1 sha256=${hashText(rest)}\n`;

/** Whether a text is as generated: its hash line matches everything else in it. */
export function generatedState(text: string): 'generated' | 'edited' | 'foreign' {
  const plain = text.replace(/\r\n/g, '\n');
  const match = HASH_LINE.exec(plain);
  if (match === null) return 'foreign';
  const rest = plain.replace(match[0], '');
  return hashText(rest) === match[1] ? 'generated' : 'edited';
}

/** Lines above the kernel. The hash line comes last, so that a reader meets it last. */
export function fileHead(plan: Plan, main: MainLaunch, fileName: string): string {
  const described = {
    summary: main.ir.summary,
    matrices: matrices(plan),
    usage: usage(plan, main, fileName),
    grid: gridText(plan),
    passGrid: () => passGridText(plan),
  };
  return headOf(plan, main, described);
}

/** What the lines of a head say, each in its place. */
interface Described {
  readonly summary: readonly string[];
  readonly matrices: readonly string[];
  readonly usage: readonly string[];
  readonly grid: readonly (string | number)[];
  /** Of a launch around. */
  readonly passGrid: (of: KernelLaunch) => readonly (string | number)[];
}

export function headOf(
  plan: Plan,
  main: Launch & LaunchesAround,
  { summary, matrices: layouts, usage: use, grid, passGrid }: Described,
): string {
  const { before, after, workspaceBytes, tensorMaps, programmatic } = main;
  const lines = [
    `${plan.algorithm} GEMM, ${typesText(plan.spec.problem)}: ${formula(plan)}`,
    '',
    ...summary,
    '',
    ...layouts,
    '',
    ...use,
    '',
  ];
  const around = (launches: readonly KernelLaunch[]) =>
    launches.map(launch => ({
      entry: launch.entry,
      grid: passGrid(launch),
      block: trimmed(launch.block),
      args: launch.arguments,
    }));
  const annotation = {
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
  return [
    ...lines.map(line => (line === '' ? '//' : `// ${line}`)),
    `// @gemm ${JSON.stringify(annotation)}`,
    '',
  ].join('\n');
}

function formula({ spec: { problem } }: Plan): string {
  const scaled = problem.alpha === 1 ? 'A * B' : 'alpha * A * B';
  const old = problem.beta === 0 ? '' : problem.beta === 1 ? ' + C' : ' + beta * C';
  return `C = ${scaled}${old}`;
}

/** Which index of each matrix is contiguous. */
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

function matrices(plan: Plan): readonly string[] {
  const { problem } = plan.spec;
  const { guards, tile } = plan;
  const aligned = alignmentNeeds(plan);
  const multiples = [
    ...(guards.m ? [] : [`M a multiple of ${tile.m}`]),
    ...(guards.n ? [] : [`N a multiple of ${tile.n}`]),
    ...(guards.k || tile.k === 0 ? [] : [`K a multiple of ${tile.k}`]),
  ];
  return [
    layoutLine(plan),
    multiples.length === 0
      ? 'Any M, N and K: accesses past the edges are guarded.'
      : `Needs ${multiples.join(', ')}: accesses along them are not guarded.`,
    ...(problem.batch === 1
      ? []
      : [
          plan.split === undefined
            ? 'Block z computes product z of the batch: its matrices begin z strides behind the first.'
            : 'Matrices of product i of the batch begin i strides behind the first.',
        ]),
    ...(aligned.length === 0
      ? []
      : [
          `Vector accesses need ${aligned.join(', ')}, and matrices that begin at such multiples, as allocations do.`,
        ]),
  ];
}

const trimmed = ({ x, y }: { x: number; y: number }): readonly number[] => (y === 1 ? [x] : [x, y]);

function gridText({ gridMap, tile, grid }: Plan): readonly (string | number)[] {
  const [rows, columns] = [`ceil(m / ${tile.m})`, `ceil(n / ${tile.n})`];
  const batch = grid.z === 1 ? [] : [grid.z];
  return gridMap === 'x-rows' ? [rows, columns, ...batch] : [columns, rows, ...batch];
}

/** Of a kernel around the one that multiplies. */
function passGridText({ spec, split }: Plan): readonly (string | number)[] {
  const { batch, c } = spec.problem;
  const { x = 1, y = 1 } = split?.pass?.block ?? {};
  const [inner, outer] = c.layout === 'row' ? ['n', 'm'] : ['m', 'n'];
  return [`ceil(${inner} / ${x})`, `ceil(${outer} / ${y})`, ...(batch === 1 ? [] : [batch])];
}
