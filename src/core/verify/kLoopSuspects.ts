/**
 * Candidate bugs along K: k-steps, tiles and split-K slices that are skipped, repeated or
 * exchanged.
 */
import { lanePlanIn, matrixPlanIn } from '../plan/family';
import type { Plan } from '../plan/plan';
import type { ResolvedProblem } from '../spec/resolved';
import type { Suspect } from './suspect';
import { indexOf, type ElementIndex } from './bugHypothesis';

/** The K tile that contains k, the position of k in the tile, and whether the tile is full. */
interface Step {
  readonly tile: number;
  readonly at: number;
  readonly whole: boolean;
  /** First k of the split-K slice, and its end (exclusive). */
  readonly begin: number;
  readonly end: number;
}

export function stepsOf(plan: Plan): (k: number) => Step {
  const { spec, tile, split, guards } = plan;
  const { k: depth } = spec.problem;
  const BK = Math.max(1, tile.k);
  const part = split?.sliceK ?? depth;
  const pipelined = spec.schedule.algorithm === 'pipelined' || matrixPlanIn(plan) !== null;
  const front = guards.k && pipelined;
  return k => {
    const begin = Math.floor(k / part) * part;
    const end = Math.min(depth, begin + part);
    const skip = front ? Math.ceil((end - begin) / BK) * BK - (end - begin) : 0;
    const from = k - begin + skip;
    const number = Math.floor(from / BK);
    const whole = front ? number > 0 || skip === 0 : begin + (number + 1) * BK <= end;
    return { tile: number, at: from % BK, whole, begin, end };
  };
}

export function kLoopSuspects(plan: Plan): readonly Suspect[] {
  if (plan.tile.k === 0) return [];
  const step = stepsOf(plan);
  const last = (k: number): boolean => step(step(k).end - 1).tile === step(k).tile;
  const but =
    (skipped: (of: Step, k: number) => boolean) =>
    (k: number): number =>
      skipped(step(k), k) ? 0 : 1;
  const BK = plan.tile.k;
  const tail = plan.spec.problem.k % BK;
  const kRemainder = plan.spec.problem.k - tail;
  const lastOf = (of: Step, k: number): boolean => of.at === BK - 1 || k === of.end - 1;
  const firstOf = (of: Step, k: number): boolean => of.at === 0 || k === of.begin;
  const remainderSuspects: readonly Suspect[] = [
    { id: 'k-tail', times: but(of => !of.whole) },
    // Elements of the previous tile that remain in shared memory past the K remainder.
    ...(plan.shared === undefined
      ? []
      : [
          {
            id: 'stale-tail',
            times: (k: number) => (k >= kRemainder - BK + tail && k < kRemainder ? 2 : 1),
          } as const,
        ]),
  ];
  const steps = (id: 'k-last-step' | 'k-first-step', is: typeof lastOf): readonly Suspect[] =>
    [is, within(true, is), within(false, is)].map(skipped => ({ id, times: but(skipped) }));
  return [
    ...(tail === 0 ? [] : remainderSuspects),
    { id: 'k-last-tile', times: but((_, k) => last(k)) },
    { id: 'k-first-tile', times: but(of => of.tile === 0) },
    ...steps('k-last-step', lastOf),
    ...steps('k-first-step', firstOf),
  ];
}

const within =
  (whole: boolean, is: (of: Step, k: number) => boolean) =>
  (of: Step, k: number): boolean =>
    of.whole === whole && is(of, k);

export function kStepSuspects({ k: depth }: ResolvedProblem): readonly Suspect[] {
  return [
    { id: 'k-last', times: k => (k === depth - 1 ? 0 : 1) },
    { id: 'k-first', times: k => (k === 0 ? 0 : 1) },
  ];
}

export function sliceSuspects({ spec, split, tile }: Plan): readonly Suspect[] {
  if (split === undefined) return [];
  const { sliceK, slices } = split;
  const { k: K } = spec.problem;
  const sliceOf = (k: number): number => Math.floor(k / sliceK);
  const each = Array.from({ length: Math.min(slices, 16) }, (_, part) => part);
  const BK = Math.max(1, tile.k);
  const rounded = [Math.floor(Math.ceil(K / BK) / slices), Math.floor(K / BK / slices)];
  return [
    ...each.flatMap((part): readonly Suspect[] => [
      { id: 'part-lost', number: part + 1, times: k => (sliceOf(k) === part ? 0 : 1) },
      { id: 'part-only', number: part + 1, times: k => (sliceOf(k) === part ? 1 : 0) },
      { id: 'part-only', number: part + 1, times: k => (sliceOf(k) === part ? 1 : 0), beta: 0 },
      { id: 'part-repeated', number: part + 1, times: k => (sliceOf(k) === part ? slices : 0) },
    ]),
    { id: 'part-bounds', times: k => (k % sliceK === 0 ? 0 : 1) },
    { id: 'part-bounds', times: k => (k % sliceK === 0 && k > 0 ? 0 : 1) },
    { id: 'part-bounds', times: k => (k % sliceK === 0 && k > 0 ? 2 : 1) },
    ...rounded.map(steps => ({
      ...({ id: 'part-bounds' } as const),
      times: (k: number) => (k < steps * slices * BK ? 1 : 0),
    })),
  ];
}

export function stageSuspects(plan: Plan): readonly Suspect[] {
  if (plan.shared === undefined) return [];
  const { spec, tile } = plan;
  const step = stepsOf(plan);
  const stages = lanePlanIn(plan)?.stages ?? 1;
  const others: readonly ((t: number) => number)[] = [
    t => Math.max(0, t - 1),
    t => t + 1,
    t => Math.max(0, t - stages),
    t => t - (t % stages),
    t => t + stages - 1,
  ];
  const moved = (operand: 'a' | 'b', other: (t: number) => number): ElementIndex => {
    const index = indexOf(spec.problem, operand);
    const from = (k: number): number => k + (other(step(k).tile) - step(k).tile) * tile.k;
    return (product, row, column) => {
      const k = from(operand === 'a' ? column : row);
      if (k < 0 || k >= spec.problem.k) return undefined;
      return operand === 'a' ? index(product, row, k) : index(product, k, column);
    };
  };
  return others.flatMap((other): readonly Suspect[] => [
    { id: 'stale-buffer', operand: 'A', a: moved('a', other) },
    { id: 'stale-buffer', operand: 'B', b: moved('b', other) },
    { id: 'stale-buffer', a: moved('a', other), b: moved('b', other) },
  ]);
}
