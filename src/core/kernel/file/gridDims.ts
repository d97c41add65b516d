/** Grid of a launch as a function of the extents of C, for files that launch the kernel. */
import type { Plan } from '../../plan/plan';
import type { KernelLaunch } from '../kernel';

/** One dimension of a grid: ceil(side / per) * times * (batch ? batch : 1). */
export interface GridDim {
  /** Extent of C that the dimension divides; absent for slices and batch entries. */
  readonly side?: 'm' | 'n';
  readonly per: number;
  readonly times: number;
  readonly batch: boolean;
}

/**
 * Returns the dimensions of the grid of a launch that is printed from loop IR. It does not apply to
 * kernels of `wgmma`, whose host function computes their grids.
 */
export function gridDims(
  plan: Plan,
  { ir, block }: Pick<KernelLaunch, 'ir' | 'block'>,
): readonly GridDim[] {
  const isBatched = plan.spec.problem.batch > 1;
  const along = (side: 'm' | 'n', per: number): GridDim => ({ side, per, times: 1, batch: false });
  const deep = (times: number): readonly GridDim[] =>
    times === 1 && !isBatched ? [] : [{ per: 1, times, batch: isBatched }];
  if (ir.pass !== undefined) {
    const [inner, outer] =
      plan.spec.problem.c.layout === 'row' ? (['n', 'm'] as const) : (['m', 'n'] as const);
    return [along(inner, block.x), along(outer, block.y), ...deep(1)];
  }
  const [rows, columns] = [along('m', plan.tile.m), along('n', plan.tile.n)];
  return [
    ...(plan.gridMap === 'x-rows' ? [rows, columns] : [columns, rows]),
    ...deep(plan.split?.slices ?? 1),
  ];
}
