/** Loop nest of a planned kernel: the decomposition of C = A B over blocks, warps and threads. */
import { productsOf } from '../spec/epilogue';
import type { LanedPlan, Plan, ScalarPlan } from '../plan/plan';
import { GROUP_ROWS } from '../plan/wgmma/wgmmaUnits';
import type { WgmmaPlan } from '../plan/wgmma/wgmmaPlan';
import type { ThreadLayout } from '../plan/threadLayout';
import { alongSide } from '../plan/stridedRows';
import { isInteger } from '../types/dtype';
import type { Level, Loop, LoopAxis, LoopNest, LoopProblem } from './nest';

export interface PlannedNest {
  readonly nest: LoopNest;
  /** Sentences about parts of the kernel that are not loops. */
  readonly notes: readonly string[];
}

/** One loop of an axis; its step is the number of elements that the inner loops cover. */
interface Part {
  readonly step: number;
  readonly level: Level;
  /** Position in the nest; loops of equal position are in the order i, j, k. */
  readonly order: number;
  readonly shared?: true;
}

/** Positions in the nest, outermost first. */
const ORDER = { grid: 0, k: 1, block: 2, warp: 3, depth: 6, thread: 7, mma: 9 } as const;

export const loopProblem = ({ spec: { problem } }: Plan): LoopProblem => ({
  m: problem.m,
  n: problem.n,
  k: problem.k,
  dtype: isInteger(problem.accumulator) ? 's32' : 'f32',
});

/** Returns the nest of a plan, or the reason why no nest of sequential k loops describes it. */
export function nestOfPlan(plan: Plan): PlannedNest | { readonly why: string } {
  if (plan.family === 'simt' && plan.lanes?.gemv !== undefined)
    return { why: 'gemv divides K among the threads of a block, and reduces their results.' };
  if (productsOf(plan.spec.problem) > 1)
    return { why: 'A gate has two products, which one nest of loops does not describe.' };
  const parts = partsOf(plan);
  const loops = (['i', 'j', 'k'] as const).flatMap(axis =>
    withoutSingle(parts[axis]).map(part => ({ axis, ...part })),
  );
  return { nest: ordered(loops, plan), notes: notesOf(plan) };
}

type Parts = Readonly<Record<LoopAxis, readonly Part[]>>;

function partsOf(plan: Plan): Parts {
  switch (plan.family) {
    case 'simt':
      return plan.lanes === null ? scalarParts(plan) : lanedParts(plan);
    case 'mma':
    case 'subgroup-matrix':
      return matrixParts(plan, {
        instruction: plan.matrix.shape,
        block: { m: plan.matrix.warp.m, n: plan.matrix.warp.n },
      });
    case 'wgmma': {
      const { shape, rowsPerConsumer, operandOrder, instruction } = plan.wgmma;
      if (instruction === 'mma') return groupedParts(plan, plan.wgmma);
      // With swapped operands, the instruction computes rows of C transposed.
      return operandOrder === 'ab'
        ? matrixParts(plan, {
            instruction: shape,
            block: { m: rowsPerConsumer, n: plan.tile.n },
          })
        : matrixParts(plan, {
            instruction: { m: shape.n, n: shape.m, k: shape.k },
            block: { m: plan.tile.m, n: rowsPerConsumer },
          });
    }
  }
}

const grid = (step: number): Part => ({ step, level: 'grid', order: ORDER.grid });

/** Loops over k: over tiles in shared memory, and over the elements of a tile. */
function depthParts(plan: Plan, innermost: readonly Part[]): readonly Part[] {
  const isStaged = plan.shared !== undefined && plan.tile.k > 1;
  return [
    ...(isStaged
      ? [{ step: plan.tile.k, level: 'thread', order: ORDER.k, shared: true } as const]
      : []),
    ...innermost,
  ];
}

const element: Part = { step: 1, level: 'thread', order: ORDER.thread };
const depth: Part = { step: 1, level: 'thread', order: ORDER.depth };

function scalarParts(plan: ScalarPlan): Parts {
  const along = (tile: number, thread: number): readonly Part[] => [
    grid(tile),
    { step: thread, level: 'block', order: ORDER.block },
    element,
  ];
  return {
    i: along(plan.tile.m, plan.thread.m),
    j: along(plan.tile.n, plan.thread.n),
    k: depthParts(plan, [depth]),
  };
}

function lanedParts(plan: LanedPlan): Parts {
  return { i: sideParts(plan, 'm'), j: sideParts(plan, 'n'), k: depthParts(plan, [depth]) };
}

