/** What stands above a kernel's body: its constants, its parameters and a summary in words. */
import type { ArgumentRole } from '../ir/arguments';
import type { NamedConstant } from '../ir/ir';
import { lanePlanIn, matrixPlanIn } from '../../plan/family';
import type { LanedPlan, Plan, ScalarPlan } from '../../plan/plan';
import type { Layout } from '../../spec/schema';
import { QUAD } from '../../plan/simt/registerTile';
import { copiesADepth } from './tileWalk';
import { isScaled } from './epilogue';
import * as name from './names';
import { layoutConstants, layoutSummary } from './cute';
import { matrixConstants, matrixSummary } from './mma/matrixHead';
import { narrowed } from './widths';

/** The named constants that the text of this kernel uses. */
export function constantsOf(plan: Plan): readonly NamedConstant[] {
  const { tile, thread, shared, threads } = plan;
  const lanes = lanePlanIn(plan);
  const { warp } = lanes ?? matrixPlanIn(plan) ?? {};
  const tiled = name.isThreadTiled(plan);
  const c = (name: string, value: number, comment: string): NamedConstant => ({
    name,
    value,
    comment,
  });
  const what =
    shared === undefined && lanes === null ? 'a block computes, one a thread' : 'a block computes';
  return [
    c('BM', tile.m, `rows of C ${what}`),
    c('BN', tile.n, `columns of C ${what}`),
    ...(tile.k === 0 ? [] : [c('BK', tile.k, depthComment(plan))]),
    ...(plan.spec.schedule.warp === undefined || warp === undefined
      ? []
      : [
          c('WM', warp.m, 'rows of C a warp computes'),
          c('WN', warp.n, 'columns of C a warp computes'),
        ]),
    ...(plan.family === 'mma' || plan.family === 'subgroup-matrix' ? matrixConstants(plan) : []),
    ...(tiled ? [c('TM', thread.m, 'rows of C a thread computes')] : []),
    ...(name.isTwoDimensional(plan) ? [c('TN', thread.n, 'columns of C a thread computes')] : []),
    ...(plan.family === 'simt' && plan.lanes !== null ? lanedConstants(plan) : []),
    ...(shared !== undefined && shared.a.padding > 0
      ? [c('PAD_A', shared.a.padding, 'elements between rows of As, against bank conflicts')]
      : []),
    ...(shared !== undefined && shared.b.padding > 0
      ? [c('PAD_B', shared.b.padding, 'elements between rows of Bs, against bank conflicts')]
      : []),
    c('THREADS', threads, 'threads a block'),
    ...(plan.split === undefined ? [] : [c('SPLIT_K', plan.split.parts, 'parts of K')]),
  ];
}

const depthComment = ({ shared }: Plan): string =>
  shared === undefined
    ? 'depths of K that a step multiplies'
    : 'depth of the tiles staged in shared memory';

function lanedConstants(plan: LanedPlan): readonly NamedConstant[] {
  const { lanes, shared, threads, tile } = plan;
  const c = (constant: string, value: number, comment: string): NamedConstant => ({
    name: constant,
    value,
    comment,
  });
  const loads = (operand: 'a' | 'b') => {
    const label = operand === 'a' ? 'A' : 'B';
    const { outer = 0, inner = 0 } = shared?.[operand] ?? {};
    const elements = outer * inner;
    const { width, pieces, transposed } = lanes[operand];
    const vectors = width === 1 ? 'elements' : `vectors of ${width} elements`;
    const blocks = transposed
      ? `blocks of ${pieces} x ${width} elements`
      : `times ${pieces} ${vectors}`;
    const what = pieces === 1 ? vectors : blocks;
    return c(
      `LOADS_${label}`,
      Math.ceil(elements / (width * pieces) / threads),
      `${what} of a tile of ${label} a thread loads`,
    );
  };
  const share = (operand: 'a' | 'b') => {
    if (lanes.fragments === 1) return [];
    const [label, copies] = [operand.toUpperCase(), copiesADepth(plan, operand)];
    return copies > 1
      ? [c(`SHARE_${label}`, copies, `loads of ${label} at a depth, from the first on`)]
      : [];
  };
  const swizzle = (operand: 'a' | 'b') => {
    const label = operand === 'a' ? 'A' : 'B';
    return lanes[operand].swizzle === 1
      ? []
      : [
          c(
            `SWIZZLE_${label}`,
            lanes[operand].swizzle,
            `rows of ${label}s that exchange their groups differently, against bank conflicts`,
          ),
        ];
  };
  const whose = lanes.warp.m === tile.m && lanes.warp.n === tile.n ? 'block' : 'warp';
  const { group = 1 } = plan.spec.schedule.raster ?? {};
  return [
    c('VEC', lanes.vector, 'elements an access moves'),
    c('LANES_M', lanes.lanes.m, `threads of a ${whose} along M`),
    c('LANES_N', lanes.lanes.n, `threads of a ${whose} along N`),
    ...layoutConstants(plan),
    loads('a'),
    loads('b'),
    ...(['a', 'b'] as const).flatMap(share),
    c('STAGES', lanes.stages, 'tiles of A and of B that shared memory holds'),
    ...swizzle('a'),
    ...swizzle('b'),
    c('QUAD', QUAD, 'lanes that share what they load of A'),
    c('RASTER', group, 'tile rows or columns that blocks walk together'),
  ];
}

