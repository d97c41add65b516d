/** Description of the order in which thread blocks traverse the tiles of C. */
import type { Plan } from '../../plan/plan';

export function rasterSummary({ spec }: Plan): readonly string[] {
  const { order = 'row', group = 1 } = spec.schedule.raster ?? {};
  if (group === 1) return [];
  return [
    `Rasterization in groups of ${group} tile ${order === 'row' ? 'rows' : 'columns'}: concurrent thread blocks reuse tiles of A and B from the L2 cache.`,
  ];
}
