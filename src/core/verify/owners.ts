/** Maps an element of the block tile of C to the warp and thread that own it. */
import { inStaged } from '../plan/stridedRows';
import { laneAt } from '../plan/simt/lanes';
import { lanePlanIn, matrixPlanIn } from '../plan/family';
import type { Plan } from '../plan/plan';

type Owner = (row: number, column: number) => number;

export interface Owners {
  /**
   * Returns the warp of an element; null without warp tiles, with split-K, or with a custom thread
   * layout.
   */
  readonly warp: Owner | null;
  readonly warpElements: number;
  /**
   * Returns the thread of an element; null with split-K, with a custom thread layout, or if a warp
   * holds accumulators jointly.
   */
  readonly thread: Owner | null;
  readonly threadElements: number;
}

export function ownersOf(plan: Plan): Owners {
  const { tile, thread, spec, split } = plan;
  const [lanePlan, matrix] = [lanePlanIn(plan), matrixPlanIn(plan)];
  const threadElements = thread.m * thread.n;
  // With split-K, a separate kernel stores C.
  const none = { warp: null, warpElements: 0, thread: null, threadElements };
  // In `gemv`, several threads accumulate each element.
  if (lanePlan?.gemv !== undefined) return none;
  if (split !== undefined || lanePlan?.threadLayouts !== undefined) return none;
  if (matrix !== null) {
    const { warp, warps } = matrix;
    const own: Owner = (row, column) =>
      Math.floor(row / warp.m) * warps.n + Math.floor(column / warp.n);
    return { ...none, warp: own, warpElements: warp.m * warp.n };
  }
  if (lanePlan === null) {
    const across = Math.ceil(tile.n / thread.n);
    const own: Owner = (row, column) =>
      Math.floor(row / thread.m) * across + Math.floor(column / thread.n);
    return { ...none, thread: own };
  }
  const { warp, lanes, group } = lanePlan;
  const across = tile.n / warp.n;
  const place = (row: number, column: number): readonly [row: number, column: number] => [
    inStaged(lanePlan.a, row),
    inStaged(lanePlan.b, column),
  ];
  const warpAt: Owner = (row, column) =>
    Math.floor(row / warp.m) * across + Math.floor(column / warp.n);
  const laneOf = (at: number, size: number, count: number): number =>
    Math.floor((at % (size * count)) / size);
  const warpOf: Owner = (row, column) => warpAt(...place(row, column));
  const own: Owner = (...at) => {
    const [row, column] = place(...at);
    const lane = laneAt(
      laneOf(row % warp.m, group.m, lanes.m),
      laneOf(column % warp.n, group.n, lanes.n),
      lanePlan,
    );
    return warpAt(row, column) * lanes.m * lanes.n + lane;
  };
  const hasWarps = spec.schedule.warp !== undefined;
  return {
    warp: hasWarps ? warpOf : null,
    warpElements: warp.m * warp.n,
    thread: own,
    threadElements,
  };
}
