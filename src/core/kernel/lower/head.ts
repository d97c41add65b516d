/** Constants, parameters and head summary of a kernel. */
import type { ArgumentRole } from '../ir/arguments';
import type { NamedConstant } from '../ir/ir';
import { lanePlanIn, matrixPlanIn } from '../../plan/family';
import type { GemvPlan, LanedPlan, Plan, ScalarPlan } from '../../plan/plan';
import type { Layout } from '../../spec/schema';
import { QUAD } from '../../plan/simt/registerTile';
import { copiesPerK } from './tileTraversal';
import { isScaled } from './epilogue';
import { epilogueConstants, gateConstants } from './epilogueOps';
import * as name from './names';
import { layoutConstants, layoutSummary } from './cute';
import { matrixConstants, matrixSummary, paddingOfC } from './mma/matrixHead';
import { indexOf } from './indexNames';
import { rasterSummary } from './rasterSummary';
import { narrowed } from './widths';

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
    shared === undefined && lanes === null
      ? 'per thread block, one per thread'
      : 'per thread block';
  return [
    c('BM', tile.m, `rows of C ${what}`),
    c('BN', tile.n, `columns of C ${what}`),
    ...(tile.k === 0 ? [] : [c('BK', tile.k, depthComment(plan))]),
    ...(plan.spec.schedule.warp === undefined || warp === undefined
      ? []
      : [c('WM', warp.m, 'rows of C per warp'), c('WN', warp.n, 'columns of C per warp')]),
    ...(plan.family === 'mma' || plan.family === 'subgroup-matrix' ? matrixConstants(plan) : []),
    ...(tiled ? [c('TM', thread.m, 'rows of C per thread')] : []),
    ...(name.isTwoDimensional(plan) ? [c('TN', thread.n, 'columns of C per thread')] : []),
    ...(plan.family === 'simt' && plan.lanes !== null ? lanedConstants(plan) : []),
    ...(shared !== undefined && shared.a.padding > 0
      ? [c('PAD_A', shared.a.padding, 'row padding of As in elements (avoids bank conflicts)')]
      : []),
    ...(shared !== undefined && shared.b.padding > 0
      ? [c('PAD_B', shared.b.padding, 'row padding of Bs in elements (avoids bank conflicts)')]
      : []),
    ...(lanes?.scratch === undefined || lanes.scratch.padding === 0
      ? []
      : [paddingOfC(lanes.scratch.padding)]),
    c('THREADS', threads, 'threads per block'),
    ...(plan.minBlocksPerSm === undefined
      ? []
      : [
          c(
            'MIN_BLOCKS_PER_SM',
            plan.minBlocksPerSm,
            'minimum resident blocks per SM (limits registers per thread)',
          ),
        ]),
    ...gateConstants(plan),
    ...(plan.split === undefined
      ? epilogueConstants(plan)
      : [c('SPLIT_K', plan.split.slices, 'split-K slices')]),
  ];
}

const depthComment = ({ shared }: Plan): string =>
  shared === undefined
    ? 'k values per iteration of the main loop'
    : 'K extent of the shared-memory tiles';

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
    const { width, loadsPerStore, transposed } = lanes[operand];
    const vectors = width === 1 ? 'elements' : `vectors of ${width} elements`;
    const blocks = transposed
      ? `blocks of ${loadsPerStore} x ${width} elements`
      : `groups of ${loadsPerStore} ${vectors}`;
    const what = loadsPerStore === 1 ? vectors : blocks;
    return c(
      `LOADS_${label}`,
      Math.ceil(elements / (width * loadsPerStore) / threads),
      `${what} that a thread loads per ${label} tile`,
    );
  };
  const share = (operand: 'a' | 'b') => {
    if (lanes.fragments === 1) return [];
    const [label, copies] = [operand.toUpperCase(), copiesPerK(plan, operand)];
    return copies > 1 ? [c(`STEP_LOADS_${label}`, copies, `${label} loads issued per k`)] : [];
  };
  const swizzle = (operand: 'a' | 'b') => {
    const label = operand === 'a' ? 'A' : 'B';
    return lanes[operand].swizzle === 1
      ? []
      : [
          c(
            `SWIZZLE_${label}`,
            lanes[operand].swizzle,
            `XOR swizzle period of ${label}s, in rows (avoids bank conflicts)`,
          ),
        ];
  };
  const whose = lanes.warp.m === tile.m && lanes.warp.n === tile.n ? 'block' : 'warp';
  const { order = 'row', group = 1 } = plan.spec.schedule.raster ?? {};
  return [
    c('VEC', lanes.vector, 'elements per vectorized access'),
    c(
      'LANES_M',
      lanes.lanes.m,
      `${whose === 'warp' ? 'lanes per warp' : 'threads per block'} along M`,
    ),
    c(
      'LANES_N',
      lanes.lanes.n,
      `${whose === 'warp' ? 'lanes per warp' : 'threads per block'} along N`,
    ),
    ...layoutConstants(plan),
    loads('a'),
    loads('b'),
    ...(['a', 'b'] as const).flatMap(share),
    c('STAGES', lanes.stages, 'pipeline stages (pairs of A and B tiles in shared memory)'),
    ...swizzle('a'),
    ...swizzle('b'),
    ...gemvConstants(plan),
    c('QUAD', QUAD, 'lanes per quad, which share their loads of A'),
    c('RASTER', group, `tile ${order === 'row' ? 'rows' : 'columns'} per raster group (L2 reuse)`),
  ];
}