/** Run-time scalars: sizes and leading dimensions always, alpha and beta where a factor is written. */
export function parametersOf(plan: Plan): readonly ArgumentRole[] {
  const { beta } = plan.spec.problem;
  const reduction = plan.split?.reduction;
  // With partial sums the rest is the reduction's.
  const storesC = reduction !== 'two-pass';
  const ofC = (role: ArgumentRole): readonly ArgumentRole[] => (storesC ? [role] : []);
  const strides: readonly ArgumentRole[] = ['strideA', 'strideB', ...ofC('strideC')];
  return [
    'm',
    'n',
    'k',
    'lda',
    'ldb',
    ...ofC('ldc'),
    ...(name.isBatched(plan) ? strides : []),
    ...(isScaled(plan) ? ofC('alpha') : []),
    ...(beta === 0 || beta === 1 || reduction === 'atomic' ? [] : ofC('beta')),
  ];
}

/** The idea of the kernel, for its file's head. */
export function summaryOf(plan: Plan): readonly string[] {
  switch (plan.family) {
    case 'simt':
      return plan.lanes === null ? scalarSummary(plan) : lanedSummary(plan);
    case 'subgroup-matrix':
    case 'mma':
      return matrixSummary(plan);
    case 'wgmma':
      throw new Error('The text of wgmma kernels is written by hand');
  }
}

function scalarSummary(plan: ScalarPlan): readonly string[] {
  const { tile, thread, algorithm, threadMap } = plan;
  const block = `${tile.m} x ${tile.n}`;
  switch (algorithm) {
    case 'naive':
      return [
        'Each thread computes one element of C from global memory; threadIdx.x walks rows, so a warp touches',
        `${touched(plan, 'row', ['a', 'c'])}.`,
      ];
    case 'coalesced':
      return [
        'Each thread computes one element of C from global memory; threadIdx.x walks columns, so a warp touches',
        `${touched(plan, 'col', ['b', 'c'])}.`,
        ...(plan.gridMap === 'x-rows'
          ? ['blockIdx.x selects the row of tiles, so consecutive blocks share columns of B.']
          : []),
      ];
    case 'shared-tile':
      return [
        `Each block computes a ${block} tile of C, one element a thread, and walks K in steps of ${tile.k}`,
        threadMap === 'x-rows'
          ? 'through shared memory. threadIdx.x walks rows.'
          : 'through shared memory, where each element is loaded once and read by a whole row or column.',
      ];
    default:
      return [
        `Each block computes a ${block} tile of C, ${thread.m} x ${thread.n} results a thread in registers, and walks K`,
        `in steps of ${tile.k} through shared memory: ${thread.m * thread.n} multiply-adds for ${thread.m + thread.n} loads.`,
      ];
  }
}

function registerTileSummary(plan: LanedPlan): readonly string[] {
  const { tile, thread, lanes, target } = plan;
  return [
    `Each thread computes ${thread.m} x ${thread.n} results in registers, from what it reads of A and B through the caches: no shared`,
    `memory and no barrier. K is walked in steps of ${tile.k}, written out; a block is a ${tile.m} x ${tile.n} tile of C.`,
    ...(lanes.sharing === 'quad'
      ? [
          'Of four lanes beside each other, which have the same rows, each loads every fourth depth of A and hands it to the others.',
          ...(target === 'wgsl'
            ? [
                'Needs the feature subgroups, and that a quad is four invocations one after the other: WGSL leaves this open.',
              ]
            : []),
        ]
      : []),
    ...narrowed(plan),
  ];
}

const ladder: Readonly<Record<string, string>> = {
  vectorized: 'through shared memory',
  'warp-tile': 'through shared memory',
};

function lanedSummary(plan: LanedPlan): readonly string[] {
  const { tile, thread, lanes, algorithm } = plan;
  if (algorithm === 'layout') return layoutSummary(plan);
  if (algorithm === 'register-tile') return registerTileSummary(plan);
  const { warp, a, b, copies, stages, fragments } = lanes;
  const block = `${tile.m} x ${tile.n}`;
  const warps = algorithm === 'vectorized' ? '' : `a warp ${warp.m} x ${warp.n} of it, `;
  const way: Readonly<Record<typeof copies, string>> = {
    direct: ladder[algorithm] ?? '',
    registers: `through ${stages === 1 ? '' : `${stages} stages of `}shared memory: the next tile is loaded into registers while one is multiplied`,
    asynchronous: `through ${stages} stages of shared memory, filled by asynchronous copies ${fragments === 2 ? 'during' : 'ahead of'} the products`,
  };
  const transposed = [...(a.transposed ? ['A'] : []), ...(b.transposed ? ['B'] : [])];
  return [
    `Each block computes a ${block} tile of C, ${warps}a thread ${thread.m} x ${thread.n}, and walks K in steps`,
    `of ${tile.k} ${way[copies]}.`,
    ...(transposed.length === 0
      ? []
      : [
          `${transposed.join(' and ')} ${transposed.length === 1 ? 'is' : 'are'} transposed while staged, so that a thread reads its rows and columns as vectors.`,
        ]),
    ...narrowed(plan),
  ];
}

/** What the lanes of a warp do to two matrices when they walk rows or columns of C. `apart` is the unlucky layout. */
function touched(plan: Plan, apart: Layout, operands: readonly ['a' | 'b', 'c']): string {
  const isApart = (operand: 'a' | 'b' | 'c') => plan.spec.problem[operand].layout === apart;
  const [first, second] = operands;
  const [one, other] = [first.toUpperCase(), second.toUpperCase()];
  if (isApart(first) && isApart(second)) {
    return `${one} and ${other} a leading dimension apart: uncoalesced`;
  }
  if (!isApart(first) && !isApart(second))
    return `neighbouring elements of ${one} and ${other}: coalesced`;
  const [near, far] = isApart(first) ? [other, one] : [one, other];
  return `neighbouring elements of ${near}, but elements of ${far} a leading dimension apart: half coalesced`;
}
