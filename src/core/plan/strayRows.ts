/**
 * Rows of A or columns of B whose elements no vector access reaches, because rows of the matrix are not aligned: those that
 * a vector of the staged tile holds are not neighbours then, but lie as far apart as there are vectors. So threads beside
 * each other load neighbours, one element each, and store neighbours of C.
 */
import type { LanePlan, StagedOperand } from './plan';

type Spread = Pick<StagedOperand, 'fragment' | 'apart'>;

/** The row or column of the tile at a position along a row of the staged tile. */
export const inMatrix = ({ fragment, apart }: Spread, position: number): number =>
  apart === 1 ? position : Math.floor(position / fragment) + (position % fragment) * apart;

/** The position along a row of the staged tile where a row or column of the tile stands. */
export const inStaged = ({ fragment, apart }: Spread, index: number): number =>
  apart === 1 ? index : (index % apart) * fragment + Math.floor(index / apart);

/** The operand whose rows or columns a side of C's are. */
export const alongSide = (laned: LanePlan, side: 'm' | 'n'): StagedOperand =>
  side === 'm' ? laned.a : laned.b;