function gemvConstants({ lanes: { gemv } }: LanedPlan): readonly NamedConstant[] {
  if (gemv === undefined) return [];
  return [
    { name: 'TK', value: gemv.depth, comment: 'k values per thread and k-iteration' },
    { name: 'THREADS_K', value: gemv.threads.k, comment: 'threads per block along K' },
    { name: 'LANES_K', value: gemv.lanesK, comment: 'lanes along K that one warp reduces' },
    {
      name: 'PARTIALS',
      value: gemv.partials,
      comment: 'partial results per element in shared memory',
    },
  ];
}

/** Returns the run-time scalars of the main kernel, in argument order. */
export function parametersOf(plan: Plan): readonly ArgumentRole[] {
  const { beta } = plan.spec.problem;
  const reduction = plan.split?.reduction;
  // In a two-pass split-K, the reduction kernel stores C.
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

export function summaryOf(plan: Plan): readonly string[] {
  switch (plan.family) {
    case 'simt':
      return plan.lanes === null ? scalarSummary(plan) : lanedSummary(plan);
    case 'subgroup-matrix':
    case 'mma':
      return matrixSummary(plan);
    case 'wgmma':
      throw new Error('The source of wgmma kernels is hand-written');
  }
}

function scalarSummary(plan: ScalarPlan): readonly string[] {
  const { tile, thread, algorithm, threadMap } = plan;
  const block = `${tile.m} x ${tile.n}`;
  switch (algorithm) {
    case 'naive':
      return [
        `Each thread computes one element of C, directly from global memory. ${indexOf(plan, 'thread')} selects the row of C, so ${touched(plan, 'row', ['a', 'c'])}. All lanes with the same ${indexOf(plan, 'thread', 'y')} read the same element of B (broadcast).`,
      ];
    case 'coalesced':
      return [
        `Each thread computes one element of C, directly from global memory. ${threadMap === 'x-columns' ? `${indexOf(plan, 'thread')} selects the column of C` : 'Consecutive threads compute consecutive columns of C'}, so ${touched(plan, 'col', ['b', 'c'])}. All lanes in the same row of C read the same element of A (broadcast).`,
        ...(plan.gridMap === 'x-rows'
          ? [
              `${indexOf(plan, 'block')} selects the row of tiles, so consecutive thread blocks share columns of B.`,
            ]
          : []),
      ];
    case 'shared-tile':
      return [
        `Each thread block computes a ${block} tile of C, one element per thread. The main loop stages ${tile.k}-deep tiles of A and B in shared memory: each element is loaded from global memory once per block and read by all threads of a row or column.`,
        ...(threadMap === 'x-rows' ? [`${indexOf(plan, 'thread')} selects the row of C.`] : []),
      ];
    default:
      return [
        `Each thread block computes a ${block} tile of C, with ${thread.m} x ${thread.n} accumulators per thread in registers. The main loop stages ${tile.k}-deep tiles of A and B in shared memory. Register reuse: ${thread.m + thread.n} loads from shared memory feed ${thread.m * thread.n} FMAs.`,
      ];
  }
}

function registerTileSummary(plan: LanedPlan): readonly string[] {
  const { tile, thread, lanes, target } = plan;
  return [
    `Each thread block computes a ${tile.m} x ${tile.n} tile of C, with ${thread.m} x ${thread.n} accumulators per thread in registers. Threads read A and B through the caches: no shared memory and no barriers. The loop over k is unrolled by ${tile.k}.`,
    ...(lanes.sharing === 'quad'
      ? [
          'The four lanes of a quad compute the same rows: each lane loads every fourth k of A and broadcasts the values to the quad.',
          ...(target === 'wgsl'
            ? [
                'Requires the feature subgroups, and quads of four consecutive invocations, which WGSL does not guarantee.',
              ]
            : []),
        ]
      : []),
    ...narrowed(plan),
  ];
}

function gemvSummary(plan: LanedPlan, { threads, lanesK, partials }: GemvPlan): readonly string[] {
  const { tile, thread } = plan;
  const along = `${threads.k} threads along K`;
  const shuffled = `warp shuffles add the partial results of ${lanesK} lanes`;
  const shared = `shared memory holds ${partials} partial results per element, which one thread adds in ascending order`;
  const reduced = [...(lanesK === 1 ? [] : [shuffled]), ...(partials === 1 ? [] : [shared])];
  return [
    `Each thread block computes a ${tile.m} x ${tile.n} tile of C, and its threads split K: ${along} accumulate ${thread.m} x ${thread.n} partial results each. They load A and B directly from global memory, with all loads of a k-iteration in flight together.`,
    ...(reduced.length === 0 ? [] : [`Reduction: ${reduced.join('; ')}.`]),
    ...narrowed(plan),
  ];
}

function lanedSummary(plan: LanedPlan): readonly string[] {
  const { tile, thread, lanes, algorithm } = plan;
  if (algorithm === 'layout') return layoutSummary(plan);
  if (lanes.gemv !== undefined) return gemvSummary(plan, lanes.gemv);
  if (algorithm === 'register-tile') return registerTileSummary(plan);
  const { warp, a, b, copies, stages, fragments } = lanes;
  const block = `${tile.m} x ${tile.n}`;
  const warps = algorithm === 'vectorized' ? '' : `${warp.m} x ${warp.n} per warp and `;
  const way: Readonly<Record<typeof copies, string>> = {
    direct: `The main loop stages ${tile.k}-deep tiles of A and B in shared memory with vectorized loads.`,
    registers: `Software pipelining: the next ${tile.k}-deep tiles of A and B are prefetched into registers while the current tiles are multiplied.${stages === 1 ? '' : ` They are then stored to the other shared-memory stage (double buffering, ${stages} stages).`}`,
    asynchronous: `Software pipelining with ${stages} stages: asynchronous copies (cp.async) of ${tile.k}-deep tiles fill shared memory ahead of the FMAs${fragments === 2 ? '. Fragments are double-buffered in registers' : ''}.`,
  };
  const swizzled = [...(a.swizzle > 1 ? ['As'] : []), ...(b.swizzle > 1 ? ['Bs'] : [])];
  const transposed = [...(a.transposed ? ['A'] : []), ...(b.transposed ? ['B'] : [])];
  return [
    `Each thread block computes a ${block} tile of C: ${warps}${thread.m} x ${thread.n} accumulators per thread.`,
    way[copies],
    ...(transposed.length === 0
      ? []
      : [
          `${transposed.join(' and ')} ${transposed.length === 1 ? 'is' : 'are'} transposed on the way to shared memory, so that threads read fragments as vectors.`,
        ]),
    ...(swizzled.length === 0
      ? []
      : [`An XOR swizzle of ${swizzled.join(' and ')} avoids bank conflicts without padding.`]),
    ...(lanes.traversal === undefined
      ? []
      : [
          'Serpentine order: consecutive FMAs share an operand, which reduces register-bank conflicts.',
        ]),
    ...rasterSummary(plan),
    ...narrowed(plan),
  ];
}

/**
 * Describes whether the accesses of a warp to two matrices are coalesced. `stridedLayout` is the
 * layout in which consecutive lanes access elements with a stride.
 */
function touched(plan: Plan, stridedLayout: Layout, operands: readonly ['a' | 'b', 'c']): string {
  const isStrided = (operand: 'a' | 'b' | 'c') =>
    plan.spec.problem[operand].layout === stridedLayout;
  const [first, second] = operands;
  const [one, other] = [first.toUpperCase(), second.toUpperCase()];
  if (isStrided(first) && isStrided(second)) {
    return `consecutive lanes access elements of ${one} and ${other} with strides of ld${first} and ld${second} (uncoalesced)`;
  }
  if (!isStrided(first) && !isStrided(second))
    return `consecutive lanes access consecutive elements of ${one} and ${other} (coalesced)`;
  const [near, far] = isStrided(first) ? [other, one] : [one, other];
  return `accesses to ${near} are coalesced, but consecutive lanes access elements of ${far} with a stride of ld${far.toLowerCase()} (uncoalesced)`;
}
