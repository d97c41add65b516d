/** Classes of problems whose time models have tables of their own. */

/** Maximum number of rows or columns of C of a `flat` problem. */
export const FLAT_EXTENT = 16;

/** Problems with few rows or columns of C are `flat`. They are bound by memory. */
export type ShapeClass = 'general' | 'flat';

export const shapeClass = ({ m, n }: Readonly<Record<'m' | 'n', number>>): ShapeClass =>
  Math.min(m, n) <= FLAT_EXTENT ? 'flat' : 'general';
