/**
 * Rows of A or columns of B that vector accesses cannot reach, because the rows of the matrix are
 * misaligned. The elements of a vector in the staged tile are then strided by the number of vectors
 * instead of adjacent. Adjacent threads therefore load adjacent elements, one each, and store
 * adjacent elements of C.
 */
import type { LanePlan, StagedOperand } from './plan';

type Spread = Pick<StagedOperand, 'fragment' | 'apart'>;

/** Returns the row or column of the tile at a position along a row of the staged tile. */
export const inMatrix = ({ fragment, apart }: Spread, position: number): number =>
  apart === 1 ? position : Math.floor(position / fragment) + (position % fragment) * apart;

/** Returns the position along a row of the staged tile of a row or column of the tile. */
export const inStaged = ({ fragment, apart }: Spread, index: number): number =>
  apart === 1 ? index : (index % apart) * fragment + Math.floor(index / apart);

/** Returns the operand that a side of C belongs to. */
export const alongSide = (laned: LanePlan, side: 'm' | 'n'): StagedOperand =>
  side === 'm' ? laned.a : laned.b;