/** Rows or columns: block tile, warp tile, groups of a thread, lanes, elements of a group. */
function sideParts(plan: LanedPlan, side: 'm' | 'n'): readonly Part[] {
  const { warp, lanes, group, quads } = plan.lanes;
  const { fragmentStride, fragment } = alongSide(plan.lanes, side);
  const hasWarps = plan.spec.schedule.warp !== undefined;
  const lane: Pick<Part, 'level' | 'order'> = hasWarps
    ? { level: 'warp', order: ORDER.warp }
    : { level: 'block', order: ORDER.block };
  if (fragmentStride > 1)
    return [
      grid(plan.tile[side]),
      { step: plan.tile[side] / fragment, level: 'thread', order: ORDER.thread },
      { step: lanes[side], level: 'thread', order: ORDER.thread },
      { step: 1, ...lane },
    ];
  return [
    grid(plan.tile[side]),
    ...(hasWarps ? [{ step: warp[side], level: 'block', order: ORDER.block } as const] : []),
    { step: lanes[side] * group[side], level: 'thread', order: ORDER.thread },
    // In quads, the lower bits of both coordinates are the lower bits of the lane.
    ...(quads ? [{ step: 2 * group[side], ...lane }] : []),
    { step: group[side], ...lane, order: quads ? lane.order + 1 : lane.order },
    element,
  ];
}

function matrixParts(
  plan: Plan,
  {
    instruction,
    block,
  }: {
    readonly instruction: { readonly m: number; readonly n: number; readonly k: number };
    readonly block: { readonly m: number; readonly n: number };
  },
): Parts {
  const side = (axis: 'm' | 'n'): readonly Part[] => [
    grid(plan.tile[axis]),
    { step: block[axis], level: 'block', order: ORDER.block },
    { step: instruction[axis], level: 'thread', order: ORDER.thread },
    { step: 1, level: 'mma', order: ORDER.mma },
  ];
  return {
    i: side('m'),
    j: side('n'),
    k: depthParts(plan, [
      { step: instruction.k, level: 'thread', order: ORDER.depth },
      { step: 1, level: 'mma', order: ORDER.mma },
    ]),
  };
}

/**
 * Loops of a warp group with `mma.sync`: its four warps compute 16 of every 64 rows of the computed
 * GEMM, and all columns.
 */
function groupedParts(plan: Plan, { shape, operandOrder }: WgmmaPlan): Parts {
  const isSwapped = operandOrder === 'ba';
  const rows = (axis: 'm' | 'n'): readonly Part[] => [
    grid(plan.tile[axis]),
    { step: GROUP_ROWS, level: 'thread', order: ORDER.thread },
    { step: shape.m, level: 'block', order: ORDER.block },
    { step: 1, level: 'mma', order: ORDER.mma },
  ];
  const columns = (axis: 'm' | 'n'): readonly Part[] => [
    grid(plan.tile[axis]),
    { step: shape.n, level: 'thread', order: ORDER.thread },
    { step: 1, level: 'mma', order: ORDER.mma },
  ];
  return {
    i: isSwapped ? columns('m') : rows('m'),
    j: isSwapped ? rows('n') : columns('n'),
    k: depthParts(plan, [
      { step: shape.k, level: 'thread', order: ORDER.depth },
      { step: 1, level: 'mma', order: ORDER.mma },
    ]),
  };
}

/** Removes loops with a single iteration; of equal steps, the outermost remains. */
const withoutSingle = (parts: readonly Part[]): readonly Part[] =>
  parts.filter((part, i) => i === 0 || part.step < Math.min(...parts.slice(0, i).map(p => p.step)));

type PlacedPart = Part & { readonly axis: LoopAxis };

/** The last loop of a level has consecutive indices, so columns follow rows, or rows columns. */
function ordered(loops: readonly PlacedPart[], plan: Plan): LoopNest {
  const rank = ({ axis, order }: PlacedPart): number => {
    const rowsLast =
      order === ORDER.grid ? plan.gridMap === 'x-rows' : order < ORDER.depth && isRowsLast(plan);
    return order * 10 + { i: rowsLast ? 1 : 0, j: rowsLast ? 0 : 1, k: 2 }[axis];
  };
  return [...loops]
    .sort((one, other) => rank(one) - rank(other))
    .map(({ axis, step, level, shared }): Loop => ({
      axis,
      step,
      level,
      ...(shared === undefined ? {} : { shared }),
    }));
}

/** Whether consecutive threads of a block are along the rows of C. */
function isRowsLast(plan: Plan): boolean {
  if (plan.family !== 'simt') return false;
  if (plan.lanes === null) return plan.threadMap === 'x-rows';
  const layout = plan.lanes.threadLayouts?.c;
  return layout !== undefined && !isRowMajor(layout);
}

const isRowMajor = ({ shape: [rows, columns], stride }: ThreadLayout): boolean =>
  rows === 1 || (columns > 1 && stride[1] === 1);

function notesOf(plan: Plan): readonly string[] {
  const { problem, schedule } = plan.spec;
  const { order = 'row', group = 1 } = schedule.raster ?? {};
  const slices =
    plan.family === 'wgmma'
      ? plan.wgmma.splitK * (plan.wgmma.twoPass?.slices ?? 1)
      : (plan.split?.slices ?? 1);
  return [
    ...(slices > 1
      ? [`Split-K divides K into ${slices} slices, which different thread blocks compute.`]
      : []),
    ...(order === 'row' && group === 1 ? [] : ['Rasterization changes the order of the blocks.']),
    ...(problem.alpha === 1 && problem.beta === 0
      ? []
      : ['The epilogue applies alpha and beta after the loops.']),
    ...(problem.batch === 1 ? [] : ['The grid also has a dimension for the batch entries.']),
  ];
}
