/** The head of a generated file: what it computes, how to launch, compile and call it, its spec and its hash. */
import { grouped } from '../digits';
import type { KernelIr } from '../ir/ir';
import type { Plan } from '../plan/plan';
import { findDevice } from '../device/devices';
import { typesText } from '../spec/dtype';
import { toSpec } from '../spec/resolve';
import { alignmentNeeds } from '../lower/widths';
import { cudaArguments } from './cuda';
import { hashText } from './hash';
import type { Argument } from './kernel';

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
export function fileHead(
  ir: KernelIr,
  plan: Plan,
  args: readonly Argument[],
  fileName: string,
): string {
  const lines = [
    `${plan.algorithm} GEMM, ${typesText(plan.spec.problem)}: ${formula(plan)}`,
    '',
    ...ir.summary,
    '',
    ...matrices(plan),
    '',
    ...usage(ir, plan, fileName),
    '',
  ];
  const annotation = {
    ...toSpec(plan.spec),
    targets: [plan.target],
    ...{ grid: gridText(plan), block: trimmed(plan.block), args },
    ...(plan.dynamicShared ? { dynamicSharedBytes: plan.sharedBytes } : {}),
  };
  return [
    ...lines.map(line => (line === '' ? '//' : `// ${line}`)),
    `// @gemm ${JSON.stringify(annotation)}`,
    '',
  ].join('\n');
}

function formula({ spec: { problem } }: Plan): string {
  const scaled = problem.alpha === 1 ? 'A * B' : 'alpha * A * B';
  return `C = ${scaled}${problem.beta === 0 ? '' : ' + beta * C'}`;
}

const MAJOR = {
  a: { row: 'row-major (K contiguous)', col: 'column-major (M contiguous)' },
  b: { row: 'row-major (N contiguous)', col: 'column-major (K contiguous)' },
  c: { row: 'row-major (N contiguous)', col: 'column-major (M contiguous)' },
} as const;

function matrices(plan: Plan): readonly string[] {
  const { problem } = plan.spec;
  const { guards, tile } = plan;
  const aligned = alignmentNeeds(plan);
  const { a, b, c } = problem;
  const multiples = [
    ...(guards.m ? [] : [`M a multiple of ${tile.m}`]),
    ...(guards.n ? [] : [`N a multiple of ${tile.n}`]),
    ...(guards.k || tile.k === 0 ? [] : [`K a multiple of ${tile.k}`]),
  ];
  return [
    `A is M x K, ${MAJOR.a[a.layout]}; B is K x N, ${MAJOR.b[b.layout]}; C is M x N, ${MAJOR.c[c.layout]}.`,
    multiples.length === 0
      ? 'Any M, N and K: accesses past the edges are guarded.'
      : `Needs ${multiples.join(', ')}: accesses along them are not guarded.`,
    ...(problem.batch === 1
      ? []
      : [
          'Block z computes product z of the batch: its matrices begin z strides behind the first.',
        ]),
    ...(aligned.length === 0
      ? []
      : [`Vector accesses need ${aligned.join(', ')}, and matrices aligned as allocations are.`]),
  ];
}

const trimmed = ({ x, y }: { x: number; y: number }): readonly number[] => (y === 1 ? [x] : [x, y]);

function gridText({ threadMap, tile, grid }: Plan): readonly (string | number)[] {
  const [rows, columns] = [`ceil(m / ${tile.m})`, `ceil(n / ${tile.n})`];
  const batch = grid.z === 1 ? [] : [grid.z];
  return threadMap === 'x-rows' ? [rows, columns, ...batch] : [columns, rows, ...batch];
}

function usage(ir: KernelIr, plan: Plan, fileName: string): readonly string[] {
  const { grid, block, sharedBytes, dynamicShared } = plan;
  const threads = block.y === 1 ? `${block.x}` : `${block.x} x ${block.y}`;
  const { m, n, k, batch } = plan.spec.problem;
  const [times, deep] = batch === 1 ? ['', ''] : [`, ${batch} products`, ` x ${grid.z}`];
  const memory =
    sharedBytes === 0 ? 'no shared memory' : `${grouped(sharedBytes)} B of shared memory`;
  const launch = `Launch for ${m} x ${n} x ${k}${times}: grid ${grid.x} x ${grid.y}${deep}, block ${threads}, ${memory}${dynamicShared ? ', dynamic' : ''}.`;
  if (plan.target === 'wgsl') {
    return [launch, 'Bindings of group 0: 0 A, 1 B, 2 C, 3 Params.'];
  }
  const capability = findDevice(plan.spec.device)?.computeCapability ?? '9.0';
  const names = cudaArguments(ir).map(role => (role.length === 1 ? role.toUpperCase() : role));
  return [
    launch,
    `Compile: nvcc -O3 -arch=sm_${capability.replace('.', '')} -c ${fileName}`,
    `Call: ${ir.entry}<<<grid, block${dynamicShared ? `, ${sharedBytes}` : ''}>>>(${names.join(', ')});`,
    ...(dynamicShared
      ? [
          `before that: cudaFuncSetAttribute(${ir.entry}, cudaFuncAttributeMaxDynamicSharedMemorySize, ${sharedBytes});`,
        ]
      : []),
  ];
}
