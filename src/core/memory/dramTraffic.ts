/**
 * Models the DRAM traffic behind the L2 cache. Blocks are scheduled in rounds, in block order. The
 * blocks of a round traverse K in lockstep, so they read each panel once per round. A panel is the
 * A rows or B columns of a tile over all of K. A later round hits a panel if all data touched since
 * its last use fits in the cache (LRU). The model ignores the two partitions of large caches, other
 * replacement policies, and the initial cache contents.
 */
import type { Plan } from '../plan/plan';
import { productsOf } from '../spec/epilogue';
import { DTYPE_BYTES } from '../types/dtype';
import { compulsoryBytes, epilogueBytes, splitBytes } from '../plan/traffic';
import { tileOrder } from '../plan/tileOrder';

export interface DramTraffic {
  readonly bytes: number;
  /** Lower bound: the bytes of each matrix transferred once. */
  readonly compulsory: number;
  readonly round: {
    readonly blocks: number;
    readonly panelsA: number;
    readonly panelsB: number;
    readonly bytes: number;
  };
  /** L2 capacity; null if not published. Without it, the model assumes that all data fits. */
  readonly l2Bytes: number | null;
}

/** Maximum number of simulated blocks. For larger grids, the traffic is extrapolated. */
const MAX_BLOCKS = 2 ** 18;

export function dramTraffic(
  plan: Plan,
  {
    blocksInStep: blocksInLockstep,
    l2Bytes,
  }: { readonly blocksInStep: number; readonly l2Bytes: number | null },
): DramTraffic {
  const { problem } = plan.spec;
  const { tilesM, tilesN, slices, tileAt } = tileOrder(plan);
  const blocks = tilesM * tilesN * slices;
  const visited = Math.min(blocks, MAX_BLOCKS);
  const depth = problem.k / (plan.split?.slices ?? 1);
  const panelA = (problem.m / tilesM) * depth * DTYPE_BYTES[problem.a.dtype];
  // A gate reads the same panel of both matrices B.
  const panelB = productsOf(problem) * (problem.n / tilesN) * depth * DTYPE_BYTES[problem.b.dtype];
  // With the operands of the epilogue.
  const tileC =
    ((problem.m / tilesM) *
      (problem.n / tilesN) *
      DTYPE_BYTES[problem.c.dtype] *
      (problem.beta === 0 ? 1 : 2)) /
      (plan.split?.slices ?? 1) +
    epilogueBytes(problem) / blocks;
  const footprint = slices * (tilesM * panelA + tilesN * panelB) + blocks * tileC;
  const seen = { a: new Map<number, number>(), b: new Map<number, number>() };
  // Bytes touched before each round.
  const before: number[] = [0];
  let [reads, first] = [0, { blocks: 0, panelsA: 0, panelsB: 0, bytes: 0 }];
  for (let from = 0, round = 0; from < visited; from += blocksInLockstep, round++) {
    const to = Math.min(from + blocksInLockstep, visited);
    const touched = panelsOf({ from, to }, { tilesM, tilesN, tileAt });
    const start = before[round] ?? 0;
    const missed = (panels: ReadonlySet<number>, last: Map<number, number>, bytes: number) => {
      let sum = 0;
      for (const panel of panels) {
        const since = last.get(panel);
        const distance = since === undefined ? Infinity : start - (before[since] ?? 0);
        const isCached = l2Bytes === null || Math.min(distance, footprint) <= l2Bytes;
        if (since === undefined || !isCached) sum += bytes;
        last.set(panel, round);
      }
      return sum;
    };
    reads += missed(touched.a, seen.a, panelA) + missed(touched.b, seen.b, panelB);
    const bytes = touched.a.size * panelA + touched.b.size * panelB;
    if (round === 0) {
      first = { blocks: to, panelsA: touched.a.size, panelsB: touched.b.size, bytes };
    }
    before.push(start + bytes + (to - from) * tileC);
  }
  const compulsory = compulsoryBytes(problem);
  const matrixC = blocks * tileC;
  const bytes = (reads * blocks) / visited + matrixC + splitDramBytes(plan, l2Bytes);
  return { bytes: Math.max(bytes, compulsory), compulsory, round: first, l2Bytes };
}

/**
 * Returns the additional DRAM bytes of split-K; 0 if half of them fit in the L2 cache or its
 * capacity is unknown.
 */
const splitDramBytes = (plan: Plan, l2Bytes: number | null): number => {
  const bytes = splitBytes(plan);
  return l2Bytes !== null && bytes / 2 > l2Bytes ? bytes : 0;
};

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Returns the panels that the blocks of a round read. Split-K slices have separate panels. */
function panelsOf(
  { from, to }: Range,
  { tilesM, tilesN, tileAt }: Pick<ReturnType<typeof tileOrder>, 'tilesM' | 'tilesN' | 'tileAt'>,
): Readonly<Record<'a' | 'b', ReadonlySet<number>>> {
  const [a, b] = [new Set<number>(), new Set<number>()];
  const perSlice = tilesM * tilesN;
  for (let block = from; block < to; block++) {
    const slice = Math.floor(block / perSlice);
    const { row, column } = tileAt(block % perSlice);
    a.add(slice * tilesM + row);
    b.add(slice * tilesN + column);
  }
  return { a, b };
}
