/**
 * Strided fragments, for rows of A or columns of B that vector loads cannot access because they are
 * misaligned. The elements of a fragment load are then not adjacent in the matrix; their stride is
 * the number of vectors. Adjacent threads therefore load adjacent elements, one each, and store
 * adjacent elements of C.
 */
import type { LanePlan, StagedOperand } from './plan';

type Spread = Pick<StagedOperand, 'fragment' | 'fragmentStride'>;

/**
 * Returns the row (of A) or column (of B) in the tile for a position in a row of the shared tile.
 */
export const inMatrix = ({ fragment, fragmentStride }: Spread, position: number): number =>
  fragmentStride === 1
    ? position
    : Math.floor(position / fragment) + (position % fragment) * fragmentStride;

/**
 * Returns the position in a row of the shared tile for a row (of A) or column (of B) in the tile.
 */
export const inStaged = ({ fragment, fragmentStride }: Spread, index: number): number =>
  fragmentStride === 1
    ? index
    : (index % fragmentStride) * fragment + Math.floor(index / fragmentStride);

export const alongSide = (laned: LanePlan, side: 'm' | 'n'): StagedOperand =>
  side === 'm' ? laned.a : laned.b;
