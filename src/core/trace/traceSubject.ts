/** The thread block that is traced: the block of the first tile, in the shortened kernel. */
import type { Statement } from '../kernel/ir/ir';
import { allStatements } from '../kernel/ir/statements';
import type { Kernel, LoweredKernel } from '../kernel/kernel';
import { fragmentPlanIn } from '../plan/family';
import { blockLookup } from './blockAt';
import type { BlockTrace } from './blockTrace';
import { shortened } from './shortened';
import { traceBlock } from './traceBlock';

export interface TraceSubject {
  readonly kernel: LoweredKernel;
  readonly barriers: readonly Statement[];
}

export type TraceSubjectOrWhy =
  | { readonly ok: true; readonly subject: TraceSubject }
  | { readonly ok: false; readonly why: string };

/** Returns the shortened kernel with its barriers, or the reason if it cannot be planned. */
export function traceSubject(whole: Kernel): TraceSubjectOrWhy {
  const short = shortened(whole);
  if (!short.ok) return short;
  const { kernel } = short;
  const barriers = [...allStatements(kernel.ir.body)].filter(({ op }) => op === 'barrier');
  return { ok: true, subject: { kernel, barriers } };
}

/**
 * Traces the block. `removed` is the position of the barrier that is left out, or null. The
 * fraction of the executed FMAs is reported.
 */
export function traceOf(
  { kernel, barriers }: TraceSubject,
  removed: number | null,
  onProgress: (fraction: number) => void,
): BlockTrace {
  const { plan, problem } = kernel;
  const fmasPerProduct = fragmentPlanIn(plan)?.fp32Emulation?.products.length ?? 1;
  const numFmas = plan.tile.m * plan.tile.n * problem.k * fmasPerProduct;
  return traceBlock(kernel, blockLookup(plan)({ row: 0, column: 0 }, 0, 0), {
    without: removed === null ? undefined : barriers[removed],
    onProgress: executed => {
      onProgress(Math.min(1, executed / numFmas));
    },
  });
}
