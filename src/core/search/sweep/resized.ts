/**
 * Plans a schedule at other problem sizes. Operands keep their row padding and batch gaps. If the
 * largest size is legal, each row alignment is planned only once.
 */
import { SECTOR_BYTES } from '../../memory/requestCost';
import { extentOf } from '../../plan/geometry';
import type { Extent, Plan } from '../../plan/plan';
import { planIfLegal } from '../../plan/planner';
import { kIterationsOf } from '../../plan/split';
import { wgmmaPlan } from '../../plan/wgmma/wgmma';
import { DTYPE_BYTES } from '../../types/dtype';
import { epilogueAt, epilogueOperands } from '../../spec/epilogue';
import {
  extent,
  type OperandName,
  type ResolvedOperand,
  type ResolvedProblem,
  type ResolvedSpec,
} from '../../spec/resolved';

export interface Sizes {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

export function problemAt(problem: ResolvedProblem, sizes: Sizes): ResolvedProblem {
  const resized = { ...problem, ...sizes };
  const of = (name: OperandName): ResolvedOperand => operandAt(problem, resized, name);
  const { epilogue } = problem;
  const operations =
    epilogue === undefined ? {} : { epilogue: epilogueAt(epilogue, problem, resized) };
  return { ...resized, a: of('a'), b: of('b'), c: of('c'), ...operations };
}

function operandAt(
  before: ResolvedProblem,
  after: ResolvedProblem,
  name: OperandName,
): ResolvedOperand {
  const operand = before[name];
  const lines = (problem: ResolvedProblem): readonly [inner: number, outer: number] => {
    const { rows, columns } = extent(problem, name);
    return operand.layout === 'row' ? [columns, rows] : [rows, columns];
  };
  const [[inner, outer], [newInner, newOuter]] = [lines(before), lines(after)];
  const ld = newInner + operand.ld - inner;
  // A negative gap means that batch matrices overlap, so the batch stride is kept.
  const gap = operand.batchStride - outer * operand.ld;
  return { ...operand, ld, batchStride: gap < 0 ? operand.batchStride : newOuter * ld + gap };
}

/** Sizes with equivalent accesses have the same alignment key. */
export interface PlanAt {
  readonly plan: Plan;
  readonly alignment: number;
}

/**
 * Returns a planner for sizes up to `largest` on every axis. The planner returns null if the
 * schedule is not legal.
 */
export function plansAt(plan: Plan, largest: Sizes): (sizes: Sizes) => PlanAt | null {
  const { spec, target } = plan;
  const own = alignmentKey(spec.problem);
  const planByAlignment = new Map<number, Plan | null>([[own, plan]]);
  // Size limits are monotonic: if the largest size fits, legality depends only on the alignment.
  const allFit = fits(plan, largest);
  return sizes => {
    const problem = problemAt(spec.problem, sizes);
    const alignment = alignmentKey(problem);
    const resized = { ...spec, problem };
    if (!allFit) {
      const own = planIfLegal(resized, target);
      return own === null ? null : { plan: own, alignment };
    }
    if (!everySliceHasIterations(plan, problem)) return null;
    let like = planByAlignment.get(alignment);
    if (like === undefined) {
      like = planIfLegal(resized, target);
      planByAlignment.set(alignment, like);
    }
    if (like === null) return null;
    return { plan: { ...like, spec: resized, ...extentAt(resized, plan) }, alignment };
  };
}

/**
 * Computes the size-dependent fields of a plan for a different size. For warp-group kernels, these
 * fields include the workspace.
 */
const extentAt = (resized: ResolvedSpec, plan: Plan): Extent =>
  extentOf(
    resized,
    plan.family === 'wgmma' ? { ...plan, wgmma: wgmmaPlan(resized, plan.tile) } : plan,
  );

/**
 * Tests whether the size limits permit this size. The size is rounded up so that the alignment and
 * split-K rules cannot fail.
 */
function fits({ spec, target, tile }: Plan, { m, n, k }: Sizes): boolean {
  const up = (size: number, unit: number): number => Math.ceil(size / unit) * unit;
  const deep = up(k, ALIGNMENT_PERIOD * Math.max(1, tile.k) * (spec.schedule.splitK ?? 1));
  const sizes = { m: up(m, ALIGNMENT_PERIOD), n: up(n, ALIGNMENT_PERIOD), k: deep };
  return planIfLegal({ ...spec, problem: problemAt(spec.problem, sizes) }, target) !== null;
}

/** Tests the `split-k` rule, which requires at least one k-iteration per slice. */
function everySliceHasIterations({ spec, tile }: Plan, problem: ResolvedProblem): boolean {
  const slices = spec.schedule.splitK ?? 1;
  const steps = kIterationsOf({ ...spec, problem }, tile);
  return Math.ceil(steps / Math.ceil(steps / slices)) === slices;
}

/**
 * Period of the row alignment in elements for all types: the number of one-byte elements per
 * sector.
 */
export const ALIGNMENT_PERIOD = SECTOR_BYTES;

/**
 * Returns a key of the row alignment. It encodes sizes and strides, modulo the elements per sector,
 * as at most nine digits of five bits. Access widths and sector offsets depend only on these
 * remainders.
 */
function alignmentKey(problem: ResolvedProblem): number {
  const { m, n, k, batch, a, b, c } = problem;
  const [ofA, ofB, ofC] = [a, b, c].map(({ dtype }) => SECTOR_BYTES / DTYPE_BYTES[dtype]);
  let digits = 0;
  const add = (size: number, unit = 1): void => {
    digits = digits * ALIGNMENT_PERIOD + (size % unit);
  };
  // The leading dimension of a residual is m or n with constant padding.
  const ofEpilogue = epilogueOperands(problem).map(
    ({ dtype }) => SECTOR_BYTES / DTYPE_BYTES[dtype],
  );
  const narrowest = Math.max(ofA ?? 1, ofB ?? 1, ofC ?? 1, ...ofEpilogue);
  add(m, narrowest);
  add(n, narrowest);
  add(k, narrowest);
  add(a.ld, ofA);
  add(b.ld, ofB);
  add(c.ld, ofC);
  if (batch === 1) return digits;
  add(a.batchStride, ofA);
  add(b.batchStride, ofB);
  add(c.batchStride, ofC);
  return digits;
}
