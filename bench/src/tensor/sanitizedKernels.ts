/** Selects random `wgmma` kernels of small problems for compute-sanitizer. */
import type { Plan } from '../../../src/core/plan/plan';
import { epilogueOperands } from '../../../src/core/spec/epilogue';
import { reducersOf } from '../../../src/core/plan/wgmma/clusterSplit';
import { isTransposedBox } from '../../../src/core/plan/wgmma/wgmmaOutput';
import { legalKernels, RANDOM, type SeededKernel } from './randomSpecs';

/** Largest M x N x K x batch, because kernels run slowly under the tools. */
const MOST_WORK = 2 ** 24;

/** Minimum fraction of the kernels per kind; a kernel can have several kinds. */
export const QUOTAS = {
  /** C is staged transposed in shared memory and stored by TMA. */
  stagedColumnsByTma: 0.25,
  /** C is staged transposed in shared memory and stored by threads. */
  stagedColumnsByThreads: 0.2,
  /** An operand is repacked before the kernel. */
  repacked: 0.25,
  /** A second kernel reduces the slices of K. */
  twoPassSplitK: 0.05,
  /** Some blocks of a split-K cluster only send their accumulators. */
  senders: 0.1,
  /** Weights are loaded into the L2 cache while the previous kernel ends. */
  prefetch: 0.15,
  /** A block computes several tiles. */
  severalTiles: 0.1,
  /** A block stages several tiles of C, transposed. */
  stagedColumnsOfSeveralTiles: 0.03,
  /** TMA loads C or a residual into the boxes of C. */
  source: 0.15,
  /** Threads load operands of the epilogue. */
  epilogue: 0.1,
  /** One warp group loads and multiplies. */
  oneWarpGroup: 0.05,
} as const;
export type Kind = keyof typeof QUOTAS;
const KINDS = Object.keys(QUOTAS) as Kind[];

export function kindsOf(plan: Plan): readonly Kind[] {
  if (plan.family !== 'wgmma') return [];
  const { a, b, output, blocks, splitK, twoPass, kernelSchedule } = plan.wgmma;
  const inCluster = twoPass === undefined ? splitK : 1;
  const source = output.by === 'tma' ? output.source : undefined;
  const { x, y, z } = plan.grid;
  const staged = output.by !== 'registers' && isTransposedBox(output);
  const isPersistent = x * y * z > blocks;
  return [
    ...(staged && output.by === 'tma' ? (['stagedColumnsByTma'] as const) : []),
    ...(staged && output.by === 'threads' ? (['stagedColumnsByThreads'] as const) : []),
    ...(a.repacked === undefined && b.repacked === undefined ? [] : (['repacked'] as const)),
    ...(twoPass === undefined ? [] : (['twoPassSplitK'] as const)),
    ...(reducersOf(plan.tile.n, inCluster) < inCluster ? (['senders'] as const) : []),
    ...(plan.spec.schedule.launch === 'prefetch' ? (['prefetch'] as const) : []),
    ...(isPersistent ? (['severalTiles'] as const) : []),
    ...(isPersistent && staged ? (['stagedColumnsOfSeveralTiles'] as const) : []),
    ...(source === undefined ? [] : (['source'] as const)),
    ...(epilogueOperands(plan.spec.problem).some(({ name }) => name !== source)
      ? (['epilogue'] as const)
      : []),
    ...(kernelSchedule === 'tma' ? (['oneWarpGroup'] as const) : []),
  ];
}

/**
 * Returns `count` kernels in the order of their seeds. Kernels of the rarest kind are chosen first,
 * because they also have other kinds.
 */
export function sanitizedKernels(first: number, count: number): readonly SeededKernel[] {
  const small = legalKernels(
    first,
    RANDOM.wgmma,
    ({ m, n, k, batch = 1 }) => m * n * k * batch <= MOST_WORK,
  );
  const drawn: SeededKernel[] = [];
  const drawNext = (): SeededKernel => {
    const next = small.next();
    if (next.done === true) throw new Error('There are not enough legal kernels.');
    drawn.push(next.value);
    return next.value;
  };
  const chosen = new Set<SeededKernel>();
  const chooseWhile = (
    isMissing: () => boolean,
    isWanted: (one: SeededKernel) => boolean,
  ): void => {
    for (let index = 0; isMissing(); index++) {
      const one = drawn[index] ?? drawNext();
      if (isWanted(one)) chosen.add(one);
    }
  };
  const rarestFirst = KINDS.toSorted((one, other) => QUOTAS[one] - QUOTAS[other]);
  for (const kind of rarestFirst) {
    const has = ({ kernel }: SeededKernel): boolean => kindsOf(kernel.plan).includes(kind);
    chooseWhile(() => [...chosen].filter(has).length < QUOTAS[kind] * count, has);
  }
  if (chosen.size > count)
    throw new Error(`The kinds need ${chosen.size} kernels, more than ${count}.`);
  chooseWhile(
    () => chosen.size < count,
    () => true,
  );
  return [...chosen].sort((one, other) => one.seed - other.seed);
}
